"""FMUs of other tools: what is wrong with one is one line, before anything is loaded from it.

That a good one drives is shown where one can be compiled, in the lane fmu.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from vdsim_plant.fmu.archive import archived, fmu_files
from vdsim_plant.fmu.libraries import library_name
from vdsim_plant.fmu_import.foreign_vehicle import ForeignVehicle
from vdsim_plant.fmu_import.names import REQUIRED, links_of, read_names
from vdsim_plant.fmu_import.opened_fmu import OpenedFmu, open_fmu
from vdsim_plant.parameters import ParameterError
from vdsim_plant.vehicle import Vehicle

LIBRARY = library_name("3.0", "vdsim_ioniq5_awd")


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return fmu_files(Vehicle(), "3.0")


def written(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "car.fmu"
    path.write_bytes(archived(files))
    return path


def described(files: dict[str, bytes], old: str, new: str) -> dict[str, bytes]:
    """The files with another text in the description."""
    text = files["modelDescription.xml"].decode()
    assert old in text
    return {**files, "modelDescription.xml": text.replace(old, new).encode()}


def opened(folder: Path, files: dict[str, bytes]) -> OpenedFmu:
    return open_fmu(written(folder, {**files, LIBRARY: b"no program"}))


def refusal(fmu: Path) -> str:
    with pytest.raises(ParameterError) as refused:
        open_fmu(fmu)
    text = str(refused.value)
    assert "\n" not in text
    return text


def test_what_is_no_fmu_of_a_car_for_this_machine_is_refused(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    assert "No such file" in refusal(tmp_path / "nothing.fmu")
    (tmp_path / "text.fmu").write_text("text", encoding="utf-8")
    assert "is no FMU: not a zip archive" in refusal(tmp_path / "text.fmu")
    assert "no readable modelDescription.xml" in refusal(written(tmp_path, {"other": b""}))
    assert "no readable" in refusal(written(tmp_path, {"modelDescription.xml": b"<open>"}))
    old = described(files, 'fmiVersion="3.0"', 'fmiVersion="1.0"')
    assert "fmiVersion='1.0': must be 2.0 or 3.0" in refusal(written(tmp_path, old))
    other = described(files, "CoSimulation", "ModelExchange")
    assert "must be for co-simulation" in refusal(written(tmp_path, other))
    assert f"holds no {LIBRARY}" in refusal(written(tmp_path, files))


def test_a_library_that_is_none_is_refused(tmp_path: Path, files: dict[str, bytes]) -> None:
    fmu = written(tmp_path, {**files, LIBRARY: b"no program"})
    with pytest.raises(ParameterError, match="cannot be loaded"):
        ForeignVehicle(fmu, {}, Vehicle().parameters)


def test_files_stay_inside_the_folder_and_the_folder_goes(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    path = written(tmp_path, {**files, LIBRARY: b""})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../../escaped", b"")
    fmu = open_fmu(path)
    folder = fmu.library.parents[2]
    assert (folder / "escaped").exists()
    assert not (folder.parent.parent / "escaped").exists()
    del fmu
    assert not folder.exists()


def test_variables_with_our_names_need_no_file(tmp_path: Path, files: dict[str, bytes]) -> None:
    links = links_of(opened(tmp_path, files), Vehicle(), {})
    assert set(REQUIRED) <= set(links)
    assert links["gear"].theirs.kind == "i"
    assert links["handbrake"].theirs.kind == "b"
    assert links["steer_rad"].theirs.kind == "d"


def test_other_names_and_units_come_from_a_file(tmp_path: Path, files: dict[str, bytes]) -> None:
    fmu = opened(tmp_path, described(files, 'name="steer_rad"', 'name="Delta"'))
    names = tmp_path / "names.yaml"
    names.write_text("steer_rad: {name: Delta, scale: 57.2958}\nbrake: throttle\n")
    links = links_of(fmu, Vehicle(), read_names(names))
    assert (links["steer_rad"].theirs.name, links["steer_rad"].scale) == ("Delta", 57.2958)
    assert links["brake"].theirs.name == "throttle"
    with pytest.raises(ParameterError, match="has no variable steer_rad: name those that it has"):
        links_of(fmu, Vehicle(), {})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"steer": "Delta"}, "steer: no variable of a car; did you mean"),
        ({"steer_rad": "Delta"}, "steer_rad: .* has no variable 'Delta'"),
        ({"steer_rad": 3}, "steer_rad=3: must be a name, or"),
        ({"steer_rad": {"name": "steer_rad", "scale": 0}}, "other than 0"),
        ({"steer_rad": {"nam": "steer_rad"}}, "steer_rad=.*: must be a name"),
        ({"x_m": "steer_rad_text"}, "has no variable"),
    ],
)
def test_a_wrong_name_is_one_line(
    given: dict[str, Any], said: str, tmp_path: Path, files: dict[str, bytes]
) -> None:
    with pytest.raises(ParameterError, match=said) as refused:
        links_of(opened(tmp_path, files), Vehicle(), given)
    assert "\n" not in str(refused.value)
