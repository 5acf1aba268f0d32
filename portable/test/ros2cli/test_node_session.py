from __future__ import annotations

from pathlib import Path

import pytest
from ros2cli.session import FAST_DDS_PERIOD_S, PROFILE_VARIABLES, announcement_period_s

PROFILE = Path(__file__).parents[2] / "fastdds.xml"


def test_default_of_fast_dds() -> None:
    assert announcement_period_s({}) == FAST_DDS_PERIOD_S
    assert announcement_period_s({PROFILE_VARIABLES[0]: "/no/such/file"}) == FAST_DDS_PERIOD_S


@pytest.mark.parametrize("variable", PROFILE_VARIABLES)
def test_period_of_our_profile(variable: str) -> None:
    assert announcement_period_s({variable: str(PROFILE)}) == 0.5


@pytest.mark.parametrize("text", ["<profiles/>", "not XML"])
def test_profile_that_says_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "profile.xml"
    path.write_text(text, encoding="utf-8")
    assert announcement_period_s({PROFILE_VARIABLES[0]: str(path)}) == FAST_DDS_PERIOD_S
