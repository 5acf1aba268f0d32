"""The brake as an acceleration, as the platforms understand it."""

import pytest
from vdsim_interface.extras.contract.subject import Subject, command
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.vds1 import SPEC
from vdsim_interface.values import BodyCommand, Gear, braking_accel

DECEL_MPS2 = 2.5
SPEEDS_MPS = (-1.0, -0.11, -0.1, -1e-40, 0.0, 0.11, 1.0)
CASES = {
    Gear.DRIVE: (-2.5,) * 7,
    Gear.LOW: (-2.5,) * 7,
    Gear.REVERSE: (2.5,) * 7,
    Gear.PARK: (2.5, 2.5, -2.5, -2.5, -2.5, -2.5, -2.5),
    Gear.NEUTRAL: (2.5, 2.5, -2.5, -2.5, -2.5, -2.5, -2.5),
}


@pytest.mark.parametrize("gear", Gear)
def test_the_gear_says_which_way_is_the_brake(gear: Gear) -> None:
    given = tuple(braking_accel(gear, speed, DECEL_MPS2) for speed in SPEEDS_MPS)
    assert given == CASES[gear]


@pytest.mark.parametrize("gear", Gear)
def test_it_is_brake_and_never_throttle_on_the_wire(gear: Gear) -> None:
    for speed_mps in SPEEDS_MPS:
        subject = Subject(SPEC)
        report = subject.report(PeerMotion(speed_mps))
        accel = braking_accel(gear, report.velocity_mps, DECEL_MPS2)
        wire = subject.platform.encode(command(accel, 0.0, BodyCommand(gear)), subject.now).wire
        assert wire is not None
        assert wire.throttle == 0.0, speed_mps
        assert wire.brake > 0.0, speed_mps
