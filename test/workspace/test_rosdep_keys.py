"""`rosdep install` finds what our packages name: in its database, or in the rules that we ship."""

from __future__ import annotations

import subprocess
from datetime import date
from pathlib import Path

import pytest
import yaml
from workspace import rosdep_keys
from workspace.rosdep_keys import DATA, DISTROS, OWN_RULES, has_rule, known, needed, package_files

READ = yaml.safe_load(DATA.read_text(encoding="utf-8"))
OWN = yaml.safe_load(OWN_RULES.read_text(encoding="utf-8"))


@pytest.mark.parametrize("distro", DISTROS)
def test_every_key_has_a_rule(distro: str) -> None:
    keys = needed(package_files())
    assert len(keys) > 30
    missing = {key: by for key, by in keys.items() if key not in READ[distro] and key not in OWN}
    assert missing == {}


def test_the_rules_that_we_ship_are_needed_and_not_in_the_database() -> None:
    keys = needed(package_files())
    for key, rule in OWN.items():
        assert key in keys
        assert all(key not in READ[distro] for distro in DISTROS)
        assert has_rule(rule, "noble")
        assert has_rule(rule, "jammy")


def test_the_database_is_named_by_commit_and_day() -> None:
    assert len(READ["commit"]) == 40
    assert READ["read"] >= date(2026, 11, 26)


DISTRIBUTION = """repositories:
  one: {release: {packages: [first, second]}}
  two: {release: {version: 1.0.0}}
  three: {source: {url: somewhere}}
"""
PYTHON = """
has: {ubuntu: [python3-has], debian: [python3-has]}
pip-only: {ubuntu: {pip: {packages: [pip-only]}}}
debian-only: {debian: [x]}
not-on-noble: {ubuntu: {'*': [x], noble: null}}
from-jammy-on: {ubuntu: {'*': [x], focal: null}}
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name, text in {"rosdep/python.yaml": PYTHON, "rosdep/base.yaml": "{}"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for distro in DISTROS:
        (tmp_path / distro).mkdir()
        (tmp_path / distro / "distribution.yaml").write_text(DISTRIBUTION, encoding="utf-8")
    return tmp_path


def test_a_key_is_a_released_package_or_a_rule_for_that_ubuntu(clone: Path) -> None:
    released = {"first", "second", "two"}
    assert known(clone, "jazzy") == released | {"has", "pip-only", "from-jammy-on"}
    assert known(clone, "humble") == known(clone, "jazzy") | {"not-on-noble"}


def test_a_clone_is_read_and_what_it_lacks_is_named(
    clone: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        person = ["-c", "user.name=x", "-c", "user.email=x@y.invalid"]
        subprocess.run(["git", "-C", str(clone), *person, *command], check=True)
    monkeypatch.setattr(rosdep_keys, "DATA", tmp_path / "found.yaml")
    assert rosdep_keys.main([str(clone)]) == 1
    assert "rclpy: no rule; named by " in capsys.readouterr().out
    stored = yaml.safe_load((tmp_path / "found.yaml").read_text(encoding="utf-8"))
    assert stored["jazzy"] == []
    assert rosdep_keys.main([str(tmp_path / "nowhere")]) == 2
