"""The parts of process handling that need no process."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from launch._process_output import LineSplitter, Routes, parse_output
from launch._process_runner import Escalation, RespawnPolicy


@given(st.binary(), st.lists(st.integers(min_value=0, max_value=20)))
def test_lines_do_not_depend_on_the_chunks(data: bytes, cuts: list[int]) -> None:
    whole, pieces = LineSplitter(), LineSplitter()
    expected = [*whole.feed(data), *whole.flush()]
    got: list[str] = []
    for cut in cuts:
        got += pieces.feed(data[:cut])
        data = data[cut:]
    assert [*got, *pieces.feed(data), *pieces.flush()] == expected


def test_line_ends_of_a_terminal_go() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"one\r\ntwo\r\nthr") == ["one", "two"]
    assert splitter.flush() == ["thr"]
    assert splitter.flush() == []


def test_escalation_is_int_term_kill() -> None:
    steps = [(step.signal, step.patience_s) for step in Escalation(1.0, 2.0).steps()]
    assert steps == [(signal.SIGINT, 1.0), (signal.SIGTERM, 2.0), (signal.SIGKILL, None)]


@pytest.mark.parametrize(
    ("values", "name"),
    [((-1.0, 1.0), "sigterm_timeout=-1.0"), ((1.0, float("nan")), "sigkill_timeout=nan")],
)
def test_escalation_refuses_impossible_times(values: tuple[float, float], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Escalation(*values)


@pytest.mark.parametrize(
    ("policy", "retries", "allowed"),
    [
        (RespawnPolicy(), 0, False),
        (RespawnPolicy(wanted=True), 1000, True),
        (RespawnPolicy(wanted=True, max_retries=2), 1, True),
        (RespawnPolicy(wanted=True, max_retries=2), 2, False),
        (RespawnPolicy(wanted=True, max_retries=0), 0, False),
    ],
)
def test_respawn_policy(policy: RespawnPolicy, retries: int, allowed: bool) -> None:
    assert policy.allows(retries) is allowed


@pytest.mark.parametrize(
    ("option", "stdout", "stderr"),
    [
        ("screen", {"screen"}, {"screen"}),
        ("log", {"log"}, {"log", "screen"}),
        ("both", {"log", "screen"}, {"log", "screen"}),
        ("own_log", {"p-1-stdout.log", "p-1-both.log"}, {"p-1-stderr.log", "p-1-both.log"}),
        ({"stdout": "screen"}, {"screen"}, set()),
        ({"both": {"log"}, "stderr": ["screen"]}, {"log"}, {"log", "screen"}),
    ],
)
def test_output_option(option: str, stdout: set[str], stderr: set[str]) -> None:
    assert parse_output(option, "p-1") == Routes(frozenset(stdout), frozenset(stderr))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("scren", "output='scren': must be one of screen, log"),
        ({"stdin": "log"}, "'stdin': must be one of stdout"),
        ({"stdout": "paper"}, r"output\['stdout'\]='paper': must be one of"),
    ],
)
def test_wrong_output_option_is_named(option: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_output(option, "p-1")
