"""`teleop:=keyboard` in tmux, whose panes have the environment of the tmux server."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_kit.launched import PATIENCE_S, Launched
from vdsim_kit.tools import has_tool


class Tmux:
    """A server of its own, with one pane and an empty environment."""

    def __init__(self, folder: Path) -> None:
        self._tmux = ("tmux", "-S", str(folder / "tmux.sock"), "-f", "/dev/null")
        self("new-session", "-d", "-s", "drive", "-x", "100", "-y", "60", "sh")
        self.environment = {
            "TMUX": self("display-message", "-p", "#{socket_path},#{pid},0"),
            "DISPLAY": "",
            "WAYLAND_DISPLAY": "",
        }

    def __call__(self, *arguments: str) -> str:
        empty = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "TERM": "xterm"}
        return subprocess.run(
            [*self._tmux, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
            env=empty,
        ).stdout.strip()

    def panes(self) -> list[str]:
        return self("list-panes", "-a", "-F", "#{pane_id}").split()

    def screen(self) -> str:
        """The text of all panes."""
        return "\n".join(self("capture-pane", "-p", "-t", pane) for pane in self.panes())


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    made = Tmux(tmp_path)
    yield made
    made("kill-server")


def keyboard(folder: Path, tmux: Tmux, **arguments: str) -> Launched:
    return Launched(
        folder,
        "teleop",
        more_environment=tmux.environment,
        teleop="keyboard",
        namespace="keyboard_pane",
        **arguments,
    )


if has_tool("tmux"):

    def test_the_keyboard_works_in_a_pane_and_its_end_is_seen(tmux: Tmux, tmp_path: Path) -> None:
        launch = keyboard(tmp_path, tmux, mux="true")  # goes on without the keyboard
        try:
            launch.wait(lambda: "vdsim keyboard" in tmux.screen(), "the panel")
            first, pane = tmux.panes()
            tmux("send-keys", "-t", pane, "q")
            again = "ros2 run vdsim_interface keyboard_teleop --ros-args -r __ns:=/keyboard_pane"
            launch.wait(
                lambda: f"keyboard_teleop has ended; to start it again: {again}" in launch.output,
                "the end of the keyboard",
            )
            launch.wait(lambda: tmux.panes() == [first], "the end of the pane")
        finally:
            assert launch.end() == 0, launch.output

    def test_the_end_of_the_launch_closes_the_pane(tmux: Tmux, tmp_path: Path) -> None:
        launch = keyboard(tmp_path, tmux)
        try:
            launch.wait(lambda: "vdsim keyboard" in tmux.screen(), "the panel")
            assert len(tmux.panes()) == 2
        finally:
            assert launch.end() == 0, launch.output
        deadline = time.monotonic() + PATIENCE_S
        while len(tmux.panes()) > 1:  # the server looks after its panes when it runs
            assert time.monotonic() < deadline, tmux.screen()
            time.sleep(0.05)

    def test_a_keyboard_that_cannot_start_ends_the_launch_with_its_reason(
        tmux: Tmux, tmp_path: Path
    ) -> None:
        """A terminal that is none: keyboard_teleop finds no keys there."""
        launch = keyboard(tmp_path, tmux, terminal="setsid --fork")
        try:
            assert launch.process.wait(PATIENCE_S) == 1
        finally:
            launch.end()
        assert "keyboard_teleop: needs a terminal" in launch.output
        assert "keyboard_teleop has ended: exit code 2" in launch.output


def test_where_no_terminal_can_be_opened_one_line_says_how(tmp_path: Path) -> None:
    none = {"TMUX": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    launch = Launched(
        tmp_path,
        "teleop",
        more_environment=none,
        teleop="keyboard",
        mux="false",
        namespace="no_terminal",
    )
    assert launch.process.wait(PATIENCE_S) == 0
    [line] = [line for line in launch.output.splitlines() if "keyboard_teleop" in line]
    assert "needs its own terminal; open one and run: ros2 run" in line
    assert "__ns:=/no_terminal" in line
