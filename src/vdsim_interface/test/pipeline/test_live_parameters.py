"""What may change while the interface is active takes effect: as if it had been so from the start.

Every such parameter is tried in a drive that depends on it, which shows in that drive being another
one with the parameter's other value.
"""

from collections.abc import Callable
from typing import Any

import pytest
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.parameters.flat import changed, from_flat
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.values import (
    Applied,
    Gear,
    HighLevelCommand,
    Mode,
    StateCommand,
    VehicleCommand,
)
from vdsim_interface_kit.interface import Drive, tracking_of
from vdsim_interface_kit.live_parameters import LIVE, other_value

BASE: dict[str, object] = {
    "safety.auto_engage": True,
    "vehicle.rear_wheel_angle_max_rad": 0.2,
    # The fake car keeps the wheelbase that it was made with, and its yaw rate shows it.
    "vehicle.curvature_correction": False,
    "controller.reference_lead_max_mps": 0.3,
    "controller.ki_1ps2": 2.0,
    "controller.integral_max_mps2": 0.1,
    "controller.decel_max_mps2": 2.8,
    "controller.output_brake_max_mps2": 4.0,
    "safety.hold_park_after_s": 6.0,
    "safety.steer_lead_max_rad": 0.05,
    "safety.steer_rate_speeds_mps": (0.0, 4.0, 8.0, 30.0),
    "tracking.window_s": 1.0,
}
"""Chosen so that no bound is hidden behind another."""
DOWNHILL_RAD = -0.05
SETTLED_S = 0.5
"""After this the car's brake is where it is while nobody drives, whatever held it before."""


def aim(drive: Drive, seconds: float, speed_mps: float, curvature_1pm: float = 0.0) -> None:
    drive.run(seconds, HighLevelCommand(0.0, speed_mps, curvature_1pm))


def push(drive: Drive, seconds: float, accel_mps2: float, front_rad: float = 0.0) -> None:
    drive.run(seconds, VehicleCommand(0.0, accel_mps2, front_rad, 0.5 * front_rad))


def controlled(drive: Drive) -> None:
    """Speed up, round a bend, stop, and back, slowly; stop again."""
    aim(drive, 6.0, 8.0)
    aim(drive, 1.0, 7.9, 0.02)
    aim(drive, 5.0, 0.0)
    aim(drive, 3.0, -0.8)
    aim(drive, 1.0, 0.0)


def limited(drive: Drive) -> None:
    """Ask for more than is allowed: pedal, wheel, brake; then nothing, until the car stands."""
    push(drive, 2.0, 9.0)
    push(drive, 0.5, 0.0, 0.5)
    push(drive, 3.0, 9.0)
    push(drive, 0.5, -9.0)
    push(drive, 2.0, 9.0)
    push(drive, 1.0, 0.0, 0.5)
    push(drive, 1.0, 0.0, -0.5)
    drive.run(6.0)
    push(drive, 2.0, 0.0)


def shaken(drive: Drive) -> None:
    """Pedal and wheel go to and fro, first widely, then hardly."""
    push(drive, 4.0, 2.0)
    for accel, angle in ((0.8, 0.05), (0.22, 0.009), (0.8, 0.05)):
        for turn_n in range(30):
            sign = (-1) ** turn_n
            push(drive, 0.05, sign * accel, sign * angle)
        push(drive, 0.7, 0.0)


def shifted(drive: Drive) -> None:
    """Roll out; ask for the other gear a little too early, stop, ask for the first one again."""
    push(drive, 1.0, 0.35)
    for _ in range(80):
        push(drive, 0.02, -0.8)
        if drive.speed < 0.15:
            break
    push(drive, 0.3, 0.0)
    push(drive, 1.0, 0.35)
    push(drive, 1.0, 0.5)
    for _ in range(80):
        push(drive, 0.02, -0.8)
        if drive.speed < 0.27:
            break
    drive.heard(
        drive.pipeline.safety_side.on_state_command(StateCommand(gear=Gear.REVERSE), drive.now)
    )
    push(drive, 2.0, -0.8)
    push(drive, 3.0, 0.8)
    push(drive, 0.5, 0.25)
    push(drive, 1.0, 0.5)


def unheard(drive: Drive) -> None:
    """The vehicle is silent twice, for a little and for longer; then it does not become ready."""
    push(drive, 2.0, 1.0)
    for silence_s in (0.09, 0.9):
        drive.platform.muted = True
        push(drive, silence_s, 1.0)
        drive.platform.muted = False
        push(drive, 0.5, 1.0)


def seldom(drive: Drive) -> None:
    """The vehicle reports five times a second, then as often as it should."""
    for _ in range(8):
        drive.platform.muted = True
        push(drive, 0.19, 1.0)
        drive.platform.muted = False
        push(drive, 0.01, 1.0)
    push(drive, 2.0, 1.0)


def deserted(drive: Drive) -> None:
    """Commands end; they come back when the car has stood for a while."""
    push(drive, 2.0, 1.0)
    drive.run(5.0)
    push(drive, 1.0, 1.0)


def halted(drive: Drive) -> None:
    """The stack stops the car and holds it for long."""
    push(drive, 1.0, 1.0)
    push(drive, 10.0, -1.0)


def uncommanded(drive: Drive) -> None:
    """Autonomy is asked for, and no command comes."""
    drive.heard(
        drive.pipeline.safety_side.on_state_command(StateCommand(mode=Mode.AUTONOMOUS), drive.now)
    )
    drive.run(4.0)


def unable(drive: Drive) -> None:
    """The vehicle reports for long that its wheels do not turn."""
    push(drive, 2.0, 1.0)
    drive.platform.altered = {"applied": Applied(front_wheel_angle_rad=0.4, long_accel_mps2=0.0)}
    push(drive, 6.0, 1.0, 0.07)


def unfaithful(drive: Drive) -> None:
    """The vehicle reports applied values that differ a little from the command."""
    push(drive, 2.0, 1.0)
    drive.platform.altered = {"applied": Applied(front_wheel_angle_rad=0.0, long_accel_mps2=-0.2)}
    push(drive, 1.5, 1.0, 0.07)


DRIVES: dict[str, Callable[[Drive], None]] = {
    "controller.": controlled,
    "vehicle.": controlled,
    "safety.": limited,
    "safety.oscillation": shaken,
    "safety.standstill_speed": shifted,
    "safety.gear_change": shifted,
    "safety.shift": shifted,
    "safety.auto_gear": shifted,
    "safety.report_timeout": unheard,
    "safety.link_lost": unheard,
    "safety.engage_timeout": uncommanded,
    "safety.engage_hold_off": seldom,
    "safety.command_lost": deserted,
    "safety.stop_park": deserted,
    "safety.hold_park": halted,
    "tracking.": unfaithful,
    "tracking.lost": unable,
}


def drive_of(name: str) -> Callable[[Drive], None]:
    return DRIVES[max((start for start in DRIVES if name.startswith(start)), key=len)]


def driven(name: str, before: dict[str, object], after: dict[str, object]) -> list[Any]:
    """All that a drive says, with parameters that change while the interface is active."""
    parameters = from_flat(InterfaceParameters, {**BASE, **before})
    way = drive_of(name)
    level = "high_level" if way is controlled else "vehicle"
    parts = {part: getattr(parameters, part) for part in ("controller", "safety", "vehicle")}
    fake = FakeParameters(slope_rad=DOWNHILL_RAD if way is controlled else 0.0)
    drive = Drive(level, fake=fake, tracking=parameters.tracking, **parts)
    drive.run(0.01)
    drive.parameters = changed(drive.parameters, after, active=True)
    drive.pipeline.configure(drive.parameters)
    drive.run(SETTLED_S)
    drive.outputs.clear()
    drive.notices.clear()
    way(drive)
    said: list[Any] = [(output.sent.command, output.sent.changes) for output in drive.outputs]
    return [*said, drive.notices, tracking_of(drive).estimates(drive.parameters)]


@pytest.mark.parametrize("name", sorted(set(LIVE) - {"control_command"}))
def test_a_change_while_active_is_as_good_as_one_before(name: str) -> None:
    base = from_flat(InterfaceParameters, BASE)
    value = {name: other_value(base, name)}
    plain = driven(name, {}, {})
    from_the_start = driven(name, value, {})
    assert from_the_start != plain, f"the drive does not depend on {name}"
    assert driven(name, {}, value) == from_the_start
