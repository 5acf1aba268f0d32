"""The safety stage as a whole: limits, oscillation, what its output is made of."""

from collections.abc import Callable

import pytest
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import CabinState, VehicleCommand
from vdsim_interface_kit.safety_stage import GO, Bench


def test_oscillation_is_reported_and_smoothed() -> None:
    """[VI-3.1]"""
    bench = Bench().engage()
    bench.speed = 5.0
    outputs = []
    for n in range(300):
        command = VehicleCommand(0.0, 1.0 if n % 10 < 5 else -1.0, 0.0, 0.0)
        outputs.append(bench.step(command).command.vehicle.long_accel_mps2)
    assert "high_frequency" in bench.kinds()
    assert max(outputs[:40]) - min(outputs[:40]) > 0.8
    assert max(outputs[200:]) - min(outputs[200:]) < 0.3
    assert bench.step(GO, 150).command.vehicle.long_accel_mps2 == pytest.approx(1.0)


def lose_the_link(bench: Bench) -> None:
    bench.reports_come = False


def open_a_door(bench: Bench) -> None:
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)


@pytest.mark.parametrize(
    ("cause", "commands_continue"),
    [(lose_the_link, True), (open_a_door, True), (lambda bench: None, False)],
    ids=["link", "door", "silence"],
)
def test_no_stop_is_smoothed_because_the_command_oscillates(
    cause: Callable[[Bench], None], commands_continue: bool
) -> None:
    stops = []
    for swing_mps2 in (0.0, 0.6):
        bench = Bench(link_lost_s=60.0).engage()
        bench.speed = 10.0
        for n in range(600):
            sign = 1.0 if n % 10 < 5 else -1.0
            if n == 300:
                assert ("high_frequency" in bench.kinds()) is (swing_mps2 > 0.0)
                cause(bench)
            command = VehicleCommand(0.0, sign * swing_mps2, 0.0, 0.0)
            bench.step(command if n < 300 or commands_continue else None)
        assert bench.output is not None
        stops.append(bench.output.command.vehicle.long_accel_mps2)
    assert stops == [-2.5, -2.5]


def test_what_oscillated_before_engaging_does_not_count() -> None:
    bench = Bench()
    for n in range(100):
        bench.step(VehicleCommand(0.0, 1.0 if n % 10 < 5 else -1.0, 0.0, 0.0))
    bench.engage()
    bench.step(GO, 5)
    assert "high_frequency" not in bench.kinds()


def test_new_limits_hold_from_the_next_step() -> None:
    bench = Bench().engage()
    bench.speed = 5.0
    bench.step(GO, 50)
    limits = SafetyParameters(accel_max_mps2=0.4, brake_jerk_max_mps3=1000.0)
    bench.safety.use_limits(limits, VehicleGeometry())
    assert bench.step(GO).command.vehicle.long_accel_mps2 == pytest.approx(0.4)
    bench.safety.use_limits(limits, VehicleGeometry(front_wheel_angle_max_rad=0.02))
    assert bench.step(GO).command.vehicle.front_wheel_angle_rad == pytest.approx(0.02)


def test_every_output_is_float32() -> None:
    """What passes between stages is what the messages can carry."""
    bench = Bench().engage()
    bench.speed = 5.0
    bench.step(VehicleCommand(0.0, 0.1, 0.0123456789, 0.0), 30)
    assert bench.output is not None
    angle = bench.output.command.vehicle.front_wheel_angle_rad
    assert angle != 0.0123456789
    assert angle == pytest.approx(0.0123456789, rel=1e-7)


@pytest.mark.parametrize(("speed", "held"), [(0.1, True), (-0.1, True), (0.101, False)])
def test_standing_is_at_most_the_standstill_speed(speed: float, held: bool) -> None:
    bench = Bench().engage(VehicleCommand(0.0))
    bench.speed = speed
    accel = bench.step(VehicleCommand(0.0)).command.vehicle.long_accel_mps2
    assert (accel == -2.0) is held


@pytest.mark.parametrize("command", [GO, None])
def test_what_the_vehicle_side_decides_stays_at_its_default(command: VehicleCommand | None) -> None:
    bench = Bench().engage()
    given = bench.step(command, 60).command
    fields = (given.hold_mps2, given.past_map, given.no_drive, given.engage_wanted)
    assert fields == (0.0, False, False, False)
