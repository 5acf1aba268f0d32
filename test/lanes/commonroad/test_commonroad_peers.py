"""The figures of docs/side-by-side.md beside CommonRoad's models, measured where these are."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench" / "plant"))
import bench_peers  # noqa: E402 - after its path


def test_the_page_says_what_is_measured() -> None:
    found = {row["name"]: row for row in bench_peers.measured(rounds=1)}
    print(json.dumps(found, indent=1))
    stored = json.loads(bench_peers.STORED.read_text(encoding="utf-8"))["rows"]
    assert [row["name"] for row in stored] == list(found)
    for row in stored:
        assert found[row["name"]]["friction_use"] == pytest.approx(row["friction_use"], rel=1e-6)


def test_only_a_model_without_a_friction_circle_asks_more_than_the_road_can_give() -> None:
    found = {row["name"]: row["friction_use"] for row in bench_peers.measured(rounds=1)}
    above = [name for name, use in found.items() if use > 1.0]
    assert above == ["CommonRoad single track, as in f1tenth_gym"]
