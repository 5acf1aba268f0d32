"""Causes of the exam, recorded: who has only the file gets the answer that the page gave.

drive on virtual time -> shipped publishers -> MCAP -> vdsim_why DRIVE.mcap --at T
"""

from __future__ import annotations

from pathlib import Path

import pytest
from std_msgs.msg import String
from vdsim_interface.extras.doctor.snapshot import Snapshot
from vdsim_interface.extras.explain.cli import explain
from vdsim_interface.extras.explain.view import BYTES_PER_S, Pace, View, view_of
from vdsim_record.ros.graph_view import TOPIC
from vdsim_simulate.exam.drive import DRIVE_QUESTIONS
from vdsim_simulate.exam.graph import FITS, GRAPH_QUESTIONS
from vdsim_simulate.exam.marks import Mark, fits, mark
from vdsim_simulate.exam.question import Question
from vdsim_simulate.exam.ros.recorded import Written, recorded_answers
from vdsim_simulate.exam.ros.watching import doctor_answers, page_answer, room_of

CAUSES = (
    *("emergency_stop", "locked", "door_opens", "gamepad_drives", "disengaged"),
    *("planner_silent", "planner_not_finite", "wrong_level", "state_link_lost"),
)
BY_NAME = {each.name: each for each in (*DRIVE_QUESTIONS, *GRAPH_QUESTIONS)}
OF_THE_GRAPH = (
    *("other_type", "other_version", "best_effort", "slip_in_a_name", "stack_in_another_domain"),
    *("two_publishers", "two_interfaces", "announced_and_silent", "slow_stack", "no_stamps"),
    *("car_in_another_domain", "no_gear", "gate_paused", "target_mode_not_available"),
)
LATEST_S, STEP_S = 3.0, 0.1


@pytest.mark.parametrize("name", CAUSES)
def test_the_file_alone_gives_the_answer_of_the_page(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question, path = BY_NAME[name], tmp_path / "drive.mcap"
    written = Written(path)
    room, watch = room_of(question)
    watch.listeners.append(written.take)
    now = question.planted_s
    room.agenda.run_until(now)
    while not fits(question.key, page_answer(watch)):
        now += STEP_S
        assert now < question.planted_s + LATEST_S, "the page does not name it"
        room.agenda.run_until(now)
    shown = page_answer(watch)
    written.finish()
    capsys.readouterr()
    assert explain.main([str(path), "--at", f"{now - written.traced_s[0]:.3f}"]) == 0
    said = capsys.readouterr().out
    assert f"why: {shown.title}" in said, said
    assert shown.lines[-1] in said  # what to do; the first has an age
    assert "not to be told from this recording, which has no graph" in said
    assert explain.main([str(path)]) == 0
    assert "mode MANUAL" in capsys.readouterr().out


def test_what_is_no_recording_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "drive.mcap"
    path.write_bytes(b"no recording")
    assert explain.main([str(path), "--at", "1"]) == 2
    assert explain.main([str(tmp_path / "none.mcap")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "is no recording that can be read" in lines[0]


@pytest.mark.parametrize("name", OF_THE_GRAPH)
def test_a_cause_in_the_graph_is_told_by_the_live_words(name: str, tmp_path: Path) -> None:
    question = BY_NAME[name]
    told, live = recorded_answers(question, tmp_path), doctor_answers(question)
    assert mark(question.key, told) is Mark.RIGHT
    assert told[0].lines == live[0].lines


def test_the_command_says_what_the_graph_was_at_that_moment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second interface comes at 4 s and goes at 6 s."""
    path = tmp_path / "drive.mcap"
    written = Written(path)
    question = BY_NAME["two_interfaces"]
    assert question.change is not None
    for at_s, graph in ((0.0, FITS), (4.0, question.change(FITS)), (6.0, FITS)):
        written.take(TOPIC, String(data=view_text(graph)), at_s)
    room, watch = room_of(Question(name="none", text="", key=question.key))
    watch.listeners.append(written.take)
    room.agenda.run_until(8.0)
    written.finish()
    for at_s, is_there in ((3.0, False), (5.0, True), (7.0, False)):
        assert explain.main([str(path), "--at", str(at_s)]) == 0
        assert ("2 vehicle interfaces are in the namespace" in capsys.readouterr().out) is is_there
    for at in ("-5", "9999"):
        assert explain.main([str(path), f"--at={at}"]) == 2
        said = capsys.readouterr()
        assert f"--at={at}: must be between " in said.err
        assert not said.out


def view_text(graph: Snapshot) -> str:
    return View(graph=graph).text


@pytest.mark.parametrize("name", [each.name for each in GRAPH_QUESTIONS])
def test_a_view_keeps_all_that_the_checks_look_at(name: str) -> None:
    change = BY_NAME[name].change
    assert change is not None
    graph = change(FITS)
    again = view_of(View(graph=graph).text)
    kept = ("endpoints", "network", "own_gid", "own_hashes")
    assert [getattr(again.graph, each) for each in kept] == [getattr(graph, each) for each in kept]
    assert view_of(again.text) == again


def test_a_graph_that_keeps_changing_adds_a_bounded_amount() -> None:
    pace, size = Pace(), 0
    for look in range(2000):
        text = View(graph=Snapshot(own_hashes={"a": f"{look}" * 5000})).text
        if pace.is_due(text, 0.5 * look):
            size += len(text)
    assert 0.0 < size <= BYTES_PER_S * 1000.0 + len(text)


def test_a_graph_that_is_the_same_is_written_once() -> None:
    pace, text = Pace(), View().text
    assert [pace.is_due(text, 100.0 * n) for n in range(3)] == [True, False, False]
