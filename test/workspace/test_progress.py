"""What a set-up shows of its long commands: a line, and the share that is done."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from workspace.progress import run_logged
from workspace.wheel_route.messages import compile as compiling
from workspace.wheel_route.messages.packages import InterfacePackage

FOUR = "for name in 'abcd': print('Collecting', name); print('Downloading', name)"


def shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], code: str, steps: int, every: int = 1
) -> list[str]:
    """The lines that a command is shown by, where no terminal is."""
    command = [sys.executable, "-c", code]
    log = tmp_path / "log"
    assert run_logged(
        command, log, os.environ, keep=("Downloading",), every=every, steps=steps
    ) == 0  # fmt: skip
    return capfd.readouterr().err.splitlines()


def test_each_line_begins_with_the_share_that_is_done(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = shown(tmp_path, capfd, FOUR, steps=5)
    assert lines == [f"ws:   {20 * k:3d} %  Downloading {name}" for k, name in enumerate("abcd", 1)]
    assert "Collecting a" in (tmp_path / "log").read_text()  # which is in the log alone


def test_some_of_the_lines_have_the_share_of_all(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert shown(tmp_path, capfd, FOUR, steps=4, every=2) == [
        "ws:    50 %  Downloading b",
        "ws:    99 %  Downloading d",  # all is done when the command has ended
    ]


def test_more_steps_than_were_said_never_show_more_than_all(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = shown(tmp_path, capfd, FOUR, steps=2)
    assert [line.split()[1] for line in lines] == ["50", "99", "99", "99"]


def test_without_steps_a_line_is_shown_as_it_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert shown(tmp_path, capfd, FOUR, steps=0)[0] == "ws:   Downloading a"


def test_a_build_of_messages_says_how_many_lines_it_prints() -> None:
    interfaces = (Path("msg/A.msg"), Path("srv/B.srv"))
    package = InterfacePackage(Path("p"), "p", (), interfaces)
    assert compiling.steps_n([package]) == 2 + 5 + 4 + 1 + 1
