"""Every test file can be collected where upstream's launch_testing is installed.

Its pytest plug-in imports each file before pytest does, as a module with the name of the file alone
and with the file's folder in front of the module path, to see whether it is a launch test. One file
that this fails for ends the collection of the whole run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from vdsim_kit.tools import is_launch_upstreams

pytestmark = pytest.mark.skipif(
    is_launch_upstreams(), reason="upstream's own plug-in collects here, in every run"
)
ROOT = Path(__file__).resolve().parents[1]
# What upstream's plug-in does to each file, as a plug-in of its own.
PLUGIN = """
import importlib
import sys
import pytest

def pytest_pycollect_makemodule(module_path):
    folder = module_path.parent
    if (folder / "__init__.py").exists():
        raise pytest.UsageError(f"{folder}: a test folder must not be a package")
    sys.path[:] = [str(folder), *(entry for entry in sys.path if entry != str(folder))]
    module = importlib.import_module(module_path.stem)
    if module.__file__ != str(module_path):
        raise pytest.UsageError(f"{module_path}: {module.__file__} is imported by that name")
"""


def collected(plugin_folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Collect with the plug-in, and with no other change."""
    (plugin_folder / "imports_by_basename.py").write_text(PLUGIN, encoding="utf-8")
    path = os.pathsep.join([str(plugin_folder), os.environ.get("PYTHONPATH", "")])
    options = ("-p", "imports_by_basename", "-p", "no:cacheprovider", "--collect-only", "-q")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_whole_repository_is_collected(tmp_path: Path) -> None:
    # The paths of pyproject.toml, as `./ws test` and continuous integration collect them.
    done = collected(tmp_path)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert "test/test_drive.py" in done.stdout


def test_the_examples_are_collected(tmp_path: Path) -> None:
    done = collected(tmp_path, "examples")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr


@pytest.mark.parametrize(
    ("files", "error"),
    [
        (["one/test_same.py", "two/test_same.py"], "is imported by that name"),
        (["test_support.py", "__init__.py"], "must not be a package"),
    ],
    ids=["one name twice", "a package"],
)
def test_what_upstream_refuses_is_found(files: list[str], error: str, tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    for name in files:
        (tests / name).parent.mkdir(parents=True, exist_ok=True)
        (tests / name).write_text("def test_nothing(): pass\n", encoding="utf-8")
    # Else the root of a checkout beside it is the folder above both, with whatever is in there.
    done = collected(tmp_path, f"--rootdir={tmp_path}", str(tests))
    assert done.returncode != 0
    assert error in done.stdout + done.stderr
