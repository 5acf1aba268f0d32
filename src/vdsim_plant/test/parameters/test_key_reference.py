"""The reference page shows every key as it is declared, and nothing else."""

import re
from pathlib import Path

import pytest
from vdsim_plant.cli.vehicle import FILE_KINDS, main
from vdsim_plant.parameters import load_vehicle
from vdsim_plant.parameters.reference import reference_table

PAGE = Path(__file__).resolve().parents[4] / "docs" / "vehicle-files.md"


@pytest.mark.parametrize("kind", FILE_KINDS)
def test_the_page_holds_the_table_of_every_kind(kind: str) -> None:
    assert reference_table(FILE_KINDS[kind]) in PAGE.read_text(encoding="utf-8")


def test_every_key_of_a_vehicle_is_in_the_table() -> None:
    keys = set(re.findall(r"^\| `([^`]+)`", reference_table(FILE_KINDS["vehicle"]), re.MULTILINE))
    vehicle = load_vehicle("ioniq5_awd")
    groups = {name: value for name, value in vars(vehicle).items() if hasattr(value, "__dict__")}
    expected = {f"{name}.{key}" for name, group in groups.items() for key in vars(group)}
    assert keys == expected | {"name", "description"}


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "tyre"]) == 0
    assert capsys.readouterr().out.strip() == reference_table(FILE_KINDS["tyre"])
