"""Each test file has a ROS domain that nobody else on the machine uses."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from vdsim_kit import domains
from vdsim_kit.domains import FIRST, LAST, NoFreeDomainError, domains_in_use, hold_domain

ROOT = Path(__file__).resolve().parents[1]
HOLD_AND_WAIT = """
import sys
from vdsim_kit import domains
domains.FIRST, domains.LAST, after = map(int, sys.argv[1:])
held = domains.hold_domain(after)
print(held.number, flush=True)
sys.stdin.read()
"""
FIXED = re.compile(r"^DOMAIN\w* = \d+|domain_id=\d+|DOMAIN_ID\", \"\d|getpid\(\) (%|\+)", re.M)


def test_two_processes_never_hold_the_same_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    # Numbers of this test alone: the tests beside it take the next free one at any moment.
    first = LAST + 1 + 100 * os.getpid()
    monkeypatch.setattr(domains, "FIRST", first)
    monkeypatch.setattr(domains, "LAST", first + 99)
    with hold_domain() as mine:
        numbers = map(str, (first, first + 99, mine.number - 1))
        child = subprocess.Popen(
            [sys.executable, "-c", HOLD_AND_WAIT, *numbers],
            env={**os.environ, "PYTHONPATH": str(ROOT / "test")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert child.stdout is not None
            theirs = int(child.stdout.readline())
            assert theirs != mine.number
            with hold_domain(theirs - 1) as next_one:
                assert next_one.number not in (mine.number, theirs)
        finally:
            child.kill()  # the kernel frees the domain of a process that cannot
            child.communicate()
    with hold_domain(theirs - 1) as again:
        assert again.number == theirs


def test_a_domain_with_a_port_in_use_is_passed_over() -> None:
    with hold_domain() as free:
        number = free.number
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as foreign:
        foreign.bind(("127.0.0.1", 7400 + 250 * number + 10))
        with hold_domain(number - 1) as other:
            assert other.number != number


def test_the_search_goes_round_and_ends_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains, "local_udp_ports", set)
    with hold_domain(LAST) as first:
        assert FIRST <= first.number <= LAST
    monkeypatch.setattr(domains, "local_udp_ports", lambda: {7400 + 250 * d for d in range(102)})
    with pytest.raises(NoFreeDomainError, match="no ROS domain of 1 to 101 is free"):
        hold_domain()


def test_ports_belong_to_domains() -> None:
    assert domains_in_use([53, 7399, 7400, 7649, 7650, 7400 + 250 * 101]) == {0, 1, 101}


def test_a_test_runs_in_a_held_domain() -> None:
    number = int(os.environ["ROS_DOMAIN_ID"])
    assert FIRST <= number <= LAST
    with hold_domain(number - 1) as other:
        assert other.number != number


def test_no_test_chooses_a_domain_by_itself() -> None:
    folders = [ROOT / "test", ROOT / "portable/test", ROOT / "examples", *ROOT.glob("src/*/test")]
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for folder in folders
        for path in folder.rglob("*.py")
        if path != Path(__file__) and "/build/" not in str(path)
        for match in FIXED.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found, f"conftest.py sets ROS_DOMAIN_ID for each test file: {found}"
