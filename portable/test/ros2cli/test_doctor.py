from __future__ import annotations

from pathlib import Path

import pytest
from ros2cli.doctor_checks import Section, distribution, network, packages, prefixes


def test_a_sound_environment_has_no_problems(tmp_path: Path) -> None:
    environ = {
        "ROS_DISTRO": "jazzy",
        "ROS_VERSION": "2",
        "AMENT_PREFIX_PATH": str(tmp_path),
        "ROS_DOMAIN_ID": "101",
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }
    sections = [distribution(environ), prefixes(environ), network(environ)]
    assert [section.problems for section in sections] == [()] * 3
    assert ("distribution name", "jazzy") in sections[0].rows
    assert sections[1].rows == (("1", str(tmp_path)),)


@pytest.mark.parametrize("domain", ["102", "-1", "x"])
def test_domain_out_of_range(domain: str) -> None:
    assert network({"ROS_DOMAIN_ID": domain}).problems == (
        f"ROS_DOMAIN_ID={domain}: must be within 0 to 101",
    )


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert "ROS_DISTRO is not set" in distribution({}).problems[0]
    assert distribution({"ROS_DISTRO": "x", "ROS_VERSION": "1"}).problems == (
        "ROS_VERSION=1: must be 2",
    )
    assert "AMENT_PREFIX_PATH is not set" in prefixes({}).problems[0]
    gone = tmp_path / "gone"
    assert prefixes({"AMENT_PREFIX_PATH": str(gone)}).problems == (f"{gone}: no such directory",)
    assert network({"ROS_AUTOMATIC_DISCOVERY_RANGE": "HERE"}).problems == (
        "ROS_AUTOMATIC_DISCOVERY_RANGE=HERE: must be one of SUBNET, LOCALHOST, OFF, SYSTEM_DEFAULT",
    )


def test_installed_packages_are_listed_with_versions() -> None:
    versions = dict(packages().rows)
    assert versions["std_msgs"][0].isdigit()


def test_text_of_a_section() -> None:
    section = Section("TITLE", (("a", "1"), ("long", "2")), ("wrong",))
    assert section.text() == "   TITLE\na    : 1\nlong : 2\nproblem: wrong"
