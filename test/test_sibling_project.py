"""A project beside this one, in a folder and an environment of its own, uses the plant.

The environment is made as a user makes one: a venv, and pip install of the library's folder. What
the library needs (numpy, numba, ...) comes from the workspace's environment, so that no index is
asked; the library itself must come from the new one.
"""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import subprocess
import venv
import zipfile
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

import vdsim_plant

ROOT = Path(__file__).resolve().parents[1]
FROM_THE_WORKSPACE = ("numpy", "scipy", "numba", "llvmlite", "yaml", "pip", "setuptools")
CLOSED_LOOP = ROOT / "examples" / "closed_loop_sim.py"
OWN_PLANT = "    plant = SingleTrackPlant(mu=MU, control_dt=PERIOD_S)\n"
OUR_PLANT = '    plant = VDSimPlant("ioniq5_awd", base_mu=MU, control_dt=PERIOD_S)\n'

THE_CONTRACTS_LOOP = '''
import json
import vdsim_plant
from vdsim_plant import VDSimPlant

class Mpc:
    """Brakes and turns on the patch."""
    def solve(self, obs):
        return [0.03, -3000.0 if obs["X"] > 20.0 else 0.0]

mpc, N = Mpc(), 60
plant = VDSimPlant(config="ioniq5_awd.yaml", friction_map=[(30.0, 60.0, 0.5)], base_mu=0.9,
                   control_dt=0.05, substep_dt=5e-4)
X = Y = psi = vy = r = 0.0
vx = 16.7
obs = plant.reset(state0=[X, Y, psi, vx, vy, r])
for k in range(N):
    u = mpc.solve(obs)
    obs = plant.step(u)
print(json.dumps({"file": vdsim_plant.__file__, "obs": obs, "mu": plant.wheel_mu()}))
'''


class Sibling:
    """The project: its folder, its Python."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = folder / "venv"
        self.programs = self.environment / "bin"
        venv.create(self.environment, with_pip=False, symlinks=True)
        # Not importlib.util's: a finder of setuptools warns there once distutils is imported.
        found = [PathFinder.find_spec(name) for name in FROM_THE_WORKSPACE]
        folders = {str(Path(str(spec.origin)).parents[1]) for spec in found if spec is not None}
        (self.site_packages / "of_the_workspace.pth").write_text("\n".join(sorted(folders)))

    @property
    def site_packages(self) -> Path:
        """Where the project's environment installs to."""
        found = list(self.environment.glob("lib/python*/site-packages"))
        assert len(found) == 1
        return found[0]

    def install(self, package: Path) -> None:
        """Pip install the wheel of a copy of a folder: building leaves files in the sources."""
        copy = self.folder / package.name
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("test", "__pycache__"))
        options = ("-q", "--no-index", "--no-deps")
        wheels = ("--no-build-isolation", "--wheel-dir", str(self.wheels))
        self.run("-m", "pip", "wheel", *options, *wheels, str(copy))
        shutil.rmtree(copy)
        self.run("-m", "pip", "install", *options, "--ignore-installed", str(self.wheel()))

    @property
    def wheels(self) -> Path:
        """Where built packages are."""
        return self.folder / "wheels"

    def wheel(self) -> Path:
        """Return the one wheel that was built."""
        found = list(self.wheels.iterdir())
        assert len(found) == 1
        return found[0]

    def run(self, *arguments: str) -> str:
        """Run the project's Python in its folder; return what it printed."""
        return self.output([str(self.programs / "python"), *arguments])

    def output(self, command: list[str]) -> str:
        """Run a command without anything of the workspace around it."""
        kept = ("HOME", "PATH", "TMPDIR", "VDSIM_CACHE_DIR", "LD_LIBRARY_PATH")
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={name: os.environ[name] for name in kept if name in os.environ},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def sibling(tmp_path_factory: pytest.TempPathFactory) -> Sibling:
    project = Sibling(tmp_path_factory.mktemp("thesis"))
    project.install(ROOT / "src" / "vdsim_plant")
    return project


def test_it_imports_the_library_from_its_own_environment(sibling: Sibling) -> None:
    # [VS-2.4] [VS-2.8.4]
    (sibling.folder / "loop.py").write_text(THE_CONTRACTS_LOOP, encoding="utf-8")
    printed = json.loads(sibling.run("-W", "error", "loop.py"))
    assert Path(str(printed["file"])).is_relative_to(sibling.site_packages)
    assert not (sibling.site_packages / "vdsim_plant_kit").exists()
    observation = printed["obs"]
    assert set(observation) >= {"X", "Y", "psi", "vx", "vy", "r", "ax", "ay", "beta"}
    assert len(observation["wheel"]) == 4
    for wheel in observation["wheel"]:
        assert set(wheel) >= {"Fx", "Fy", "Fz", "alpha", "kappa", "mu"}
    assert observation["X"] > 30.0
    assert observation["vx"] < 16.0


def test_the_wheel_is_for_every_python_and_system(sibling: Sibling) -> None:
    assert sibling.wheel().name == f"vdsim_plant-{vdsim_plant.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(sibling.wheel()) as wheel:
        names = wheel.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        stated = email.message_from_bytes(wheel.read(metadata))
    assert not [name for name in names if Path(name).suffix in {".so", ".pyd", ".o"}]
    assert stated["Requires-Python"] == ">=3.10"
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in range(10, 15)} <= set(
        stated.get_all("Classifier", [])
    )
    assert stated["Description-Content-Type"] == "text/markdown"
    assert "](../" not in str(stated.get_payload())  # a link that leads nowhere outside of here
    assert all(re.search(r">=\d", need) for need in stated.get_all("Requires-Dist", [])[:5])


def test_the_sample_of_its_page_runs_there(sibling: Sibling) -> None:
    page = (ROOT / "src" / "vdsim_plant" / "README.md").read_text(encoding="utf-8")
    (sample,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (sibling.folder / "sample.py").write_text(sample, encoding="utf-8")
    speed, force = map(float, sibling.run("-W", "error", "sample.py").split())
    assert 16.0 < speed < 16.7
    assert force > 0.0


def test_the_acceptance_runs_there(sibling: Sibling) -> None:
    printed = sibling.output([str(sibling.programs / "vdsim_acceptance")])
    assert len([line for line in printed.splitlines() if line.startswith("| ")]) == 6
    assert "and in another" in printed


def test_a_car_is_exported_there(sibling: Sibling) -> None:
    fmu = sibling.folder / "car.fmu"
    export = ["export", "ioniq5_awd", "--sources-only", "--out", str(fmu)]
    sibling.output([str(sibling.programs / "vdsim_fmu"), *export])
    with zipfile.ZipFile(fmu) as archive:
        assert "sources/vdsim_equations.h" in archive.namelist()


def test_a_closed_loop_changes_its_plant_by_one_line(sibling: Sibling) -> None:
    """The controller stays as it is, and keeps its lane on the other plant too."""
    own = CLOSED_LOOP.read_text(encoding="utf-8")
    assert own.count(OWN_PLANT) == 1
    (sibling.folder / "own.py").write_text(own, encoding="utf-8")
    (sibling.folder / "ours.py").write_text(own.replace(OWN_PLANT, OUR_PLANT), encoding="utf-8")
    for script, plant in (("own.py", "SingleTrackPlant"), ("ours.py", "VDSimPlant")):
        name, _, figures = sibling.run("-W", "error", script).partition(": ")
        off, at_the_end, speed = map(float, re.findall(r"\d+\.\d+", figures))
        assert name == plant
        assert off < 0.10
        assert at_the_end < 0.02
        assert speed == pytest.approx(16.7, abs=0.3)
