"""Mutation run over the wire tables and the VDS1 core (pip install mutmut pytest hypothesis).

    python mutate.py FOLDER [--record]

Copies the package and its tests into FOLDER (which must not exist), lets mutmut change one thing
at a time and runs the tests against each. Functions that run on import (the compilers of readers
and writers) cannot be switched in a process that has already imported them, so every mutant that
survived the first pass is tried again in its own process. `--record` writes the figures into
figures.json, from which docs/safety.md is made. Survivors are listed; those in argued.json
change nothing that can be observed. Ends with 1 when more than 2 % survive or when one is not
argued.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "vdsim_protocol"
KIT = HERE.parents[1] / "vdsim_protocol_kit"
TESTS = HERE.parent
LARGEST_SHARE = 0.02
MUTMUT = [sys.executable, "-m", "mutmut"]
SUSPECTS = ("survived", "no tests", "timeout", "suspicious")
SETTINGS = """\
[project]
name = "mutation"
version = "0"

[tool.mutmut]
source_paths = ["vdsim_protocol"]
only_mutate = ["vdsim_protocol/vds1/*", "vdsim_protocol/wire.py"]
also_copy = ["vdsim_protocol", "vdsim_protocol_kit", "test"]
pytest_add_cli_args_test_selection = ["test/"]
pytest_add_cli_args = ["-x", "-p", "no:cacheprovider", "--import-mode=importlib"]

[tool.pytest.ini_options]
pythonpath = ["."]
testpaths = ["test"]
"""


def prepare(folder: Path) -> None:
    """Copy the package, and the tests of its core with what these need."""
    tests = folder / "test"
    tests.mkdir(parents=True)
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(KIT, folder / KIT.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(TESTS / "vectors", tests / "vectors")
    for test in [*TESTS.glob("test_vds1_*.py"), TESTS / "test_wire.py"]:
        if test.name != "test_vds1_import.py":  # runs where nothing is mutated
            shutil.copy(test, tests)
    (folder / "pyproject.toml").write_text(SETTINGS)


def first_pass(folder: Path) -> dict[str, str]:
    """Every mutant's name and its result."""
    with (folder / "mutmut.log").open("wb") as log:
        subprocess.run([*MUTMUT, "run"], cwd=folder, check=True, stdout=log, stderr=log)
    shown = subprocess.run(
        [*MUTMUT, "results", "--all", "true"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(re.findall(r"^\s*(\S+__mutmut_\d+): (.+)$", shown.stdout, re.MULTILINE))


def lives(folder: Path, mutant: str) -> bool:
    """Whether the tests pass with a mutant that is active from the start."""
    environ = {**os.environ, "MUTANT_UNDER_TEST": mutant}
    options = ["-x", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", "--assert=plain"]
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "test"],
        cwd=folder / "mutants",
        env=environ,
        capture_output=True,
        check=False,
    )
    return tests.returncode == 0


def change_of(folder: Path, mutant: str) -> str:
    """The lines that a mutant changes."""
    shown = subprocess.run([*MUTMUT, "show", mutant], cwd=folder, capture_output=True, text=True)
    lines = [line for line in shown.stdout.splitlines() if re.match(r"[-+](?![-+]{2} )", line)]
    return "\n".join(re.sub(r"^([-+])\s+", r"\1 ", line) for line in lines)


def main() -> int:
    """Run, print, judge."""
    options = sys.argv[2:]
    if len(sys.argv) < 2 or options not in ([], ["--record"]) or Path(sys.argv[1]).exists():
        print("mutate.py FOLDER [--record]: give a folder that does not exist yet", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1]).resolve()
    prepare(folder)
    results = first_pass(folder)
    suspects = [name for name, result in results.items() if result in SUSPECTS]
    print(f"{len(results)} mutants, {len(suspects)} to try again, each in its own process")
    if not lives(folder, "no mutant"):
        print("the tests fail without any mutant", file=sys.stderr)
        return 2
    survivors = [name for name in suspects if lives(folder, name)]
    argued = json.loads((HERE / "argued.json").read_text())
    unargued = 0
    for name in survivors:
        change = change_of(folder, name)
        why = argued.get(change, "")
        unargued += not why
        print(f"\n{name}\n{change}\n=> {why or 'NOT ARGUED'}")
    if options:
        tried, survived = len(results), len(survivors)
        figures = {"mutants": tried, "tried": tried, "survived": survived}
        figures["argued"] = survived - unargued
        text = json.dumps({"wire": figures}, indent=2) + "\n"
        (HERE / "figures.json").write_text(text, encoding="utf-8")
    share = len(survivors) / len(results)
    print(f"\n{len(survivors)} of {len(results)} survive: {share:.2%}; {unargued} not argued")
    return 1 if unargued or share > LARGEST_SHARE else 0


if __name__ == "__main__":
    sys.exit(main())
