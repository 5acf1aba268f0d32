"""When `./ws` builds again."""

import os
from pathlib import Path

import pytest
from workspace import fingerprint


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A small package."""
    (tmp_path / "package" / "test").mkdir(parents=True)
    for name in ("setup.py", "module.py", "Thing.msg", "launch.yaml"):
        (tmp_path / "package" / name).write_text("first")
    return tmp_path


def _touch(path: Path) -> None:
    path.write_text("second")
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))


@pytest.mark.parametrize("name", ["setup.py", "Thing.msg"])
def test_a_change_of_what_is_built_asks_for_a_build(source: Path, name: str) -> None:
    before = fingerprint.of_sources([source])
    _touch(source / "package" / name)
    assert fingerprint.of_sources([source]) != before


@pytest.mark.parametrize("name", ["module.py", "launch.yaml"])
def test_a_change_of_what_is_linked_does_not(source: Path, name: str) -> None:
    before = fingerprint.of_sources([source])
    _touch(source / "package" / name)
    assert fingerprint.of_sources([source]) == before


@pytest.mark.parametrize("name", ["new.yaml", "Other.msg", "launch/new.launch.py"])
def test_a_new_file_does(source: Path, name: str) -> None:
    before = fingerprint.of_sources([source])
    (source / "package" / name).parent.mkdir(exist_ok=True)
    (source / "package" / name).touch()
    assert fingerprint.of_sources([source]) != before


@pytest.mark.parametrize(
    "name", ["test/new.yaml", "module.pyc", "new_module.py", "build/setup.py", "package.egg-info/x"]
)
def test_tests_caches_modules_and_the_build_of_pip_do_not(source: Path, name: str) -> None:
    before = fingerprint.of_sources([source])
    (source / "package" / name).parent.mkdir(exist_ok=True)
    (source / "package" / name).touch()
    assert fingerprint.of_sources([source]) == before


def test_neither_time_nor_place_asks_for_a_build(source: Path, tmp_path: Path) -> None:
    package = source / "package"
    before = fingerprint.of_sources([package])
    os.utime(package / "setup.py", ns=(0, 0))
    assert fingerprint.of_sources([package]) == before
    moved = tmp_path / "elsewhere" / "package"
    moved.parent.mkdir()
    package.rename(moved)
    assert fingerprint.of_sources([moved]) == before
