"""The verbs that query the running graph, against real nodes."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

import pytest

RunRos2 = Callable[..., subprocess.CompletedProcess[str]]
StartRos2 = Callable[..., subprocess.Popen[str]]

pytestmark = pytest.mark.usefixtures("target")


def test_topic_list_with_types_and_with_ends(start_ros2: StartRos2) -> None:
    listing, ends = start_ros2("topic", "list", "-t"), start_ros2("topic", "list", "-v")
    assert set(listing.communicate()[0].splitlines()) >= {
        "/heard [std_msgs/msg/String]",
        "/ns/latched [std_msgs/msg/Header]",
        "/ns/odom [nav_msgs/msg/Odometry]",
    }
    published, subscribed = ends.communicate()[0].split("Subscribed topics:\n")
    assert " * /ns/odom [nav_msgs/msg/Odometry] 1 publisher\n" in published
    assert " * /heard [std_msgs/msg/String] 1 subscriber\n" in subscribed
    assert "/heard" not in published
    assert listing.returncode == ends.returncode == 0


def test_topic_info_tells_the_qos(ros2: RunRos2) -> None:
    lines = ros2("topic", "info", "-v", "/ns/latched").stdout.splitlines()
    assert lines[:3] == ["Type: std_msgs/msg/Header", "", "Publisher count: 1"]
    assert {"Node name: target", "  Durability: TRANSIENT_LOCAL"} <= set(lines)
    assert "Subscription count: 0" in lines


def test_topic_type_of_a_topic_and_of_none(start_ros2: StartRos2) -> None:
    known = start_ros2("topic", "type", "/ns/odom")
    unknown = start_ros2("topic", "type", "/nothing")
    assert known.communicate() == ("nav_msgs/msg/Odometry\n", "")
    assert (unknown.communicate(), unknown.returncode) == (("", ""), 1)


def test_node_list_hides_this_command(ros2: RunRos2) -> None:
    assert ros2("node", "list").stdout == "/managed\n/ns/box\n/ns/target\n"


def test_node_info_lists_by_role(ros2: RunRos2) -> None:
    text = ros2("node", "info", "/ns/target").stdout
    assert text.startswith("/ns/target\n  Subscribers:\n    /heard: std_msgs/msg/String\n")
    assert "    /ns/odom: nav_msgs/msg/Odometry\n" in text
    assert "    /ns/set_it: std_srvs/srv/SetBool\n" in text
    assert text.endswith("  Action Clients:\n\n")


def test_unknown_node_is_one_line(ros2: RunRos2) -> None:
    done = ros2("node", "info", "/nobody")
    assert (done.returncode, done.stderr) == (1, "Unable to find node '/nobody'\n")


def test_service_info(ros2: RunRos2) -> None:
    text = ros2("service", "info", "/ns/set_it").stdout
    assert text == "Type: std_srvs/srv/SetBool\nClients count: 0\nServices count: 1\n"


def test_service_call_prints_the_response(ros2: RunRos2) -> None:
    done = ros2("service", "call", "/ns/set_it", "std_srvs/srv/SetBool", "{data: true}")
    assert done.returncode == 0
    assert done.stdout.endswith(
        "requester: making request: std_srvs.srv.SetBool_Request(data=True)\n\n"
        "response:\nstd_srvs.srv.SetBool_Response(success=True, message='answered')\n\n"
    )


def test_lists_of_services_nodes_and_topics(start_ros2: StartRos2) -> None:
    found = {
        ("service", "find", "std_srvs/srv/SetBool"): "/ns/set_it\n",
        ("topic", "find", "nav_msgs/msg/Odometry", "-c"): "1\n",
        ("lifecycle", "get"): "/managed: unconfigured [1]\n",
    }
    started = {arguments: start_ros2(*arguments) for arguments in found}
    assert {arguments: p.communicate()[0] for arguments, p in started.items()} == found


def test_service_call_gives_up_when_told(ros2: RunRos2) -> None:
    done = ros2("service", "call", "/nothing", "std_srvs/srv/Empty", "--timeout", "0.3")
    assert (done.returncode, done.stderr) == (1, "Service '/nothing' did not become available\n")


def test_lifecycle_transition(ros2: RunRos2) -> None:
    assert ros2("lifecycle", "get", "/managed").stdout == "unconfigured [1]\n"
    assert ros2("lifecycle", "list", "/managed").stdout.startswith(
        "- configure [1]\n\tStart: unconfigured\n\tGoal: configuring\n"
    )
    assert ros2("lifecycle", "set", "/managed", "configure").stdout == "Transitioning successful\n"
    refused = ros2("lifecycle", "set", "/managed", "configure")
    assert refused.returncode == 1
    assert refused.stderr.startswith("Unknown transition 'configure', available: ")


def test_components_of_a_container(ros2: RunRos2) -> None:
    assert ros2("component", "list").stdout == "/ns/box\n  1  /ns/first\n"
    assert ros2("component", "list", "--containers-only").stdout == "/ns/box\n"
    named = ("-n", "one", "--node-namespace", "/x")
    loaded = ros2("component", "load", "/ns/box", "my_package", "good", *named)
    assert loaded.stdout == "Loaded component 2 into '/ns/box' container node as '/x/one'\n"
    quiet = ros2("component", "load", "ns/box", "my_package", "good", "-q")
    assert quiet.stdout == "3  /good\n"
    assert ros2("component", "list", "/ns/box").stdout == "1  /ns/first\n2  /x/one\n3  /good\n"
    gone = ros2("component", "unload", "/ns/box", "2", "3", "9")
    assert gone.stdout == "".join(
        f"Unloaded component {number} from '/ns/box' container node\n" for number in (2, 3)
    )
    assert gone.returncode == 1
    assert gone.stderr == (
        "Failed to unload component 9 from '/ns/box' container node: no such id\n"
    )


def test_a_component_that_is_refused_ends_with_the_reason(ros2: RunRos2) -> None:
    options = ("-p", "gain:=3", "-r", "a:=b", "--log-level", "WARN")
    refused = ros2("component", "load", "/ns/box", "my_package", "broken", *options)
    assert (refused.returncode, refused.stderr) == (
        1,
        "Failed to load component: broken: {'gain': 3} ['a:=b'] 30\n",
    )
    wrong = ros2("component", "load", "/ns/box", "my_package", "good", "-p", "gain")
    assert wrong.stderr == "Wrong parameter 'gain': it must be name:=value\n"
    upstream = ros2("component", "types")
    assert upstream.returncode != 0
    assert "ros2component" in upstream.stderr


def test_doctor_reports_the_graph(ros2: RunRos2) -> None:
    done = ros2("doctor", "--report", "--exclude-packages")
    assert done.returncode == 0
    assert "discovery range : LOCALHOST\n" in done.stdout
    assert re.search(r"^/ns/odom +: 1 pub, 0 sub$", done.stdout, re.MULTILINE)
    assert " : /ns/target\n" in done.stdout
