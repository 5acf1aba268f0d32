"""Scenes in which an oracle asked for more than physics gives, or that were wired otherwise."""

import json
from pathlib import Path

import pytest
from vdsim_simulate.runs import outcome_of
from vdsim_simulate.scene import scene_from

SCENES = sorted((Path(__file__).parent / "held_scenes").glob("*.json"))


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_scene_holds(path: Path) -> None:
    row = json.loads(path.read_text(encoding="utf-8"))
    assert outcome_of(scene_from(row["scene"])).violations == (), row["why"]
