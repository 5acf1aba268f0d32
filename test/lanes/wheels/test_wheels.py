"""`./ws wheels` builds what the checkers of PyPI accept, and what drives in a fresh environment."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from vdsim_kit.docs import commands
from workspace.testing.pythons import MINORS, Python, installed

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = sorted(path.parent.name for path in (ROOT / "src").glob("*/setup.py"))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT / "tools"), os.environ["PYTHONPATH"]])
    return subprocess.run(
        [sys.executable, "-m", "wheels.run", *arguments],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archives; one that a checker refuses would have failed the command."""
    (command,) = commands(ROOT / "docs" / "where-it-runs.md", lane="wheels")
    folder = tmp_path_factory.mktemp("the wheels")
    ws, name, *arguments = shlex.split(command.text.replace("$OUT", str(folder)))
    assert (ws, name) == ("./ws", "wheels")
    done = run(*arguments)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"twine check --strict: {2 * len(PACKAGES)} archives pass" in done.stdout
    assert f"check-wheel-contents: {len(PACKAGES)} wheels pass" in done.stdout
    return folder


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_every_package_has_a_wheel_and_a_source_archive(out: Path) -> None:
    for package in PACKAGES:
        assert len(list(out.glob(f"{package}-*.whl"))) == 1
        assert len(list(out.glob(f"{package}-*.tar.gz"))) == 1
    assert len(list(out.iterdir())) == 2 * len(PACKAGES)


def test_a_wheel_holds_its_data_and_no_test(out: Path) -> None:
    for package in PACKAGES:
        (wheel,) = out.glob(f"{package}-*.whl")
        names = zipfile.ZipFile(wheel).namelist()
        assert f"{package}/py.typed" in names
        assert not [
            name for name in names if "/test/" in name or "/test_" in name or "_kit/" in name
        ]
        assert any(name.endswith("LICENSE") for name in names)
        (archive,) = out.glob(f"{package}-*.tar.gz")
        with tarfile.open(archive) as opened:
            assert any(name.endswith("/package.xml") for name in opened.getnames()), archive


def test_one_commit_gives_the_same_wheels(out: Path, tmp_path: Path) -> None:
    assert run(str(tmp_path)).returncode == 0
    wheels = {name: digest for name, digest in digests(out).items() if name.endswith(".whl")}
    again = {name: digest for name, digest in digests(tmp_path).items() if name.endswith(".whl")}
    assert again == wheels


PINS = ("python.txt", "plots.txt", "can.txt", "record.txt")
COMMANDS = (
    *("vdsim_chaos", "vdsim_dump", "vdsim_vehicle", "vdsim_manoeuvre", "vdsim_sweep", "vdsim_fmu"),
    *("vdsim_identify", "vdsim_realtime", "vdsim_calibrate", "vdsim_platform", "vdsim_can"),
)
"""Those of the wheels that need no ROS 2."""
DRIVE = """
import importlib, json, sys
packages = sys.argv[1:]
places = [importlib.import_module(name).__file__ for name in packages]

from vdsim_plant import VDSimPlant

plant = VDSimPlant("ioniq5_awd", base_mu=0.9, control_dt=0.05)
obs = plant.reset([0.0, 0.0, 0.0, 16.7, 0.0, 0.0])
for _ in range(20):
    obs = plant.step([0.02, -500.0])

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import HighLevelCommand

parameters = InterfaceParameters(control_command="high_level",
                                 safety=SafetyParameters(auto_engage=True))
spec = platform_spec("fake")
car = spec.create(spec.parameters(), PlatformSetup(parameters.vehicle, parameters.period_s))
pipeline = Pipeline(parameters, car, spec.capabilities)
for k in range(1, 501):
    pipeline.on_command(HighLevelCommand(0.01 * k, 5.0, 0.02), 0.01 * k)
    output = pipeline.tick(0.01 * k)

print(json.dumps({
    "places": places,
    "plant": [obs["X"].hex(), obs["Y"].hex(), obs["vx"].hex(), obs["r"].hex()],
    "plant_x_m": obs["X"],
    "mode": pipeline.mode.name,
    "interface_mps": output.report.velocity_mps,
    "ros": "rclpy" in sys.modules,
}))
"""


@pytest.fixture(scope="module", params=[f"3.{minor}" for minor in MINORS])
def environment(
    request: pytest.FixtureRequest, out: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A fresh environment with every wheel, and what they need from PyPI at our pins."""
    pythons: dict[str, Python] = {python.minor: python for python in installed()}
    if request.param not in pythons:
        pytest.skip(f"Python {request.param} is not on this machine: not tried")
    folder = tmp_path_factory.mktemp(f"fresh {request.param}") / "venv"
    subprocess.run([str(pythons[request.param].path), "-m", "venv", str(folder)], check=True)
    pip(folder, *map(str, sorted(out.glob("*.whl"))))
    return folder


def pip(folder: Path, *arguments: str) -> None:
    requirements = ROOT / "tools" / "requirements"
    constraints = [word for name in PINS for word in ("--constraint", str(requirements / name))]
    in_fresh(folder, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
             *constraints, *arguments)  # fmt: skip


def in_fresh(folder: Path, *arguments: str) -> str:
    """Run the environment's own Python, which sees nothing of this repository."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(folder / "bin" / "python"), "-I", *arguments],
        cwd=folder.parent, env=variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def drive(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(in_fresh(folder, "-c", DRIVE, *PACKAGES))
    return found


def test_wheels_drive_where_nothing_else_is_installed(environment: Path, out: Path) -> None:
    found = drive(environment)
    assert all(str(place).startswith(str(environment)) for place in found["places"])  # type: ignore[attr-defined]
    assert 16.0 < float(str(found["plant_x_m"])) < 17.0  # a second at 16.7 m/s, braking a little
    assert found["mode"] == "AUTONOMOUS"
    assert float(str(found["interface_mps"])) == pytest.approx(5.0, abs=0.3)
    assert found["ros"] is False
    # The source archives beside them: the same bits. Their build is isolated, as at everybody's.
    pip(environment, "--force-reinstall", "--no-deps", *map(str, sorted(out.glob("*.tar.gz"))))
    assert drive(environment) == found


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_wheels_starts(environment: Path, command: str) -> None:
    done = subprocess.run(
        [str(environment / "bin" / command), "--help"], cwd=environment.parent,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert command in done.stdout


def test_a_fresh_environment_is_coherent(environment: Path) -> None:
    assert "No broken requirements found" in in_fresh(environment, "-m", "pip", "check")
