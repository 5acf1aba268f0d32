"""The data port of the ROS node `plant`."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import rclpy
from aiohttp import ClientSession
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path as PlannedPath
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool, Header
from std_srvs.srv import Trigger
from vdsim_plant_node_kit.runtime import PlainClient

from vdsim_msgs.msg import ControlSource, SafetyStatus
from vdsim_msgs.srv import ChangeMode

REPORT_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ENVIRONMENT = {
    "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    "PYTHONUNBUFFERED": "1",
}
NODE = [sys.executable, "-m", "vdsim_plant_node.ros.node", "--ros-args"]


class Node:
    """The node as a process."""

    def __init__(self, *parameters: str) -> None:
        arguments = []
        for parameter in ("cmd_port:=0", "state_port:=0", *parameters):
            arguments += ["-p", parameter]
        self._process = subprocess.Popen(
            [*NODE, *arguments],
            env={**os.environ, **ENVIRONMENT},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.output = ""

    def wait_for(self, pattern: str) -> str:
        """Read lines until one matches; the first group."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.output += line
            found = re.search(pattern, line)
            if found:
                return found.group(1)
        raise AssertionError(f"no {pattern!r} in:\n{self.output}")

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)
        out, _ = self._process.communicate(timeout=60.0)
        self.output += out
        assert self._process.returncode == 0, self.output


def post(url: str, content: object) -> Any:
    with urllib.request.urlopen(url, json.dumps(content).encode(), timeout=60.0) as answer:
        return json.load(answer)


def test_the_node_has_the_dashboard_and_is_driven_through_it() -> None:
    with Node("http:=127.0.0.1:0") as node:
        url = node.wait_for(r"dashboard and data port at (http://127\.0\.0\.1:\d+/)")
        end = time.monotonic() + 60.0
        while post(f"{url}api/io", {"throttle": 0.8})["vx"] < 0.5:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert post(f"{url}api/pause", {"paused": True}) == {"paused": True}


def test_where_an_interface_drives_the_page_is_a_pad_on_dashboard_joy() -> None:
    """CMD drives and Joy has a subscriber; the node publishes what the page holds, then zeros."""
    held = {"axes": [0.5, 0, 0, 0, 0, -1], "buttons": [0] * 9 + [1] + [0] * 11}
    client = PlainClient()
    context = Context()  # its own: another test file may use the default one
    rclpy.init(context=context)
    listener = rclpy.create_node("listener", namespace="/car", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(listener)
    heard: list[Joy] = []
    listener.create_subscription(Joy, "dashboard/joy", heard.append, 5)

    async def drive(url: str) -> None:
        kind = ""
        async with ClientSession() as session:
            while kind != "joy":  # until the subscription is found
                client.send(throttle=0.0, brake=0.5)
                async with session.ws_connect(f"{url}api/drive") as page:
                    kind = (await page.receive_json())["drives"]
            page = await session.ws_connect(f"{url}api/drive")
            while not heard:
                await page.send_str(json.dumps(held))
                executor.spin_once(timeout_sec=0.02)
            await page.close()
            while any(heard[-1].buttons):
                executor.spin_once(timeout_sec=0.02)
                await asyncio.sleep(0.0)

    try:
        topic = "joy_topic:=/car/dashboard/joy"
        with Node("http:=127.0.0.1:0", "cmd_timeout:=50.0", topic) as node:
            client.server_port = int(node.wait_for(r"CMD at 127\.0\.0\.1:(\d+)"))
            url = node.wait_for(r"dashboard and data port at (http://127\.0\.0\.1:\d+/)")
            asyncio.run(asyncio.wait_for(drive(url), 120.0))
    finally:
        client.close()
        executor.shutdown()
        listener.destroy_node()
        rclpy.shutdown(context=context)
    assert [*heard[0].axes] == held["axes"]
    assert [*heard[0].buttons] == held["buttons"]
    assert heard[0].header.frame_id == "dashboard"
    assert [*heard[-1].axes] == [0.0] * 6


def test_the_page_hears_the_interface_stops_it_and_passes_requests_on() -> None:
    """An interface of a test beside the node; its stop is repeated until it is confirmed."""
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node("vehicle_interface", namespace="/car", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    stops: list[bool] = []
    locks: list[str] = []
    asked: list[str] = []

    def give_back(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        asked.append("give_back")
        response.success, response.message = False, "the car still moves"
        return response

    def change_mode(
        request: ChangeMode.Request, response: ChangeMode.Response
    ) -> ChangeMode.Response:
        asked.append(f"mode {request.request}")
        response.success = True
        return response

    status = node.create_publisher(SafetyStatus, "safety_status", REPORT_QOS)
    planned = node.create_publisher(PlannedPath, "planned_path", 1)
    control = node.create_publisher(ControlSource, "control_source", REPORT_QOS)
    node.create_subscription(Bool, "emergency_stop", lambda m: stops.append(m.data), 10)
    node.create_service(Trigger, "give_back", give_back)
    node.create_service(ChangeMode, "change_mode", change_mode)

    def publish() -> None:
        status.publish(
            SafetyStatus(mode=2, command_age_s=0.0, vehicle_link_ok=True, stamp=Time(sec=5))
        )
        control.publish(ControlSource(state=1, source="autonomy", active_locks=locks))
        planned.publish(PlannedPath(header=Header(frame_id="map"), poses=[PoseStamped()]))

    node.create_timer(0.05, publish)

    def spun_until(condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 120.0
        while not condition():
            assert time.monotonic() < end
            executor.spin_once(timeout_sec=0.02)

    def asking(url: str, path: str, content: object) -> Any:
        """The answer to a request, while the interface goes on."""
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(post, url + path, content)
            spun_until(answer.done)
            return answer.result()

    def event_of(url: str, kind: str) -> Any:
        """What the next event of this kind says."""
        with urllib.request.urlopen(f"{url}api/stream?events=named", timeout=60.0) as stream:
            for line in stream:
                if line.startswith(f"event: {kind}".encode()):
                    return json.loads(next(stream)[len(b"data: ") :])[kind]
        raise AssertionError("the stream has ended")

    def shown(url: str, kind: str = "interface") -> Any:
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(event_of, url, kind)
            spun_until(answer.done)
            return answer.result()

    try:
        with Node("http:=127.0.0.1:0", "joy_topic:=/car/dashboard/joy") as plant:
            url = plant.wait_for(r"dashboard and data port at (http://127\.0\.0\.1:\d+/)")
            while (view := shown(url)) is None or not view["source"]:
                pass
            assert (view["namespace"], view["mode"]) == ("/car", "AUTONOMOUS")
            assert view["source"] == "autonomy"
            assert shown(url, "path") == {"points": [[0.0, 0.0]], "problem": ""}
            while not asking(url, "api/stop", {})["ok"]:
                pass  # until the subscription is found
            spun_until(lambda: len(stops) >= 3)
            assert all(stops)
            locks.append("emergency_stop")
            while not shown(url)["stopped"]:
                pass
            answers = {
                wanted: asking(url, "api/interface", {"request": wanted})
                for wanted in ("give_back", "engage", "disengage")
            }
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown(context=context)
    assert answers["give_back"] == {"ok": False, "reason": "the car still moves"}
    assert answers["engage"] == {"ok": True, "reason": ""}
    assert asked == ["give_back", "mode 1", "mode 0"]


@pytest.mark.parametrize("off", ["off", '"off"'])
def test_off_is_off_whatever_yaml_makes_of_it(off: str) -> None:
    with Node(f"http:={off}") as node:
        node.wait_for("(CMD at 127.0.0.1)")
        time.sleep(0.5)
    assert "dashboard" not in node.output


def test_in_lockstep_the_page_looks_on_and_does_not_pause() -> None:
    with Node("http:=127.0.0.1:0", "lockstep:=true") as node:
        url = node.wait_for(r"dashboard and data port at (http://127\.0\.0\.1:\d+/)")
        assert post(f"{url}api/io", {})["t"] == 0.0
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(f"{url}api/pause", {"paused": True})
        assert caught.value.code == 400
        assert b"lockstep" in caught.value.read()


def test_in_lockstep_another_car_waits_at_its_start() -> None:
    with Node("http:=127.0.0.1:0", "lockstep:=true") as node:
        url = node.wait_for(r"dashboard and data port at (http://127\.0\.0\.1:\d+/)")
        started = post(f"{url}api/start", {"vehicle": "compact_fwd", "x0": 4.0, "vx0": 5.0})
        assert (started["t"], started["x"], started["vx"], started["restarts"]) == (0, 4.0, 5.0, 1)
        node.wait_for("(vehicle 0: restarted as compact_fwd)")
        assert post(f"{url}api/io", {})["t"] == 0.0


def test_the_topics_go_on_with_another_car() -> None:
    with Node("http:=127.0.0.1:0", "vx0:=3.0") as node:
        url = node.wait_for(r"dashboard and data port at (http://127\.0\.0\.1:\d+/)")
        answers = [post(f"{url}api/start", {"x0": 1000.0 * n, "level": "l1"}) for n in (1, 2)]
        assert [answer["restarts"] for answer in answers] == [1, 2]
        end = time.monotonic() + 60.0
        while (state := post(f"{url}api/io", {}))["t"] < 0.5:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert state["x"] == pytest.approx(2000.0, abs=3.0)
    assert "cancelled" not in node.output, "no subscriber failed"


def test_the_node_takes_a_settings_file(tmp_path: Path) -> None:
    file = tmp_path / "car.yaml"
    file.write_text("vehicle: sport_rwd\nvx0: 6\nground: {base_mu: 0.5, slope_y: 0.01}\n")
    with Node("http:=127.0.0.1:0", f"config:={file}", "level:=l1") as node:
        url = node.wait_for(r"dashboard and data port at (http://127\.0\.0\.1:\d+/)")
        with urllib.request.urlopen(f"{url}api/settings", timeout=60.0) as answer:
            settings = {each["name"]: each["value"] for each in json.load(answer)["settings"]}
    assert (settings["vehicle"], settings["level"], settings["vx0"]) == ("sport_rwd", "l1", 6.0)
    assert settings["ground"] == {"base_mu": 0.5, "slope_y": 0.01}
