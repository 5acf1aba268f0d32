"""Processes that do not run for a while, reports that come late, a system clock that steps.

A car that reports 4 m/s whatever it receives keeps every packet, so that each can be checked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from vdsim_kit.compositions import CompositionProcesses
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.interface_processes import PATIENT
from vdsim_kit.wire_car import Sent, WireCar

from vdsim_msgs.msg import VehicleControlCommand, VehicleOdometry

PATIENCE_S = 60.0
SPEED_MPS = 4.0
STALL_S = 1.5
GO = VehicleControlCommand(long_accel_mps2=1.0)
STALLS = [
    ("single", "vehicle_interface"),
    ("container", "component_container"),
    ("guarded", "vehicle_guard"),
    ("guarded", "guarded_interface"),
    ("processes", "platform_interface"),
    ("processes", "low_pass_filter"),
]
"""A stopped safety stage: simulate/test/test_stalled_processes.py, and below."""


class Drive:
    """The processes, a car, and a stack that drives it."""

    def __init__(self, processes: CompositionProcesses) -> None:
        self.processes = processes
        self.car = WireCar(processes.command_port, processes.state_port, SPEED_MPS)
        self.stack = Stack(f"/{processes.namespace}", rate_hz=100.0)

    def engage(self) -> None:
        """Drive until packets with throttle leave."""
        stack = self.stack
        stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "the car")
        stack.command("vehicle_command", GO)
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomy")
        stack.wait(lambda: self.car.packets[-1].throttle > 0.0, "throttle")

    def new_packets(self, count: int) -> list[Sent]:
        """Packets that come from now on."""
        before_n = len(self.car.packets)
        self.stack.wait(lambda: len(self.car.packets) >= before_n + count, f"{count} packets")
        return self.car.packets[before_n:]

    def reason(self) -> str:
        """Why autonomy last ended."""
        return self.stack.safety.last_disengage_reason if self.stack.safety else ""

    def close(self) -> None:
        """End stack and car."""
        self.stack.close()
        self.car.close()


@contextmanager
def driving(composition: str, name: str, **parameters: object) -> Iterator[Drive]:
    with CompositionProcesses(composition, f"{composition}_{name}", **parameters) as processes:
        drive = Drive(processes)
        try:
            drive.engage()
            yield drive
        finally:
            drive.close()


def wait_for(holds: Callable[[], bool], what: str) -> None:
    """Wait for a fact that needs no ROS."""
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, f"waited for {what}"
        time.sleep(0.01)


@pytest.mark.parametrize(("composition", "stopped"), STALLS)
def test_a_command_that_waited_for_a_stopped_process_never_drives(
    composition: str, stopped: str
) -> None:
    """The planner dies while the process is stopped; its last commands wait in the queue."""
    with driving(composition, f"stop_{stopped}") as drive:
        drive.processes.freeze(stopped)
        drive.stack.spin(0.2)
        drive.stack.fall_silent()
        time.sleep(STALL_S)
        thawed_s = time.monotonic()
        drive.processes.thaw(stopped)
        log = drive.processes.log
        wait_for(lambda: "this process did not run for" in log(), "the notice")
        drive.new_packets(50)
        # It may have been stopped with one packet made and not yet sent: nothing can hold it back.
        after = [packet for packet in drive.car.packets if packet.made_s >= thawed_s]
        assert {packet.throttle for packet in after} == {0.0}
        assert after[-1].brake > 0.0
        if stopped in ("vehicle_interface", "component_container"):
            drive.stack.wait(lambda: "did not run for" in drive.reason(), "the reason")
        drive.stack.wait(lambda: drive.stack.mode != AUTONOMOUS or "low_pass" in stopped, "the end")
        drive.engage()


@pytest.mark.parametrize(
    ("composition", "stopped"),
    [
        ("single", "vehicle_interface"),
        ("guarded", "vehicle_guard"),
    ],
)
def test_reports_that_waited_for_a_stopped_process_are_not_published(
    composition: str, stopped: str
) -> None:
    """The kernel's queue keeps the oldest datagrams: those of a car that still drove.

    A platform stage reads it by the same port as the single node (ros/vehicle_port.py).
    """
    with driving(composition, f"queue_{stopped}") as drive:
        drive.processes.freeze(stopped)
        time.sleep(STALL_S)
        drive.car.drive_at(0.0)
        drive.stack.spin(STALL_S)  # whatever the process sent before has arrived
        speeds: list[float] = []
        drive.stack.listen(
            VehicleOdometry,
            f"/{drive.processes.namespace}/odometry",
            lambda message: speeds.append(message.velocity_mps),
        )
        drive.stack.spin(0.5)
        speeds.clear()
        drive.processes.thaw(stopped)
        drive.stack.wait(lambda: len(speeds) > 20, "odometry")
        # The process may have been stopped with one report read and not yet published.
        assert set(speeds[1:]) == {0.0}


def test_a_car_whose_safety_stage_is_frozen_is_parked_and_drives_again() -> None:
    """The platform stage sets hand brake and PARK, the safety stage releases them as its own."""
    with driving("processes", "parked") as drive:
        car, stack = drive.car, drive.stack
        drive.processes.freeze("safety_state_machine")
        wait_for(lambda: car.packets[-1].brake > 0.0, "the stop")
        car.drive_at(0.0)
        wait_for(lambda: car.packets[-1].handbrake, "hand brake and PARK")
        drive.processes.thaw("safety_state_machine")
        stack.wait(lambda: "did not run for" in drive.reason(), "the end of autonomy")
        stack.wait(
            lambda: car.packets[-1].throttle > 0.0 and not car.packets[-1].handbrake,
            "throttle without a hand brake",
        )


def test_reports_that_come_late_are_a_stop_with_that_reason() -> None:
    """In the other compositions: simulate/test/test_stalled_processes.py."""
    with driving("single", "late") as drive:
        drive.stack.spin(2.0)  # the link's usual offset is known
        drive.car.delay_s = 0.5
        stack = drive.stack
        stack.wait(lambda: "the vehicle's reports arrive 0." in drive.processes.log(), "the reason")
        stack.wait(lambda: bool(stack.safety and not stack.safety.vehicle_link_ok), "the stop")
        stack.wait(lambda: all(packet.brake > 0.0 for packet in drive.new_packets(20)), "braking")
        drive.car.delay_s = 0.0
        stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "the link again")
        stack.wait(lambda: drive.car.packets[-1].throttle > 0.0, "throttle again")


@pytest.mark.parametrize("composition", ["guarded", "processes"])
def test_a_step_of_the_system_clock_is_not_felt(composition: str) -> None:
    """Where processes exchange stamps; on virtual time, each composition: test_clock_steps.py."""
    with driving(composition, "clock", **PATIENT) as drive:
        stack = drive.stack
        before_n = len(drive.car.packets)
        for step_s in (-0.02, -60.0, 3600.0, 0.7):
            drive.processes.step_clock(step_s)
            ahead_s = drive.processes.ahead_s

            def follows(ahead_s: float = ahead_s) -> bool:
                stamp = stack.odometry.stamp if stack.odometry else None
                return stamp is not None and abs(stamp.sec - time.time() - ahead_s) < 10.0

            if abs(step_s) > 1.0:
                stack.wait(follows, "stamps that follow the clock")
            drive.new_packets(50)
        assert all(packet.throttle > 0.0 for packet in drive.car.packets[before_n:])
        assert stack.mode == AUTONOMOUS
        assert drive.reason() == ""
        assert "the system clock stepped by -0.020 s" in drive.processes.log()
