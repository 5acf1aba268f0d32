"""Causes of the exam, recorded: who has only the file gets the answer that the page gave.

drive on virtual time -> shipped publishers -> MCAP -> vdsim_why DRIVE.mcap --at T
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rclpy.serialization import serialize_message
from vdsim_interface.extras.explain.cli import explain
from vdsim_record.cli import finish
from vdsim_record.journal.folder import JournalFolder
from vdsim_record.journal.frames import all_framed
from vdsim_record.mcap_file import records
from vdsim_record.ros.type_texts import type_text
from vdsim_record.ros.why import interfaces_of
from vdsim_simulate.exam.drive import DRIVE_QUESTIONS
from vdsim_simulate.exam.marks import fits
from vdsim_simulate.exam.ros.watching import page_answer, room_of

CAUSES = (
    *("emergency_stop", "locked", "door_opens", "gamepad_drives", "disengaged"),
    *("planner_silent", "planner_not_finite", "wrong_level", "state_link_lost"),
)
BY_NAME = {each.name: each for each in DRIVE_QUESTIONS}
LATEST_S, STEP_S = 3.0, 0.1


class Written:
    """A recording of what is published, complete when `finish` returns."""

    def __init__(self, path: Path) -> None:
        self._journal = JournalFolder.of(path)
        self._journal.path.mkdir()
        self._head: list[bytes] = []
        self._messages: list[bytes] = []
        self._channels: dict[str, int] = {}
        self.traced_s: list[float] = []

    def take(self, topic: str, message: Any, now: float) -> None:
        """As the recorder does."""
        name = f"vdsim_msgs/msg/{type(message).__name__}"
        if topic not in self._channels:
            number = self._channels[topic] = len(self._channels) + 1
            self._head.append(records.schema(number, name, type_text(name)))
            self._head.append(records.channel(number, f"/vehicle/{topic}", number, {}))
        if topic == "command_trace":
            self.traced_s.append(now)
        now_ns = round(now * 1e9)
        head = records.MessageHead(self._channels[topic], len(self._messages), now_ns, now_ns)
        self._messages.append(records.message(head, serialize_message(message)))

    def finish(self) -> None:
        """Complete it by hand."""
        self._journal.segment(1).write_bytes(all_framed([*self._head, *self._messages]))
        assert finish.main(["finish", str(self._journal.path)]) == 0


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
    first = interfaces_of(path)[0].traces()[0].stamp_s
    last = interfaces_of(path)[0].traces()[-1].stamp_s
    capsys.readouterr()
    assert explain.main([str(path), "--at", str(last - first)]) == 0
    said = capsys.readouterr().out
    assert f"why: {shown.title}" in said, said
    assert shown.lines[-1] in said  # what to do; the first has an age
    assert "not to be told from a recording" in said
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
