"""The ROS node `plant` as a process: topics, services, lockstep with /clock, clean ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import rclpy
import yaml
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from std_srvs.srv import SetBool
from vdsim_plant.ground import flat
from vdsim_plant_node.ros.parameters import DATA_GROWTH, DATA_GROWTH_MB, PARAMETER_SERVICES
from vdsim_plant_node.settings.options import OPTIONS, server_settings
from vdsim_plant_node_kit.runtime import PlainClient
from vdsim_protocol.checked_node import AUTO
from vdsim_protocol.vds1.probe import PROBE, Probe, encode_probe

from vdsim_msgs.msg import LinkStatus, VdsState
from vdsim_msgs.srv import ResetPlant, StepPlant

SHIPPED = Path(__file__).resolve().parents[4] / "src/vdsim_interface/config/plant.yaml"
OWN = {
    *("publish_rate", "frame_prefix", "frame_id", "child_frame_id", "lockstep", "publish_clock"),
    *("joy_topic", "process"),
}

SETTLING_S = 1.0
ENVIRONMENT = {
    "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    "PYTHONUNBUFFERED": "1",
}

PORT = re.compile(r"CMD at 127\.0\.0\.1:(\d+)")
STARTED: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def _no_process_outlives_its_test() -> Iterator[None]:
    yield
    for process in STARTED:
        if process.poll() is None:
            process.kill()
            process.communicate()
    STARTED.clear()


def command_port_of(plant: subprocess.Popen[str]) -> int:
    """The port that it names; it may name another first, of a dashboard that is taken."""
    assert plant.stdout is not None
    for line in plant.stdout:
        if found := PORT.search(line):
            return int(found[1])
    raise AssertionError("the plant has ended without a port")


def start_plant(
    *parameters: str, name: str = "plant", files: Sequence[str] = ()
) -> subprocess.Popen[str]:
    arguments = ["--ros-args", "-r", f"__node:={name}"]
    for file in files:
        arguments += ["--params-file", file]
    for parameter in ("cmd_port:=0", "state_port:=0", *parameters):
        arguments += ["-p", parameter]
    command = [sys.executable, "-m", "vdsim_plant_node.ros.node", *arguments]
    process = subprocess.Popen(
        command,
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    STARTED.append(process)
    return process


def stop(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60.0)
    return process.returncode, out


class Observer:
    """A node that listens and calls."""

    def __init__(self) -> None:
        self.node = Node("observer")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.seen: dict[str, list[Any]] = {}
        self.clients: dict[str, Any] = {}

    def listen(self, kind: type, topic: str) -> list[Any]:
        messages: list[Any] = self.seen.setdefault(topic, [])
        self.node.create_subscription(kind, topic, messages.append, qos_profile_sensor_data)
        return messages

    def wait(self, condition: Callable[[], bool], limit_s: float = 60.0) -> None:
        end = time.monotonic() + limit_s
        while not condition():
            assert time.monotonic() < end, f"not within {limit_s} s"
            self.executor.spin_once(timeout_sec=0.1)

    def wait_for_silence(self, messages: list[Any], limit_s: float = 60.0) -> None:
        """Wait until none comes for SETTLING_S; what was on its way still arrives."""
        end = time.monotonic() + limit_s
        while True:
            messages.clear()
            settled = time.monotonic() + SETTLING_S
            self.wait(lambda settled=settled: time.monotonic() >= settled)
            if not messages:
                return
            assert time.monotonic() < end, f"messages still come after {limit_s} s"

    def call(self, kind: type, service: str, **values: Any) -> Any:
        """Call a service. Its client is kept: servers may answer before they know a new one."""
        client = self.clients.get(service)
        if client is None:
            client = self.clients[service] = self.node.create_client(kind, service)
            self.wait(client.service_is_ready)
            # The client knows its server now. Nothing tells when the server knows the client,
            # and an answer that it sends before is lost.
            settled = time.monotonic() + SETTLING_S
            self.wait(lambda: time.monotonic() >= settled)
        request = kind.Request()  # type: ignore[attr-defined]
        for name, value in values.items():
            setattr(request, name, value)
        future = client.call_async(request)
        self.wait(future.done)
        return future.result()


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    previous = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE")
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init()
    made = Observer()
    yield made
    made.node.destroy_node()
    rclpy.try_shutdown()
    if previous is None:
        del os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"]


def test_ground_truth_reset_pause_and_diagnostics(observer: Observer) -> None:
    plant = start_plant("vx0:=8", "failsafe_brake:=0.0", "origin_x:=100.0", name="free")
    odometry = observer.listen(Odometry, "/free/odom")
    states = observer.listen(VdsState, "/free/vds_state")
    diagnostics = observer.listen(DiagnosticArray, "/diagnostics")
    observer.wait(lambda: len(odometry) > 20 and len(states) > 20)
    assert odometry[-1].pose.pose.position.x > 100.0
    assert odometry[-1].twist.twist.linear.x > 5.0
    assert (odometry[-1].header.frame_id, odometry[-1].child_frame_id) == ("map", "base_link")
    assert states[-1].vx_mps > 5.0
    assert list(states[-1].tire_fz_n) == pytest.approx([7010.3, 7010.3, 4556.7, 4556.7], rel=0.05)
    assert states[-1].protocol_version == 5

    refused = observer.call(StepPlant, "/free/step", ticks=1)
    assert not refused.success
    assert refused.reason == "start the plant with lockstep:=true to step it"

    assert observer.call(ResetPlant, "/free/reset", use_initial=True, x_m=-50.0).success
    states.clear()
    observer.wait(lambda: len(states) > 5)
    assert states[-1].x_world_m == pytest.approx(50.0)
    assert abs(states[-1].vx_mps) < 1e-6
    foreign = observer.call(ResetPlant, "/free/reset", check=5)
    assert not foreign.success
    assert foreign.reason.startswith("check=5: must be 1297302614, the default")
    wrong = observer.call(ResetPlant, "/free/reset", all=False, vehicle_id=9)
    assert (wrong.success, wrong.reason) == (False, "vehicle_id=9: must be one of 0")

    assert observer.call(SetBool, "/free/pause", data=True).success
    observer.wait_for_silence(states)
    assert observer.call(SetBool, "/free/pause", data=False).success
    states.clear()
    observer.wait(lambda: len(states) > 5)

    observer.wait(lambda: any(m.status[0].name == "/free: vehicle 0" for m in diagnostics))
    status = next(m for m in diagnostics if m.status[0].name == "/free: vehicle 0").status
    assert status[0].message == "no command yet: fail-safe"
    assert {pair.key: pair.value for pair in status[0].values}["policy"].startswith("no command")
    code, out = stop(plant)
    assert code == 0, out
    assert "Traceback" not in out


def test_the_link_of_its_commands_is_published(observer: Observer) -> None:
    """Who drives, how CMD arrives, what happens without it, and the driver's round trip."""
    client = PlainClient()
    plant = start_plant(
        f"state_port:={client.port}", "cmd_timeout:=0.5", "rate:=50", "http:='off'", name="linked"
    )
    assert plant.stdout is not None
    found = next(filter(None, (PORT.search(line) for line in plant.stdout)))
    client.server_port = int(found.group(1))
    links = observer.listen(LinkStatus, "/linked/link_status")

    def driven() -> list[LinkStatus]:
        return [n for n in links if n.alive and n.accepted > 10 and n.round_trip_source]

    def drive() -> bool:
        client.send()
        client.send_bytes(encode_probe(Probe(PROBE, 0, 0.0, 0.0125)))
        return bool(driven())

    observer.wait(drive)
    link = driven()[0]
    assert (link.name, link.alive, link.timeout_s) == ("command", True, 0.5)
    assert link.peer == f"127.0.0.1:{client.port}"
    assert link.timeout_policy == (
        "no command for 500 ms: throttle 0, brake 0.3, steering held, gear kept"
    )
    assert (link.round_trip_s, link.round_trip_source) == (0.0125, "measured")
    assert (link.rejected, link.lost) == (0, 0)
    observer.wait(lambda: not links[-1].alive)
    assert 1.0 < links[-1].sent_rate_hz < 75.0, "50 Hz, less where the machine holds it up"
    client.socket.close()
    code, out = stop(plant)
    assert code == 0, out


def lockstep_run(observer: Observer, name: str) -> list[tuple[str, float, float]]:
    """Drive a plant in lockstep; every answer, and the clock in between."""
    plant = start_plant(
        "lockstep:=true", "actuator:=passenger_car", "sensor:=automotive", "seed:=5", name=name
    )
    clock = observer.listen(Clock, "/clock")
    answers = []
    for step in range(40):
        answer = observer.call(
            StepPlant,
            f"/{name}/step",
            ticks=2,
            set_command=step % 4 == 0,
            steering_tire_angle_rad=0.001 * step,
            throttle=0.5,
            gear=1,
        )
        assert answer.success, answer.reason
        assert answer.tick == 2 * (step + 1)
        answers.append((answer.state_hash, answer.time_s, answer.state.x_world_m))
    last = answers[-1][1]
    observer.wait(lambda: bool(clock) and clock[-1].clock.nanosec == round(last * 1e9) % 10**9)
    again = observer.call(ResetPlant, f"/{name}/reset")
    assert again.success
    code, out = stop(plant)
    assert code == 0, out
    observer.node.destroy_subscription(next(iter(observer.node.subscriptions)))
    return answers


def test_lockstep_gives_the_same_hashes_in_every_process(observer: Observer) -> None:
    first = lockstep_run(observer, "one")
    second = lockstep_run(observer, "two")
    assert first == second
    assert len({digest for digest, _, _ in first}) == 40
    assert first[-1][2] > 0.0


def test_lockstep_repeats_after_a_reset_and_refuses_nonsense(observer: Observer) -> None:
    plant = start_plant("lockstep:=true", name="again")

    def run() -> list[str]:
        assert observer.call(ResetPlant, "/again/reset").success
        assert not observer.call(StepPlant, "/again/step", ticks=3, check=5).success
        first = observer.call(StepPlant, "/again/step", ticks=3)
        rest = [
            observer.call(StepPlant, "/again/step", ticks=5, set_command=True, throttle=0.8, gear=1)
            for _ in range(8)
        ]
        return [answer.state_hash for answer in (first, *rest)]

    assert run() == run()
    for values, reason in (
        ({"ticks": 0}, "ticks=0: must be within 1..100000"),
        ({"ticks": 100_001}, "ticks=100001: must be within 1..100000"),
        ({"ticks": 1, "vehicle_id": 3}, "vehicle_id=3: must be one of 0"),
        ({"ticks": 1, "set_command": True, "throttle": 2.0}, "throttle=2.0: must be within 0..1"),
        ({"ticks": 1, "set_command": True, "gear": 4}, "gear=4: must be -1, 0 or 1"),
    ):
        before = observer.call(StepPlant, "/again/step", ticks=1)
        answer = observer.call(StepPlant, "/again/step", **values)
        assert (answer.success, answer.reason) == (False, reason)
        assert answer.tick == before.tick
    paused = observer.call(SetBool, "/again/pause", data=True)
    assert (paused.success, paused.message) == (False, "in lockstep time passes only in ~/step")
    stop(plant)


def test_lockstep_hears_udp_between_steps(observer: Observer) -> None:
    plant = start_plant("lockstep:=true", name="wire")
    client = PlainClient(command_port_of(plant))
    client.send(seq=0, steer=0.25, throttle=0.0, brake=1.0)
    answer = observer.call(StepPlant, "/wire/step", ticks=1)
    assert answer.state.steering_tire_angle_applied_rad == 0.25
    assert answer.state.brake_applied == 1.0
    client.close()
    stop(plant)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_without_a_word_in_the_middle_of_publishing(
    observer: Observer, number: int
) -> None:
    """At 1000 Hz a message is always under way: nothing may be taken from below the publisher."""
    name = f"busy_{number}"
    plant = start_plant("tick_rate:=1000.0", "publish_rate:=1000.0", name=name)
    odometry = observer.listen(Odometry, f"/{name}/odom")
    observer.wait(lambda: len(odometry) > 20)
    plant.send_signal(number)
    out, _ = plant.communicate(timeout=60.0)
    assert plant.returncode == 0
    assert "failed" not in out.lower()


@pytest.mark.parametrize(
    ("parameter", "line"),
    [
        ("rate:=-1.0", "plant: rate=-1.0: must be >= 1 and <= 2000 Hz"),
        ("vx0:=fast", "plant: vx0='fast': must be a number"),
        ("vehicle:=tank", "plant: vehicle='tank': must be a .yaml file or one of"),
        ("publish_rate:=0.0", "plant: publish_rate=0: must be >= 0.1 and <= 200 Hz, the tick rate"),
        ("precise:=3", "plant: precise=3: must be a truth value"),
        ("mu:=7.0", "plant: mu=7.0: must be > 0 and <= 1.2"),
        ("ground:=split_mu mu:=0.5", "plant: split_mu.yaml: base_mu: is in the file, and mu=0.5"),
    ],
)
def test_a_wrong_parameter_is_one_clear_line(parameter: str, line: str) -> None:
    process = start_plant(*parameter.split())
    out, _ = process.communicate(timeout=60.0)
    assert process.returncode == 2
    assert out.splitlines()[-1].startswith(line)
    assert "Traceback" not in out


def test_a_parameter_of_another_node_is_a_warning_and_a_change_of_it_is_refused(
    observer: Observer,
) -> None:
    plant = start_plant("publish_rat:=3", name="warned")
    change = Parameter("state_prt", value=3).to_parameter_msg()
    answer = observer.call(SetParameters, "/warned/set_parameters", parameters=[change])
    [result] = answer.results
    assert not result.successful
    assert result.reason == "state_prt: no such parameter; did you mean state_port?"
    code, out = stop(plant)
    assert code == 0
    assert (
        "publish_rat=3: this node has no such parameter; ignored; did you mean publish_rate?" in out
    )


def test_frames_carry_the_prefix(observer: Observer) -> None:
    plant = start_plant("frame_prefix:=car_1/", name="prefixed")
    odometry = observer.listen(Odometry, "/prefixed/odom")
    observer.wait(lambda: len(odometry) > 2)
    stop(plant)
    frames = (odometry[-1].header.frame_id, odometry[-1].child_frame_id)
    assert frames == ("car_1/map", "car_1/base_link")


def test_a_taken_port_is_one_clear_line() -> None:
    holder = PlainClient()
    port = holder.port
    process = start_plant(f"cmd_port:={port}")
    out, _ = process.communicate(timeout=60.0)
    holder.close()
    assert process.returncode == 1
    assert f"plant: cmd_port={port}: is taken on 127.0.0.1" in out


def test_a_fleet_has_topics_of_its_own(observer: Observer, tmp_path: Any) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text("vehicles: [{vehicle_id: 1}, {vehicle_id: 2, start: {x_m: 9.0}}]\n")
    plant = start_plant(f"vehicles:={path}", name="fleet")
    first = observer.listen(Odometry, "/fleet/vehicle_1/odom")
    second = observer.listen(Odometry, "/fleet/vehicle_2/odom")
    observer.wait(lambda: bool(second) and bool(first))
    assert second[-1].pose.pose.position.x == pytest.approx(9.0)

    moved = {"use_initial": True, "x_m": 30.0}
    for values, reason in (
        ({"vehicle_id": 2}, "vehicle_id=2: needs all: false; all: true (the default) is every "),
        ({"vehicle_id": 2, "all": True}, "vehicle_id=2: needs all: false"),
        ({"vehicle_id": 9}, "vehicle_id=9: needs all: false"),
        ({"vehicle_id": 9, "all": False}, "vehicle_id=9: must be one of 1, 2"),
    ):
        refused = observer.call(ResetPlant, "/fleet/reset", **moved, **values)
        assert not refused.success
        assert refused.reason.startswith(reason)
    assert observer.call(ResetPlant, "/fleet/reset", **moved, all=False, vehicle_id=2).success
    seen = len(first)
    observer.wait(lambda: second[-1].pose.pose.position.x > 29.0 and len(first) > seen + 5)
    assert max(message.pose.pose.position.x for message in first) < 1.0, "refused or not meant"
    assert observer.call(ResetPlant, "/fleet/reset", **moved).success
    observer.wait(lambda: first[-1].pose.pose.position.x > 29.0)
    stop(plant)


def test_the_shipped_parameters_are_the_defaults() -> None:
    parameters = yaml.safe_load(SHIPPED.read_text())["/**"]["ros__parameters"]
    given = {name: value for name, value in parameters.items() if name not in OWN}
    of_process = {PARAMETER_SERVICES: AUTO, DATA_GROWTH: DATA_GROWTH_MB}
    assert {f"process.{name}": v for name, v in parameters["process"].items()} == of_process
    said = {k: v for k, v in given.items() if v != "" and k != "tick_rate"}
    assert said.pop("mu") == flat().base_mu
    assert server_settings(said) == server_settings({})
    options = {option.name for option in OPTIONS} | {"vehicle", "tyre"}
    assert set(given) == options - {"state_to", "allow_from"}
    # The default mu is not one that was given: a ground file may state its own.
    parameters = ("cmd_port:=0", "ground:=dry")
    process = start_plant(*parameters, name="shipped", files=[str(SHIPPED)])
    assert command_port_of(process) > 0
    assert stop(process)[0] == 0
