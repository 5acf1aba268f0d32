from vdsim_interface.safety.intervention_counts import Tally
from vdsim_interface.values import Change, ReportKind

A = Change(ReportKind.RANGE, "long_accel_mps2", 9.0, 3.0)
B = Change(ReportKind.RATE, "front_wheel_angle_rad", 0.4, 0.1)
C = Change(ReportKind.RANGE, "front_wheel_angle_rad", 0.9, 0.5)


def test_a_rule_is_told_when_it_begins_to_act() -> None:
    tally = Tally()
    assert not tally.is_acting
    assert [r.text for r in tally.step((A, C))] == [
        "acceleration 9 -> 3 m/s2: it is outside the car's range"
    ]
    assert tally.step((A,)) == ()
    assert tally.is_acting
    assert [r.kind for r in tally.step((C, B))] == [ReportKind.RATE]
    assert tally.step(()) == ()
    assert tally.active == ()
    assert not tally.is_acting
    assert [r.kind for r in tally.step((A,))] == [ReportKind.RANGE]


def test_periods_and_events_are_counted() -> None:
    tally = Tally()
    tally.step((A, C))
    tally.step((A, B))
    tally.event(ReportKind.MODE_CHANGED)
    tally.event(ReportKind.MODE_CHANGED)
    assert dict(tally.counts) == {
        ReportKind.RANGE: 2,
        ReportKind.RATE: 1,
        ReportKind.MODE_CHANGED: 2,
    }
    assert tally.active == (ReportKind.RANGE, ReportKind.RATE)
    tally.step(())
    tally.step(())
    assert dict(tally.counts)[ReportKind.RANGE] == 2
