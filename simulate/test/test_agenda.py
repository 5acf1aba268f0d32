"""The agenda, the processes and their queues."""

import random

import pytest
from vdsim_simulate.agenda import Agenda, Clock, Process


def a_process(agenda: Agenda) -> Process:
    return Process(agenda, "one", Clock(agenda, 100.0, 0.0), random.Random(1))


def test_of_two_things_at_one_time_the_first_entered_happens_first() -> None:
    agenda, happened = Agenda(), []
    agenda.at(1.0, lambda: happened.append("a"))
    agenda.at(0.5, lambda: happened.append("b"))
    agenda.at(1.0, lambda: happened.append("c"))
    agenda.run_until(2.0)
    assert happened == ["b", "a", "c"]
    assert agenda.now == 2.0


def test_a_clock_drifts() -> None:
    agenda = Agenda()
    clock = Clock(agenda, 100.0, 1000.0)
    agenda.run_until(10.0)
    assert clock.now() == pytest.approx(110.01)


def test_a_stalled_process_fires_each_missed_timer_once_when_it_runs_again() -> None:
    agenda, fired = Agenda(), []
    process = a_process(agenda)
    process.every(0.1, 0.05, lambda: fired.append(agenda.now))
    agenda.at(0.2, lambda: process.stall(0.5))
    agenda.run_until(0.9)
    assert [round(time_s, 2) for time_s in fired] == [0.05, 0.15, 0.7, 0.75, 0.85]


def test_a_queue_keeps_the_newest_while_its_process_does_not_run() -> None:
    agenda, received = Agenda(), []
    process = a_process(agenda)
    inbox = process.inbox(received.append, 2)
    inbox.put(1)
    process.stall(1.0)
    for value in (2, 3, 4):
        inbox.put(value)
    assert received == [1]
    agenda.run_until(1.0)
    assert received == [1, 3, 4]


def test_overlapping_stalls_last_until_the_later_end() -> None:
    agenda = Agenda()
    process = a_process(agenda)
    process.stall(1.0)
    agenda.run_until(0.5)
    process.stall(0.1)
    agenda.run_until(0.9)
    assert not process.is_running
    agenda.run_until(1.0)
    assert process.is_running


def test_nothing_reaches_a_process_that_was_killed() -> None:
    agenda, received = Agenda(), []
    process = a_process(agenda)
    inbox = process.inbox(received.append, 2)
    process.every(0.1, 0.0, lambda: received.append("timer"))
    process.end()
    inbox.put(1)
    agenda.run_until(1.0)
    assert not received


def test_a_clock_jumps_and_changes_its_rate_without_another_jump() -> None:
    agenda = Agenda()
    clock = Clock(agenda, 100.0, 0.0)
    agenda.run_until(10.0)
    clock.run_at(1.5)
    assert clock.now() == pytest.approx(110.0)
    agenda.run_until(12.0)
    assert clock.now() == pytest.approx(113.0)
    clock.jump(-3.0)
    assert clock.now() == pytest.approx(110.0)
    assert clock.to_world_s(3.0) == pytest.approx(2.0)
