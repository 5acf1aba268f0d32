"""What `./ws` asks for on a machine: what the ROS 2 that is used there needs, and no more."""

from __future__ import annotations

import pytest
from workspace import needs

CMAKE = {"CMake", "make"}


def _names(origin: str) -> set[str]:
    return {need.name for need in needs.needs(origin)}


def test_the_wheels_need_a_compiler_and_no_cmake() -> None:
    assert "a C++ compiler" in _names("wheels")
    assert not CMAKE & _names("wheels")


@pytest.mark.parametrize("origin", ["sourced", "installed"])
def test_colcon_needs_cmake_in_addition(origin: str) -> None:
    assert _names(origin) == _names("wheels") | CMAKE


def test_one_line_names_all_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(needs, "_has_venv", lambda: True)
    monkeypatch.setattr(needs, "_python_headers", lambda: True)
    assert needs.missing_line(needs.needs("wheels")) == (
        "missing: a C++ compiler, bash. Install with: sudo apt-get install g++ bash"
    )
    assert needs.missing_line(needs.CMAKE_NEEDS, " for this") == (
        "missing for this: CMake, make. Install with: sudo apt-get install cmake make"
    )


def test_the_build_program_is_the_one_of_the_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: name if name in ("cmake", "ninja") else None)
    monkeypatch.delenv("CMAKE_GENERATOR", raising=False)
    assert "make" in needs.missing_line(needs.CMAKE_NEEDS)
    monkeypatch.setenv("CMAKE_GENERATOR", "Ninja Multi-Config")
    assert needs.missing_line(needs.CMAKE_NEEDS) == ""


def test_nothing_missing_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: name)
    assert needs.missing_line(needs.CMAKE_NEEDS) == ""
