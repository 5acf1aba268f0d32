"""The brake of a car that is about to stand, against a car that moves along one line."""

from vdsim_interface.longitudinal.standing_brake import StandingBrake

DT_S = 0.01


def rolled_s(brake: StandingBrake, pull: float, share: float) -> float:
    """For how long a car rolls, from 0.13 m/s, whose brake gives this share of what is sent."""
    speed, effort, time_s = 0.13, -1.1 * pull, 0.0
    while speed > 0.0 and time_s < 10.0:
        effort = brake.effort(effort, pull, speed, -0.6, DT_S, is_new=False)
        speed += (pull + share * effort) * DT_S
        time_s += DT_S
    return time_s


def test_a_weak_brake_brings_the_car_to_rest_on_a_hill() -> None:
    # With nine tenths of the brake the tenth that a soft end has beyond the slope is used up.
    assert rolled_s(StandingBrake(2.0), pull=2.4, share=0.9) < 2.6


def test_a_brake_that_gives_what_is_sent_ends_softly() -> None:
    for pull in (0.0, 0.5, 2.4):
        brake = StandingBrake(2.0)
        assert rolled_s(brake, pull, share=1.0) < 1.5
        assert brake.more_mps2 == 0.0
