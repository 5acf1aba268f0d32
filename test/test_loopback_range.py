"""LOCALHOST is true: no other host reaches a node of ours, and every node of this machine does.

The nodes run in a network of their own with a second host, whose peer names our address. Without
the profile the peer is heard; with it, as our nodes choose it themselves, it is not, while a user's
node with the middleware's defaults hears and drives.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from vdsim_kit.own_network import ROOT, in_a_network
from vdsim_kit.tools import has_network_namespaces
from vdsim_kit.two_hosts import PROFILES
from vdsim_protocol.loopback import PROFILE

OPEN = ROOT / "portable" / "fastdds.xml"


def profile(file: Path) -> str:
    """The variables that name a profile."""
    return json.dumps(dict.fromkeys(PROFILES, str(file)))


if has_network_namespaces():

    def test_a_peer_on_another_host_neither_hears_nor_reaches_a_node_on_loopback() -> None:
        heard = in_a_network("meet", profile(PROFILE))
        assert heard == {
            "ours": ["ours", "users"],
            "users": ["ours", "peer", "users"],
            "peer": ["peer", "users"],
        }

    def test_without_the_profile_it_does() -> None:
        heard = in_a_network("meet", profile(OPEN), "peer")
        assert heard["ours"] == ["ours", "peer", "users"]

    def test_a_users_node_with_all_defaults_drives_a_node_of_ours_on_loopback() -> None:
        seen = in_a_network("drive")
        assert seen["planner"] == "drives"
        assert seen["code"] == 0, seen["log"]
        [addresses] = re.findall(r"ROS listens on (.*)$", seen["log"], re.MULTILINE)
        assert re.fullmatch(r"127\.0\.0\.1 \(UDP \d+, \d+\)", addresses), seen["log"]

    def test_a_node_in_a_container_with_the_hosts_network_drives() -> None:
        variables = {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}
        seen = in_a_network("container", json.dumps(variables))
        assert seen["planner"] == "drives"
        assert seen["code"] == 0, seen["log"]

    def test_a_filtered_socket_hears_this_machine_by_every_address_and_no_other() -> None:
        heard = in_a_network("filter")
        own = ["here 10.99.0.1", "here 239.255.0.1", "here 127.0.0.1"]
        assert heard == {
            "open": ["there 10.99.0.1", "there 239.255.0.1", *own],
            "filtered": own,
        }
