"""`vdsim_acceptance` prints what the pages show, and fails when a point is missed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_plant.cli.acceptance import main
from vdsim_plant.study.accuracy import acceptance

ROOT = Path(__file__).resolve().parents[4]


def rows(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if re.match(r"\| \d\. ", line))


def test_the_page_shows_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    printed = list(rows(capsys.readouterr().out))
    shown = list(rows((ROOT / "docs/plant.md").read_text(encoding="utf-8")))
    assert len(printed) == len(shown) == 5
    assert printed[:3] == shown[:3]
    assert printed[3].replace(" and in another", "") == shown[3]
    assert re.search(r"\| \d+\.\d ms \|$", printed[4])
    assert "below 100 ms" in shown[4]


def test_a_missed_point_is_named_and_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(acceptance, "LONGEST_DRIVE_S", 1e-9)
    assert main([]) == 1
    last = list(rows(capsys.readouterr().out))[-1]
    assert "**missed:**" in last


def test_other_bits_elsewhere_are_a_missed_point() -> None:
    assert acceptance.determinism(acceptance.fingerprint).passed
    other = acceptance.determinism(lambda: "0" * 64)
    assert not other.passed
    assert other.measured == "other bits"
