"""A scene as a test file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

from vdsim_simulate.scene import Scene

_TEST = '''"""Found by `./ws simulate`, seed {seed}: {oracle}."""

import json
{imports}from vdsim_simulate.runs import breaks
from vdsim_simulate.scene import scene_from
{loads}
SCENE = json.loads("""
{scene}
""")


def test_{name}_in_the_scene_of_seed_{seed}() -> None:
    assert breaks("{oracle}", scene_from(SCENE)) is None
'''
_IMPORTS = "from pathlib import Path\n\nfrom vdsim_simulate.cli.own import load_own\n"
_LOAD = "load_own(Path(__file__).parent / {path})\n"


def test_of(scene: Scene, oracle: str, folder: Path, own: Sequence[Path]) -> str:
    """Return the text of a test that fails until the scene holds; it loads modules of the user's.

    They are found from `folder`, where the test is: both may move, or be checked in, together.
    """
    paths = [os.path.relpath(path.resolve(), folder.resolve()) for path in own]
    loads = "".join(_LOAD.format(path=json.dumps(path)) for path in paths)
    return _TEST.format(
        seed=scene.seed,
        oracle=oracle,
        name=re.sub(r"\W", "_", oracle),
        scene=json.dumps(json.loads(scene.to_json()), indent=1),
        imports=_IMPORTS if loads else "\n",
        loads=loads and f"\n{loads}",
    )
