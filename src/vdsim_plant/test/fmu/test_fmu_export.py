"""`vdsim_fmu export`: what is in the file, and what is said where none can be made."""

from __future__ import annotations

import platform
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from vdsim_plant.cli.fmu import main
from vdsim_plant.fmu.archive import VERSIONS, archived, fmu_files, token_of
from vdsim_plant.fmu.libraries import library_name
from vdsim_plant.fmu.variables import variables_of
from vdsim_plant.ground import Ground, MuGrid
from vdsim_plant.kernel import layout as at
from vdsim_plant.motion import InitialState
from vdsim_plant.vehicle import Vehicle


@pytest.fixture(scope="module")
def car() -> Vehicle:
    return Vehicle("sport_rwd")


@pytest.mark.parametrize("version", VERSIONS)
def test_the_same_car_gives_the_same_bytes_and_another_one_another_token(
    version: str, car: Vehicle
) -> None:
    files = fmu_files(car, version)
    assert archived(files) == archived(fmu_files(Vehicle("sport_rwd"), version))
    tokens = {token_of(files), token_of(fmu_files(Vehicle("sport_rwd", level="l1"), version))}
    assert len(tokens) == 2
    assert f'VD_TOKEN "{token_of(files)}"' in files["sources/vdsim_tables.h"].decode()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_description_lists_every_variable_with_its_place_in_the_table(
    version: str, car: Vehicle
) -> None:
    root = ElementTree.fromstring(fmu_files(car, version)["modelDescription.xml"].decode())
    listed = root.find("ModelVariables")
    assert listed is not None
    references = [int(item.get("valueReference", "")) for item in listed]
    assert references == list(range(len(variables_of(car))))
    names = [item.get("name") for item in listed]
    assert len(set(names)) == len(names)
    assert {"time", "steer_rad", "tire_fy_n_rr", "base_mu", "body.mass_kg"} <= set(names)


def test_the_wheels_outputs_are_in_the_order_of_the_observation(car: Vehicle) -> None:
    car.reset(InitialState(vx_mps=20.0))
    car.step_force(0.1, -3000.0, 0.5)
    buffer = car.capture()[0]
    motion = car.motion()
    for item in variables_of(car):
        if item.causality == "output":
            value = buffer[int(item.place.removeprefix("VD_CAR + "))]
            name, _, wheel = item.name.rpartition("_")
            if wheel in ("fl", "fr", "rl", "rr"):
                expected = getattr(motion, name)[("fl", "fr", "rl", "rr").index(wheel)]
            else:
                expected = getattr(motion, item.name)
            assert value == expected, item.name


def test_unknown_cells_of_a_grid_and_every_bit_of_a_number_reach_the_c_text() -> None:
    grid = MuGrid(np.array([[0.1, np.nan]]), cell_m=1.0, x0_m=0.0, y0_m=0.0)
    files = fmu_files(Vehicle(ground=Ground(grid=grid)))
    ground = files["sources/vdsim_tables.c"].decode().split("vdsim_ground")[1].split("};")[0]
    assert "0.1, NAN" in ground
    assert "painted_friction" in files["sources/vdsim_equations.h"].decode()
    cells = re.findall(r"[-\w.+]+", files["sources/vdsim_tables.c"].decode().split("{")[1])
    assert [float(cell) for cell in cells[: at.DT + 1]][at.DT] == 5e-4


def test_sources_alone_need_no_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "car.fmu"
    assert main(["export", "compact_fwd", "--sources-only", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: FMI 3.0 for co-simulation, with C sources\n"
    with zipfile.ZipFile(out) as fmu:
        names = set(fmu.namelist())
    assert "modelDescription.xml" in names
    assert not [name for name in names if name.startswith("binaries/")]
    listed = {"vdsim_kernel.c", "vdsim_car.c", "vdsim_tables.c", "fmi3.c", "buildDescription.xml"}
    assert {f"sources/{name}" for name in listed} <= names


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "none of cc, gcc, clang is installed: install one, name one with --compiler, or"),
        (["--compiler", "no-such-cc"], "compiler=no-such-cc: there is no such program"),
    ],
)
def test_it_is_said_where_there_is_no_compiler(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    out = tmp_path / "car.fmu"
    assert main(["export", "ioniq5_awd", "--out", str(out), *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ioniq5"], "ioniq5"),
        (["ioniq5_awd", "--substep", "0.5"], "--substep=0.5: must be"),
        (
            ["ioniq5_awd", "--substep", "0.01"],
            "--substep=0.01: must be <= 0.002 s, because braking",
        ),
        (["ioniq5_awd", "--level", "l3", "--sources-only"], "level='l3': has no FMU"),
        (["ioniq5_awd", "--tyre", "none"], "none"),
        (["ioniq5_awd", "--compiler", "false"], "compiler=false: no message"),
        (["ioniq5_awd", "--sources-only", "--out", "/no/such/folder/car.fmu"], "out="),
    ],
)
def test_a_wrong_argument_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    # Where no level l3 was compiled before, the kernel says so first.
    [error] = [line for line in lines if not line.startswith("vdsim_plant: compiling")]
    assert said in error


@pytest.mark.parametrize(
    ("system", "machine", "fmi_3", "fmi_2"),
    [
        ("Linux", "x86_64", "x86_64-linux/car.so", "linux64/car.so"),
        ("Darwin", "arm64", "aarch64-darwin/car.dylib", "darwin64/car.dylib"),
        ("Windows", "AMD64", "x86_64-windows/car.dll", "win64/car.dll"),
    ],
)
def test_the_library_is_where_each_version_expects_it(
    system: str, machine: str, fmi_3: str, fmi_2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert library_name("3.0", "car") == f"binaries/{fmi_3}"
    assert library_name("2.0", "car") == f"binaries/{fmi_2}"
