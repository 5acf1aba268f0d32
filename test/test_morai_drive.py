"""MORAI's messages end to end: launch file, emulator, interface, bridge; all are exchanged."""

from __future__ import annotations

import atexit
import math
import os
import shutil
import signal
import socket
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, ClassVar

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import TwistStamped
from launch_ros.actions import Node
from sensor_msgs.msg import Imu, NavSatFix
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.endpoints import refused_in
from vdsim_kit.launch import shipped
from vdsim_kit.morai_ports import port_files
from vdsim_kit.spinning import PATIENCE_S, SpinningNode
from vdsim_plant_node.morai.signals import INTERSECTION, LIGHT_NAME

from launch import LaunchDescription
from vdsim_msgs import msg, srv

PORTS: dict[str, int] = {}
GPS_LINE = "/morai_bridge: GPS"


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    folder = Path(tempfile.mkdtemp(prefix="vdsim_morai_"))
    atexit.register(shutil.rmtree, folder)
    scene, bridge, ports = port_files(folder, "24.R2")
    PORTS.update(vars(ports))
    emulator = Node(
        package="vdsim_plant_node",
        executable="morai_emulator",
        arguments=["--scene", str(scene)],
        respawn=True,
        respawn_delay=5.0,  # a stalled test must see that it is gone
    )
    interface = shipped(
        "morai",
        emulator="false",
        auto_engage="true",
        release="24.R2",
        control_port=ports.control,
        status_port=ports.status,
        morai_params_file=bridge,
    )
    description = LaunchDescription([emulator, interface, launch_testing.actions.ReadyToTest()])
    return description, {"emulator": emulator}


class Messages(SpinningNode):
    """The newest message of every topic of the bridge, and its services."""

    TOPICS: ClassVar[dict[str, type]] = {
        "objects": msg.MoraiObjects,
        "collisions": msg.MoraiCollisions,
        "npc_collisions": msg.MoraiNpcCollisions,
        "traffic_light": msg.MoraiTrafficLight,
        "intersection": msg.MoraiIntersection,
        "imu": Imu,
        "gps": NavSatFix,
        "gps_velocity": TwistStamped,
    }

    def __init__(self) -> None:
        super().__init__("test_morai")
        self.newest: dict[str, Any] = {}
        for name, kind in self.TOPICS.items():
            self._node.create_subscription(kind, f"/morai/{name}", self._keep(name), 10)
        self.lines: dict[str, Any] = {}
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._keep_lines, 10)

    def _keep_lines(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.lines[status.name] = status

    def _keep(self, name: str) -> Any:
        return lambda message: self.newest.__setitem__(name, message)

    def _known(self) -> str:
        return f"received {set(self.newest)}"

    def call(self, kind: Any, name: str, **fields: Any) -> Any:
        return super().call(kind, f"/morai/{name}", **fields)

    def order(self, kind: Any, name: str, **fields: Any) -> None:
        answer = self.call(kind, name, **fields)
        assert answer.success, answer.reason
        assert not self.call(kind, name, **fields, check=5).success


class TestMorai(unittest.TestCase):
    """One drive; the methods are its stages, run in the order of their names."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = Stack()
        cls.morai = Messages()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()
        cls.morai.close()

    def test_1_the_interface_drives_the_simulators_car(self) -> None:
        """[VI-4.1 on morai] [VI-4.2 on morai] [VI-4.3.1 on morai]"""
        stack = self.stack
        stack.drive(6.0, 0.02)
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
        stack.wait(lambda: abs(stack.speed - 6.0) < 0.3, "6 m/s")
        assert stack.odometry is not None
        assert stack.odometry.front_wheel_angle_rad == pytest.approx(0.02 * 2.97, abs=0.005)

    def test_2_every_message_of_the_simulator_is_on_its_topic(self) -> None:
        newest = self.morai.newest
        self.morai.wait(lambda: set(newest) == set(Messages.TOPICS), "a message on every topic")
        kinds = {one.object_type for one in newest["objects"].objects}
        assert kinds == {0, 1, 2}
        assert newest["objects"].header.frame_id == "odom"
        driving = [one for one in newest["objects"].objects if one.object_id == 1]
        assert driving[0].vx_mps == pytest.approx(8.0, abs=0.01)
        assert newest["traffic_light"].index == LIGHT_NAME
        assert newest["intersection"].index == INTERSECTION
        self.morai.wait(lambda: bool(newest["npc_collisions"].collisions), "two NPCs that touch")
        pair = newest["npc_collisions"].collisions[0]
        assert {pair.first.object_id, pair.second.object_id} == {2, 3}
        assert newest["objects"].time.sec + newest["objects"].time.nanosec > 0, "24.R2 has a stamp"
        force = newest["imu"].linear_acceleration
        assert force.z == pytest.approx(9.8, abs=0.5)
        assert newest["imu"].header.frame_id == "imu"
        fix = newest["gps"]
        assert (fix.latitude, fix.longitude) == pytest.approx((37.24, 126.77), abs=0.02)
        velocity = newest["gps_velocity"].twist.linear
        assert math.isfinite(math.hypot(velocity.x, velocity.y))

    def test_2b_every_drop_is_in_the_diagnostics_with_its_reason_and_sender(self) -> None:
        """Another layout, and junk, on the ports of messages that go on arriving."""
        lines = self.morai.lines
        name = "/morai_bridge: Collision Data"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stray:
            stray.bind(("127.0.0.1", 0))
            sender = f"127.0.0.1:{stray.getsockname()[1]}"

            def named() -> bool:
                """A datagram may be lost, and a line lasts a second: send until it is there."""
                stray.sendto(b"junk", ("127.0.0.1", PORTS["collisions"]))
                return name in lines and sender in lines[name].message

            self.morai.wait(named, "the line of the drops")
        values = {pair.key: pair.value for pair in lines[name].values}
        assert lines[name].level == DiagnosticStatus.WARN
        assert int(float(values["rejected_identifier"])) >= 1
        assert "rejected_identifier" not in {pair.key for pair in lines[GPS_LINE].values}

    def test_3_lights_and_intersections_can_be_set(self) -> None:
        newest, order = self.morai.newest, self.morai.order
        both = msg.MoraiTrafficLight.GREEN | msg.MoraiTrafficLight.LEFT
        order(srv.MoraiSetTrafficLight, "set_traffic_light", index=LIGHT_NAME, lamps=both)
        self.morai.wait(lambda: newest["traffic_light"].lamps == both, "the lamps that were set")
        before = newest["intersection"].status
        target = (before + 2) % 4
        order(srv.MoraiSetIntersection, "set_intersection", index=INTERSECTION, status=target)
        self.morai.wait(lambda: newest["intersection"].status == target, "the state that was set")

    def test_4_egos_are_placed_and_a_box_is_hit(self) -> None:
        newest = self.morai.newest
        own = msg.MoraiEgo(index=0, x_m=120.0, y_m=8.0, yaw_rad=0.0)
        other = msg.MoraiEgo(index=1, x_m=140.0, y_m=8.0, gear=msg.MoraiEgo.GEAR_PARK)
        self.morai.order(srv.MoraiSetEgos, "set_egos", egos=[own, other])
        self.morai.wait(lambda: bool(newest["collisions"].collisions), "a collision")
        (hit,) = newest["collisions"].collisions[:1]
        assert (hit.object_type, hit.x_m, hit.y_m) == (2, 120.0, 8.0)
        self.morai.wait(
            lambda: any(one.object_type == -1 for one in newest["objects"].objects), "another ego"
        )

    def test_4b_ghosts_are_put_into_the_scene(self) -> None:
        ghost = msg.MoraiNpcGhost(id=3, car_name="2015_Kia_K5", x_m=130.0, y_m=8.0)
        self.morai.order(srv.MoraiSetNpcGhosts, "set_npc_ghosts", ghosts=[ghost])
        newest = self.morai.newest
        self.morai.wait(
            lambda: any(one.object_id == 203 for one in newest["objects"].objects), "the ghost"
        )
        answer = self.morai.call(
            srv.MoraiSetNpcGhosts, "set_npc_ghosts", ghosts=[msg.MoraiNpcGhost(car_name="x" * 26)]
        )
        assert "car_name=" in answer.reason
        self.morai.order(srv.MoraiSetEgoGhost, "set_ego_ghost", x_m=125.0, y_m=9.0, yaw_rad=0.5)

    def test_5_a_value_that_cannot_be_sent_is_refused_with_its_name(self) -> None:
        answer = self.morai.call(
            srv.MoraiSetTrafficLight, "set_traffic_light", index="a name that is too long"
        )
        assert not answer.success
        assert "index=" in answer.reason
        answer = self.morai.call(srv.MoraiSetLamps, "set_lamps", turn=9)
        assert not answer.success
        assert "turn=9" in answer.reason

    def test_6_the_emulator_answers_what_has_no_status_message(self, proc_output, emulator) -> None:
        order = self.morai.order

        def expect_output(text: str) -> None:
            proc_output.assertWaitFor(text, process=emulator, timeout=PATIENCE_S, stream="stdout")

        order(srv.MoraiMoveSensor, "move_sensor", sensor_index=2, x_m=1.5, z_m=1.25)
        expect_output("sensor 2 to 1.5, 0, 1.25 m")
        order(srv.MoraiSaveSensorData, "save_sensor_data", file_name="one", file_dir="/data")
        expect_output("save sensor data as one in '/data'")
        order(srv.MoraiSetLamps, "set_lamps", turn=2, emergency=True)
        expect_output("lamps: turn signal 2, emergency 1")
        order(srv.MoraiLoadScenario, "load_scenario", file_name="town", load_npc=False)
        expect_output("scenario 'town' loaded")
        newest = self.morai.newest
        self.morai.wait(
            lambda: {one.object_type for one in newest["objects"].objects} == {0, 2},
            "a scene without vehicles",
        )

    def test_6b_enclaves_allow_every_node_what_it_opens(self) -> None:
        assert not refused_in(self.stack.node)

    def test_7_a_killed_simulator_is_noticed_and_its_return_too(self, proc_info, emulator) -> None:
        stack = self.stack
        os.kill(proc_info[emulator].pid, signal.SIGKILL)
        stack.wait(lambda: bool(stack.safety and not stack.safety.vehicle_link_ok), "the alarm")
        stack.wait(lambda: time.monotonic() - stack.odometry_s > 0.2, "no stale odometry")
        stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "its return")


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After Ctrl-C."""

    def test_the_nodes_end_cleanly(self, proc_info) -> None:
        for process in ("vehicle_guard", "guarded_interface", "morai_bridge"):
            launch_testing.asserts.assertExitCodes(proc_info, process=process)
