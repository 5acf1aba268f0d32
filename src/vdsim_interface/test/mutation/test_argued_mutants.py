"""What argued.json says of a mutant holds of a line that is still there."""

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
CODE = HERE.parents[1] / "vdsim_interface"
FOLDERS = {"acceleration": "longitudinal"}


def _missing(room: str, change: str) -> bool:
    """Whether no place in the room has the lines that the change replaces."""
    name, _, lines = change.partition(": ")
    path: Path = CODE / FOLDERS.get(room, room) / name
    if not path.exists():
        return True
    source = " ".join(line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return lines.partition(" => ")[0].strip() not in source


def test_every_argued_change_is_one_of_the_code_as_it_is() -> None:
    argued = json.loads((HERE / "argued.json").read_text(encoding="utf-8"))
    stale = [
        change for room, changes in argued.items() for change in changes if _missing(room, change)
    ]
    assert not stale


def test_a_change_of_a_line_that_has_gone_is_found() -> None:
    assert _missing("safety", "oscillation.py: self._step_n = 0 => self._step_n = 1")
    assert _missing("safety", "modes.py: no such line => another one")
