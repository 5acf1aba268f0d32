from vdsim_interface.safety.intervention_counts import InterventionCounts
from vdsim_interface.values import Change, NoticeKind, notice_kinds

RANGE = NoticeKind("range", why="it is outside the car's range")
A = Change(RANGE, "long_accel_mps2", 9.0, 3.0)
B = Change(NoticeKind("rate"), "front_wheel_angle_rad", 0.4, 0.1)
C = Change(RANGE, "front_wheel_angle_rad", 0.9, 0.5)


def test_a_rule_is_told_when_it_begins_to_act() -> None:
    tally = InterventionCounts()
    assert not tally.is_acting
    assert [r.text for r in tally.step((A, C))] == [
        "acceleration 9 -> 3 m/s2: it is outside the car's range"
    ]
    assert tally.step((A,)) == ()
    assert tally.is_acting
    assert [r.kind for r in tally.step((C, B))] == ["rate"]
    assert tally.step(()) == ()
    assert tally.active == ()
    assert not tally.is_acting
    assert [r.kind for r in tally.step((A,))] == ["range"]


def test_periods_and_events_are_counted() -> None:
    tally = InterventionCounts()
    tally.step((A, C))
    tally.step((A, B))
    tally.count(notice_kinds.MODE_CHANGED)
    tally.count(notice_kinds.MODE_CHANGED)
    assert dict(tally.counts) == {
        "range": 2,
        "rate": 1,
        "mode_changed": 2,
    }
    assert tally.active == ("range", "rate")
    tally.step(())
    tally.step(())
    assert dict(tally.counts)["range"] == 2
