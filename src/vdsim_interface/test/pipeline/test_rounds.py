import pytest
from vdsim_interface.pipeline.rounds import Rounds

PERIOD_S = 0.01


class Recorder:
    """Work that only notes what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, float]] = []

    def restart(self, now: float) -> None:
        self.asked.append(("restart", now))

    def on_stall(self, stall_s: float, now: float) -> None:
        self.asked.append(("stall", round(stall_s, 6)))

    def poll(self, now: float) -> None:
        self.asked.append(("poll", now))

    def tick(self, now: float) -> None:
        self.asked.append(("tick", now))

    def names(self) -> list[str]:
        return [name for name, _ in self.asked]


def begun(at_s: float = 100.0, *, sees_stalls: bool = True) -> tuple[Rounds, Recorder]:
    work = Recorder()
    rounds = Rounds(work, PERIOD_S, command_timeout_s=0.5, sees_stalls=sees_stalls)
    rounds.begin(at_s)
    return rounds, work


def test_a_stage_ticks_as_soon_as_it_is_active_and_then_every_other_round() -> None:
    rounds, work = begun()
    for n in range(1, 5):
        rounds.poll(100.0 + n * PERIOD_S / 2.0)
    assert work.names() == ["tick", "poll", "poll", "tick", "poll", "poll", "tick"]


def test_a_command_that_leads_ticks_at_once_and_after_the_end_none_does() -> None:
    rounds, work = begun()
    for n in range(1, 6):
        rounds.arrived(100.0 + n * PERIOD_S)
    assert work.asked[-1] == ("tick", 100.0 + 5 * PERIOD_S)
    rounds.end()
    rounds.arrived(100.0 + 6 * PERIOD_S)
    assert work.asked[-1] == ("tick", 100.0 + 5 * PERIOD_S)
    assert not rounds.is_active


@pytest.mark.parametrize("leads", [True, False])
def test_time_that_jumps_back_restarts_the_stage_before_it_ticks(leads: bool) -> None:
    rounds, work = begun()
    if leads:
        for n in range(1, 6):
            rounds.arrived(100.0 + n * PERIOD_S)
        work.asked.clear()
        rounds.arrived(50.0)
        assert work.asked == [("restart", 50.0), ("tick", 50.0)]
    else:
        work.asked.clear()
        rounds.poll(50.0)
        assert work.names() == ["restart", "poll", "tick"]


@pytest.mark.parametrize("sees_stalls", [True, False])
def test_a_stall_is_told_before_what_has_waited_is_read(sees_stalls: bool) -> None:
    rounds, work = begun(sees_stalls=sees_stalls)
    rounds.poll(100.005)
    work.asked.clear()
    assert rounds.received_s(100.805, "stack") == pytest.approx(100.005 if sees_stalls else 100.805)
    assert work.asked == ([("stall", 0.8)] if sees_stalls else [])
    assert bool(rounds.refuses_engage(100.806)) is sees_stalls


def test_an_old_request_to_stop_is_refused_after_a_long_stall() -> None:
    rounds, _ = begun()
    rounds.poll(100.005)
    assert rounds.refuses_stop(105.0, sent_ago_s=4.0)
    assert not rounds.refuses_stop(105.1, sent_ago_s=0.1)
