"""The Python on the plant's pages runs, block after block, as a reader would run it."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from vdsim_plant.observation import Observation, WheelObservation
from vdsim_plant.parameters.files import VEHICLE_FOLDER

from vdsim_plant import VDSimPlant

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = ("plant.md", "learning.md", "tutorial-plant.md", "manoeuvres.md", "run-modes.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs(page: str, tmp_path: Path) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    (tmp_path / "my_car.yaml").write_text((VEHICLE_FOLDER / "ioniq5_awd.yaml").read_text())
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(blocks)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_the_contract_on_the_page_has_every_key_of_the_observation() -> None:
    # [VS-2.8.1]
    text = (DOCS / "plant.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    shown = {key for cell in cells for key in re.findall(r"`([^`]+)`", cell)}
    assert set(Observation.__annotations__) <= shown
    assert set(WheelObservation.__annotations__) <= shown


def test_the_contract_on_the_page_has_every_argument_and_method() -> None:
    text = (DOCS / "plant.md").read_text(encoding="utf-8")
    constructor, methods = (
        text.split(f"### {title}\n")[1].split("\n#")[0] for title in ("Constructor", "Methods")
    )
    shown = dict(re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", constructor, re.MULTILINE))
    arguments = inspect.signature(VDSimPlant).parameters.values()
    asked = [argument for argument in arguments if argument.kind is not argument.VAR_KEYWORD]
    assert list(shown) == [argument.name for argument in asked]
    for argument in asked:
        assert ast.literal_eval(shown[argument.name]) == argument.default, argument.name
    public = {name for name in vars(VDSimPlant) if not name.startswith("_")}
    assert set(re.findall(r"`(\w+)\(", methods)) == public


def test_the_errors_of_a_substep_on_the_page_are_those_that_the_command_prints() -> None:
    """The same bits on every machine, so the same figures; one car, which is half of the time."""
    command = DOCS.parent / "bench" / "plant" / "bench_accuracy.py"
    run = subprocess.run(
        [sys.executable, str(command), "--car", "sport_rwd"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    rows = [line for line in run.stdout.splitlines() if line.startswith("| sport_rwd")]
    page = (DOCS / "plant.md").read_text(encoding="utf-8")
    assert len(rows) == 6
    assert [row for row in rows if row not in page] == []


def test_the_errors_of_float32_on_the_page_are_those_that_the_command_prints() -> None:
    command = DOCS.parent / "bench" / "plant" / "bench_accuracy.py"
    run = subprocess.run(
        [sys.executable, str(command), "--dtype", "float32"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    rows = [line for line in run.stdout.splitlines() if re.match(r"\| (ioniq5|sport)", line)]
    page = (DOCS / "plant.md").read_text(encoding="utf-8")
    assert len(rows) == 12
    assert [row for row in rows if row not in page] == []
