"""Every command in the README and in docs/ behaves as its page states."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from vdsim_kit.docs import DocCommand, commands, every_command
from vdsim_kit.tools import is_launch_upstreams, lacks_messages

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_COMMANDS = [
    page
    for page in PAGES
    if commands(page) and not lacks_messages("".join(each.text for each in commands(page)))
]
LIMIT_S = 180.0


class Running:
    """A command in its own session; a thread reads its output."""

    def __init__(self, command: DocCommand, scratch: Path) -> None:
        self.command = command
        self.output = ""
        self._child = subprocess.Popen(
            ["bash", "-c", command.text],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,
            cwd=ROOT,
            env={
                **os.environ,
                "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
                "OUT": str(scratch),
                "PYTHONUNBUFFERED": "1",
            },
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            self.output += line

    def finish(self) -> int:
        """Wait for the end; return the exit code."""
        code = self._child.wait(LIMIT_S)
        self._reader.join(5.0)
        return code

    def wait_for(self, text: str) -> None:
        """Wait until the output holds a text."""
        deadline = time.monotonic() + LIMIT_S
        while text not in self.output:
            assert self._child.poll() is None, f"ended early:\n{self.output}"
            assert time.monotonic() < deadline, f"no {text!r} in:\n{self.output}"
            time.sleep(0.05)

    def stop(self) -> None:
        """End it as Ctrl-C does; kill its whole session if it does not react."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            if self._child.poll() is not None:
                break
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, number)
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(15.0)
        self._reader.join(5.0)
        if self._child.stdout is not None:
            self._child.stdout.close()


@contextmanager
def background() -> Iterator[list[Running]]:
    """Commands that keep running until the end of the page."""
    running: list[Running] = []
    try:
        yield running
    finally:
        stop_all(running)


def stop_all(running: list[Running]) -> None:
    """End the commands, the last one first."""
    while running:
        running.pop().stop()


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=[page.name for page in WITH_COMMANDS])
def test_commands_of_a_page(page: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch, background() as running:
        for command in commands(page):
            if command.is_alone:
                stop_all(running)
            one = Running(command, Path(scratch))
            running.append(one)
            if command.kind == "until":
                one.wait_for(command.expected)
                if command.is_ended:
                    one.stop()
                continue
            code = one.finish()
            if command.kind == "fails":
                # `ros2 param set` of upstream ends with 0 whatever the node answers.
                is_told = is_launch_upstreams() and "Setting parameter failed" in one.output
                assert code != 0 or is_told, f"{command.text} was expected to fail:\n{one.output}"
                assert command.expected in one.output, f"{command.text}:\n{one.output}"
            else:
                assert code == 0, f"{command.text} ended with {code}:\n{one.output}"


ELSEWHERE = [command for page in PAGES for command in every_command(page) if command.run_by]


@pytest.mark.parametrize("command", ELSEWHERE, ids=[command.text for command in ELSEWHERE])
def test_a_command_that_another_test_runs_is_named_there(command: DocCommand) -> None:
    assert command.run_by.startswith(("src/", "test/", "examples/test_"))
    [program] = re.findall(
        r"examples/(\w+)\.py|ros2 run \w+ (\w+)|-m vdsim_\w+\.cli\.(\w+)", command.text
    )
    text = (ROOT / command.run_by).read_text(encoding="utf-8")
    assert "".join(program) in text, f"{command.run_by} does not run {command.text}"


def test_every_page_is_reachable_from_the_readme() -> None:
    assert "(docs/README.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    contents = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("[!R]*.md"):
        assert f"({page.name})" in contents, f"docs/README.md does not name {page.name}"


def test_commands_of_the_packages_are_called_in_one_way() -> None:
    for page in PAGES:
        found = re.findall(r"\./ws vdsim_\w+", page.read_text(encoding="utf-8"))
        assert not found, f"{page.name}: {found}: ./ws ros2 run PACKAGE {found[0][5:]}"


def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=[page.name for page in WITH_COMMANDS])
def test_pages_use_no_port_that_the_middleware_takes(page: Path) -> None:
    """Fast DDS takes ports from 7000 on; our processes leave it only those of the contract."""
    for command in commands(page):
        for word in re.findall(r"\b\d{4}\b", command.text):
            assert word in ("7001", "7002") or int(word) not in range(7000, 7400), command.text
