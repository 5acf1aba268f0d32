"""A scene as a test file."""

from __future__ import annotations

import json
import re

from vdsim_simulate.scene import Scene

_TEST = '''"""Found by `./ws simulate`, seed {seed}: {oracle}."""

import json

from vdsim_simulate.runs import breaks
from vdsim_simulate.scene import scene_from

SCENE = json.loads("""
{scene}
""")


def test_{name}_in_the_scene_of_seed_{seed}() -> None:
    assert breaks("{oracle}", scene_from(SCENE)) is None
'''


def test_of(scene: Scene, oracle: str) -> str:
    """Return the text of a test that fails until the scene holds."""
    name = re.sub(r"\W", "_", oracle)
    text = json.dumps(json.loads(scene.to_json()), indent=1)
    return _TEST.format(seed=scene.seed, oracle=oracle, name=name, scene=text)
