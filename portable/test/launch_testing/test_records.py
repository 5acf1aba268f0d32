"""Records of processes and output, without processes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from launch.actions import ExecuteProcess
from launch.events.process import ProcessExited, ProcessStarted, ProcessStderr, ProcessStdout
from launch_testing import ActiveIoHandler, IoHandler, ProcInfoHandler
from launch_testing.asserts import SequentialTextChecker, assertExitCodes, assertInStdout
from launch_testing.output import ExpectedOutput, as_matcher, text_of
from launch_testing.tools import basic_output_filter
from launch_testing.util import NO_CMD_ARGS, NoMatchingProcessException, resolveProcesses


class Recorded(ExecuteProcess):
    """A process of which only the record exists."""

    def __init__(self, name: str, *arguments: str) -> None:
        super().__init__(cmd=["program", *arguments])
        self._details = {
            "name": name,
            "cmd": ["program", *arguments],
            "cwd": None,
            "env": None,
            "pid": 1,
        }

    @property
    def name(self) -> str:
        return str(self._details["name"])

    @property
    def process_details(self) -> dict[str, Any]:
        return self._details


ONE, TWO, OTHER = Recorded("car-1", "a"), Recorded("car-2", "b", "c"), Recorded("planner-3")


@pytest.fixture
def info() -> ProcInfoHandler:
    handler = ProcInfoHandler()
    for number, process in enumerate((ONE, TWO, OTHER)):
        details = process.process_details
        handler.append(ProcessStarted(action=process, **details))
        if process is not OTHER:
            handler.append(ProcessExited(action=process, returncode=number, **details))
    return handler


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, [ONE, TWO, OTHER]),
        ({"process": "planner"}, [OTHER]),
        ({"process": "car-2"}, [TWO]),
        ({"process": "car", "cmd_args": "b"}, [TWO]),
        ({"process": "car", "cmd_args": ["b", "c"]}, [TWO]),
        ({"process": "planner", "cmd_args": NO_CMD_ARGS}, [OTHER]),
        ({"process": "car", "strict_proc_matching": False}, [ONE, TWO]),
        ({"process": TWO}, [TWO]),
    ],
)
def test_matching(info: ProcInfoHandler, options: Any, found: list[Any]) -> None:
    assert resolveProcesses(info, **options) == found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"process": "bus"}, "any processes matching name 'bus' and args 'None'. Procs: car-1 a"),
        ({"process": "car"}, "multiple processes matching name 'car'"),
        ({"process": "car", "cmd_args": NO_CMD_ARGS}, "args 'no arguments'"),
        ({"process": Recorded("x-4")}, "No data recorded"),
    ],
)
def test_no_match(info: ProcInfoHandler, options: Any, message: str) -> None:
    with pytest.raises(NoMatchingProcessException, match=message):
        resolveProcesses(info, **options)


def test_exit_codes(info: ProcInfoHandler) -> None:
    assertExitCodes(info, process=ONE)
    assertExitCodes(info, [1], process="car-2")
    with pytest.raises(AssertionError, match="car-2 exited with code 1"):
        assertExitCodes(info, process=TWO)
    with pytest.raises(AssertionError, match="planner-3 has not exited"):
        assertExitCodes(info, process=OTHER)


def output(handler: IoHandler) -> IoHandler:
    handler.append(ProcessStdout(action=ONE, text=b"a \x1b[31mr", **ONE.process_details))
    handler.append(ProcessStderr(action=ONE, text=b"bad\n", **ONE.process_details))
    handler.append(ProcessStdout(action=ONE, text=b"ed\x1b[0m x\nb\n", **ONE.process_details))
    handler.append(ProcessStdout(action=TWO, text=b"two\n", **TWO.process_details))
    return handler


def test_output_of_one_process() -> None:
    handler = output(IoHandler())
    assert text_of(handler[ONE], "stdout") == "a red x\nb\n"
    assert text_of(handler["car-1"], "stderr") == "bad\n"
    assert "\x1b[31m" in text_of(handler[ONE], "stdout", strips_escapes=False)
    assert handler.process_names() == ["car-1", "car-2"]
    with pytest.raises(KeyError):
        handler["bus"]
    with pytest.raises(ValueError, match="stream='stdin': must be one of stdout, stderr"):
        text_of(handler[ONE], "stdin")


def test_output_assertion_names_the_processes() -> None:
    handler = output(IoHandler())
    assertInStdout(handler, "red x\nb", ONE)
    assertInStdout(handler, "two", None)
    with pytest.raises(AssertionError, match=r"Did not find 'nope' .* processes: car-1, car-2"):
        assertInStdout(handler, "nope", None)


def test_output_filter() -> None:
    keep = basic_output_filter(filtered_prefixes=["#"], filtered_patterns=[r"\d+"])
    assert keep("# no\nyes\n12 no\nx 1\n") == "yes\nx 1\n"
    handler = ActiveIoHandler()
    output(handler)
    without_b = basic_output_filter(filtered_prefixes=["b"])
    assert handler.waitFor("b", ONE, stream="stdout", timeout=0.0)
    assert not handler.waitFor("b", ONE, stream="stdout", timeout=0.0, output_filter=without_b)


def test_waiting_ends_when_nothing_more_comes() -> None:
    handler = ActiveIoHandler()
    handler.end()
    with pytest.raises(AssertionError, match="Waiting for output timed out"):
        handler.assertWaitFor("x", timeout=1000.0)


@pytest.mark.parametrize(
    ("expected", "text", "matches"),
    [
        ("b", "abc", True),
        ("d", "abc", False),
        (re.compile("b.$"), "abc", True),
        (["a", "c"], "a\nb\nc", True),
        (["c", "a"], "a\nb\nc", False),
        (["a", re.compile("^c$")], "a\ncc\nc", True),
        (lambda text: len(text) == 2, "ab", True),
    ],
)
def test_expected_output(expected: ExpectedOutput, text: str, matches: bool) -> None:
    assert as_matcher(expected)(text) is matches


def test_expected_output_of_a_wrong_kind() -> None:
    with pytest.raises(TypeError, match="3: must be a text"):
        as_matcher(3)  # type: ignore[arg-type]


def test_sequence_goes_on_behind_the_match() -> None:
    checker = SequentialTextChecker(["a b a\nc\n"])
    for text in ("a", "b", "a\nc"):
        checker.assertInText(text)
    with pytest.raises(AssertionError, match=r"'a' not found in sequence .*\na b a\nc"):
        checker.assertInText("a")
