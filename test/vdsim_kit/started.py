"""What a launch file would start: it is read and its arguments are checked, no process runs."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from launch.actions import ExecuteProcess, IncludeLaunchDescription, LogInfo
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchLogDir
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from launch_xml.launch_description_sources import XMLLaunchDescriptionSource
from vdsim_interface.ros.launching.parameter_files import load

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

ROOT = Path(__file__).resolve().parents[2]
OVERLAY = ROOT / "extras/autoware_overlay"
SHIPPED = re.compile(r"\$\(find-pkg-share (\w+)\)(?:/([\w./-]+))?")
SHIPPED_BY_PYTHON = re.compile(r'FindPackageShare\(\s*"(\w+)"\s*\)(?:,\s*"/([\w./-]+)")?')


class Started:
    """The programs of a launch file, with these launch configurations of an outer file.

    `is_deep`: what it includes is read, too; otherwise its name is in `includes`.
    """

    def __init__(self, file: Path, *, is_deep: bool = False, **outer: str) -> None:
        self.programs: list[str] = []
        self.includes: list[str] = []
        self.lines: list[str] = []
        self._parameters: dict[str, list[Any]] = {}
        self._is_deep = is_deep
        context = LaunchContext()
        context.launch_configurations.update(outer)
        is_xml = file.suffix == ".xml"
        kind = XMLLaunchDescriptionSource if is_xml else PythonLaunchDescriptionSource
        self._visit(kind(str(file)).get_launch_description(context), context)
        self.configurations = dict(context.launch_configurations)
        self.log_folder = Path(LaunchLogDir().perform(context))
        """Of the process: the first launch in it decides."""

    def _visit(self, entity: LaunchDescriptionEntity, context: LaunchContext) -> None:
        condition = getattr(entity, "condition", None)
        if condition is not None and not condition.evaluate(context):
            return
        if isinstance(entity, IncludeLaunchDescription):
            inner: Iterable[LaunchDescriptionEntity] | None = ()
            if self._is_deep:  # the location is known once it is loaded
                with contextlib.suppress(ImportError):  # containers of compiled components
                    inner = entity.visit(context)
            location = entity.launch_description_source.location
            self.includes.append(Path(location.strip("'")).name)
            for each in inner or ():
                self._visit(each, context)
        elif isinstance(entity, ExecuteProcess):
            executable = entity.node_executable  # type: ignore[attr-defined]
            parts = normalize_to_list_of_substitutions(executable)
            program = perform_substitutions(context, parts)
            self.programs.append(program)
            given = getattr(entity, "_Node__parameters", None) or ()  # there is no public way
            self._parameters[program] = [self._evaluated(each, context) for each in given]
        elif isinstance(entity, LogInfo):
            self.lines.append(perform_substitutions(context, entity.msg))
        elif isinstance(entity, LaunchDescription):
            for each in entity.entities:
                self._visit(each, context)
        else:
            for each in entity.visit(context) or ():
                self._visit(each, context)

    @staticmethod
    def _evaluated(given: Any, context: LaunchContext) -> Any:
        if not isinstance(given, Mapping):
            file = given.evaluate(context) if hasattr(given, "evaluate") else given
            return str(file)
        return {
            str(name): value.evaluate(context) if hasattr(value, "evaluate") else value
            for name, value in given.items()
        }

    def values_for(self, program: str, node: str) -> dict[str, object]:
        """The parameters that a program is given for its node, by full names."""
        values: dict[str, object] = {}
        for given in self._parameters[program]:
            values |= load(given).values_for(node) if isinstance(given, str) else given
        return values


class Prefix:
    """A folder that the ament index finds before all others, with packages made for a test."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        before = os.environ.get("AMENT_PREFIX_PATH", "")
        monkeypatch.setenv("AMENT_PREFIX_PATH", f"{folder}:{before}")

    def _register(self, package: str) -> Path:
        index = self.folder / "share/ament_index/resource_index/packages"
        index.mkdir(parents=True, exist_ok=True)
        (index / package).touch()
        return self.folder / "share" / package

    def link(self, source: Path) -> None:
        """Install a package of launch and parameter files as it is."""
        name = ElementTree.parse(source / "package.xml").findtext("name") or ""
        share = self._register(name)
        if not share.exists():
            share.symlink_to(source, target_is_directory=True)

    def make(self, package: str, file: str = "", content: str = "<launch/>") -> None:
        """Install a package, or one more file of it."""
        share = self._register(package)
        share.mkdir(parents=True, exist_ok=True)
        if file:
            (share / file).parent.mkdir(parents=True, exist_ok=True)
            (share / file).write_text(content, encoding="utf-8")

    def has(self, package: str) -> bool:
        """Whether the package is here."""
        return (self.folder / "share" / package).exists()


DOUBLE = (
    "from launch import LaunchDescription\n\n\n"
    "def generate_launch_description():\n    return LaunchDescription([])\n"
)
"""A launch file of Python that starts nothing."""


def make_doubles(prefix: Prefix, texts: list[str], known: set[str]) -> None:
    """Install what launch files name and nobody brings: files that start nothing."""
    for text in texts:
        for package, file in SHIPPED.findall(text) + SHIPPED_BY_PYTHON.findall(text):
            if package in known:
                continue
            is_launch = ".launch." in file
            content = DOUBLE if file.endswith(".py") else "<launch/>"
            prefix.make(package, file if is_launch else "", content)
