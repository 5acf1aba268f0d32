"""Packages are found in the ament index."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch.substitutions import LaunchConfiguration, SubstitutionFailure
from launch_ros.substitutions import (
    ExecutableInPackage,
    FindPackage,
    FindPackagePrefix,
    FindPackageShare,
)

from launch import LaunchContext


def test_paths(package_prefix: Path) -> None:
    context = LaunchContext()
    context.launch_configurations["pkg"] = "demo"
    name = LaunchConfiguration("pkg")
    assert FindPackagePrefix(name).perform(context) == str(package_prefix)
    assert FindPackage("demo").perform(context) == str(package_prefix)
    assert FindPackageShare(name).perform(context) == str(package_prefix / "share/demo")
    path = ExecutableInPackage("show", name).perform(context)
    assert path == str(package_prefix / "lib/demo/show")


def test_missing_package() -> None:
    with pytest.raises(SubstitutionFailure, match=r"^package 'nope' not found, searching"):
        FindPackageShare("nope").perform(LaunchContext())


def test_descriptions() -> None:
    assert FindPackageShare("a").describe() == "FindPackageShare(pkg='a')"
    assert ExecutableInPackage("x", "a").describe() == "ExecInPkg(pkg='a', exec='x')"
