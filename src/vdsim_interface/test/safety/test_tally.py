from vdsim_interface.safety.intervention_counts import InterventionCounts
from vdsim_interface.values import Change, NoticeKind, notice_kinds

RANGE = NoticeKind("range", why="it is outside the car's range")
A = Change(RANGE, "long_accel_mps2", 9.0, 3.0)
B = Change(NoticeKind("rate"), "front_wheel_angle_rad", 0.4, 0.1)
C = Change(RANGE, "front_wheel_angle_rad", 0.9, 0.5)


def test_a_rule_is_reported_when_it_starts_to_act() -> None:
    counts = InterventionCounts()
    assert [r.text for r in counts.step((A, C))] == [
        "acceleration 9 -> 3 m/s2: it is outside the car's range"
    ]
    assert counts.step((A,)) == ()
    assert counts.acting == {"range"}
    assert [r.kind for r in counts.step((C, B))] == ["rate"]
    assert counts.step(()) == ()
    assert not counts.acting
    assert [r.kind for r in counts.step((A,))] == ["range"]


def test_periods_and_events_are_counted() -> None:
    counts = InterventionCounts()
    counts.step((A, C))
    counts.step((A, B))
    counts.count(notice_kinds.MODE_CHANGED, "")
    counts.count(notice_kinds.MODE_CHANGED, "")
    assert dict(counts.counts) == {
        "range": 2,
        "rate": 1,
        "mode_changed": 2,
    }
    assert counts.acting == {"range", "rate"}
    counts.step(())
    counts.step(())
    assert dict(counts.counts)["range"] == 2
