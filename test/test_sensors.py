"""Sensors reach the stack: from the simulated car over its wire, in one node and guarded."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from sensor_msgs.msg import Imu, NavSatFix, NavSatStatus
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.launched import Launched
from vdsim_kit.morai_ports import port_files
from vdsim_kit.ports import free_ports
from vdsim_kit.processes import end, start

from vdsim_msgs.msg import (
    Capabilities,
    Capability,
    MoraiEgoVehicleStatus,
    TyreStates,
    WheelSpeeds,
)

COMPOSITIONS = ("single", "guarded", "container", "processes")
SPEED_MPS = 5.0


class Receiver(Stack):
    """A stack that keeps the newest message of every topic that it asks for."""

    def __init__(self, namespace: str) -> None:
        super().__init__(namespace)
        self._space = namespace
        self.newest: dict[str, Any] = {}
        self.lines: dict[str, Any] = {}
        self.listen(DiagnosticArray, "/diagnostics", self._on_diagnostics)

    def subscribe(self, kind: Any, topic: str) -> None:
        """Keep the newest message of a topic."""
        name = f"{self._space}/{topic}"
        self.listen(kind, name, lambda message: self.newest.__setitem__(topic, message))

    def newest_of(self, kind: Any, topic: str) -> Any:
        """Subscribe, and wait for a message that comes from now on."""
        self.subscribe(kind, topic)
        self.wait(lambda: topic in self.newest, topic)
        return self.newest[topic]

    def late_capabilities(self) -> dict[str, int]:
        """What a subscriber that joins now receives at once: `command.gear` and so on -> source."""
        found = self.latched(Capabilities, f"{self._space}/capabilities")
        groups = {"command": found.commands, "state": found.states, "sensor": found.sensors}
        self.newest["capabilities"] = found
        return {f"{key}.{item.name}": item.source for key in groups for item in groups[key]}

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for line in message.status:
            if line.name.startswith(f"{self._space}/"):
                self.lines[line.name.partition(": ")[2]] = line


@contextmanager
def simulated_car(composition: str, folder: Path) -> Iterator[Receiver]:
    """The plant's process, the interface, a VDS1 link; the car drives."""
    command_port, state_port = free_ports(2)
    namespace = f"/sensors_{composition}"
    plant_file = folder / "plant.yaml"
    plant_file.write_text("/**: {ros__parameters: {charge: 0.4}}", encoding="utf-8")
    launch = Launched(
        folder,
        "vdsim",
        composition=composition,
        namespace=namespace,
        plant_namespace=f"{namespace}_plant",
        plant_port=command_port,
        state_port=state_port,
        auto_engage="true",
        dashboard="off",
        plant_params_file=plant_file,
    )
    stack = Receiver(namespace)
    try:
        stack.drive(SPEED_MPS)
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
        stack.wait(lambda: stack.speed > 0.9 * SPEED_MPS, "speed")
        yield stack
    except AssertionError as error:
        raise AssertionError(f"{error}\n{launch.output}") from error
    finally:
        stack.close()
        launch.end()


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_the_simulated_cars_sensors_arrive(composition: str, tmp_path: Path) -> None:
    """[VI-2.1 on vds1] Wheel speeds, GNSS, tyres and IMU, and which of them is real."""
    with simulated_car(composition, tmp_path) as stack:
        wheels = stack.newest_of(WheelSpeeds, "sensors/wheel_speeds")
        assert wheels.header.frame_id == "base_link"
        assert wheels.header.stamp.sec > 0
        for spin_radps in (
            wheels.front_left_radps,
            wheels.front_right_radps,
            wheels.rear_left_radps,
            wheels.rear_right_radps,
        ):
            assert spin_radps * wheels.radius_m == pytest.approx(SPEED_MPS, abs=1.0)
        fix = stack.newest_of(NavSatFix, "sensors/gnss")
        assert fix.status.status == NavSatStatus.STATUS_FIX
        assert fix.position_covariance_type == NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN
        assert fix.longitude > 0.0, "the car drives east of the origin"
        assert math.isnan(fix.altitude), "VDS1 has no measured height"
        tyres = stack.newest_of(TyreStates, "sensors/tyres")
        assert sum(tyres.vertical_force_n) > 5000.0
        imu = stack.newest_of(Imu, "imu")
        assert min(imu.angular_velocity_covariance[0], imu.orientation_covariance[0]) > 0.0

        sources = stack.late_capabilities()
        assert "VDS1 version" in stack.newest["capabilities"].wire
        for name in ("command.headlight", "state.headlight", "state.horn", "state.fuel"):
            assert sources[name] == Capability.MODELLED, name
        for name in ("command.gear", "state.velocity", "sensor.gnss", "sensor.wheel_speeds"):
            assert sources[name] == Capability.VEHICLE, name
        assert sources["sensor.battery"] == Capability.ABSENT
        assert stack.state is not None
        assert stack.state.fuel == 40, "no wire carries it; the charge at the start is known"
        stack.wait(lambda: "sensor wheel_speeds" in stack.lines, "its line in /diagnostics")
        stack.wait(lambda: "capabilities" in stack.lines, "the line of the capabilities")
        modelled = {pair.key: pair.value for pair in stack.lines["capabilities"].values}
        assert modelled["state.horn"] == "modelled"


@contextmanager
def emulated_simulator(composition: str, folder: Path) -> Iterator[Receiver]:
    """The MORAI emulator's process and the interface; the car drives."""
    scene, bridge, ports = port_files(folder)
    namespace = f"/sensors_morai_{composition}"
    run = ["ros2", "run", "vdsim_plant_node", "morai_emulator"]
    emulator = start([*run, "--scene", str(scene), "--generation", "5"])
    launch = Launched(
        folder,
        "morai",
        emulator="false",
        composition=composition,
        namespace=namespace,
        auto_engage="true",
        control_port=ports.control,
        status_port=ports.status,
        morai_params_file=bridge,
    )
    stack = Receiver(namespace)
    try:
        stack.drive(SPEED_MPS)
        stack.wait(lambda: stack.speed > 0.9 * SPEED_MPS, "speed")
        yield stack
    except AssertionError as error:
        raise AssertionError(f"{error}\n{launch.output}") from error
    finally:
        stack.close()
        launch.end()
        end(emulator)


@pytest.mark.parametrize("composition", ["single", "guarded"])
def test_the_simulators_sensors_arrive(composition: str, tmp_path: Path) -> None:
    """[VI-2.1 on morai] Position as a fix, and the whole Ego Vehicle Status."""
    with emulated_simulator(composition, tmp_path) as stack:
        fix = stack.newest_of(NavSatFix, "sensors/gnss")
        assert fix.status.status == NavSatStatus.STATUS_FIX
        assert math.isfinite(fix.altitude)
        status = stack.newest_of(MoraiEgoVehicleStatus, "ego_vehicle_status")
        assert status.generation == 5
        assert status.header.frame_id == "odom"
        assert status.signed_velocity_mps == pytest.approx(SPEED_MPS, abs=1.0)
        assert status.ctrl_mode == MoraiEgoVehicleStatus.CTRL_AUTO
        assert min(status.size_m) > 0.5
        assert status.wheelbase_m > 1.0

        sources = stack.late_capabilities()
        assert "generation 5" in stack.newest["capabilities"].wire
        assert sources["state.gear"] == Capability.VEHICLE
        assert sources["command.blinker"] == Capability.VEHICLE
        assert sources["state.blinker"] == Capability.MODELLED
        assert sources["sensor.gnss"] == Capability.MODELLED
        assert sources["sensor.wheel_speeds"] == Capability.ABSENT
