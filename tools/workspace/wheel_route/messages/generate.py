"""rosidl's generators, each interface parsed once.

The generators read their arguments from a JSON file, as rosidl's CMake functions write it, and
call `parse_idl_file` for each interface. That parser takes most of their time, so its results are
kept by the content of the interface: a change of one message parses one message.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import pickle
import re
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from workspace.wheel_route.messages import templates
from workspace.wheel_route.messages.packages import InterfacePackage

# rmw_fastrtps_cpp converts with the one and describes the type to Fast DDS by the other.
FAST_DDS = "rosidl_typesupport_fastrtps_c"
INTROSPECTION = "rosidl_typesupport_introspection_c"
TYPE_SUPPORTS = (FAST_DDS, INTROSPECTION)
# rclpy asks each package for the type supports in its module of this name.
ENTRY_POINT = "rosidl_typesupport_c"
_DESCRIPTIONS = "rosidl_generator_type_description"
_TEXT = r'"(?:[^"\\]|\\.)*"'
_COMMENT = re.compile(rf'@verbatim \(language="comment", text=\s*{_TEXT}(?:\s*{_TEXT})*\)')


@dataclass(frozen=True)
class Generator:
    """One of rosidl's generators: its package, its function and what that takes beside the file."""

    package: str
    function: str
    extra: tuple[list[str], ...] = ()


GENERATORS = (
    Generator("rosidl_generator_py", "generate_py", ([ENTRY_POINT],)),
    Generator("rosidl_generator_c", "generate_c"),
    Generator(FAST_DDS, "generate_typesupport_fastrtps_c"),
    Generator(INTROSPECTION, "generate_c"),
    Generator(ENTRY_POINT, "generate_c", (list(TYPE_SUPPORTS),)),
)


class Workspace:
    """The generated files of all packages: `work`/PACKAGE/GENERATOR/PACKAGE/..."""

    def __init__(self, work: Path, ros: Path, packages: list[InterfacePackage]) -> None:
        self.work = work
        self.ros = ros
        self.packages = packages

    def output(self, package: InterfacePackage, generator: str) -> Path:
        """The folder that a generator writes the files of a package to."""
        return self.work / package.name / generator / package.name

    def idl(self, package: InterfacePackage, interface: Path) -> Path:
        """An interface in the language that the generators read."""
        return self.work / package.name / "idl" / interface.with_suffix(".idl")

    def generate(self, pool: ProcessPoolExecutor) -> None:
        """Generate all code; raises what the generators raise."""
        self._translate()
        parsed = self.work / "parsed"
        parsed.mkdir(exist_ok=True)
        idls = [self.idl(p, interface) for p in self.packages for interface in p.interfaces]
        missing = [file for file in idls if not _parsed_file(parsed, file).exists()]
        # Each worker takes one at a time: their sizes differ.
        for file in chain(
            (file for file in idls if file not in missing),
            pool.map(_parse, missing, [parsed] * len(missing)),
        ):
            print(f"Parsed {file.stem}", flush=True)
        _remove_others(parsed, {_parsed_file(parsed, file) for file in idls})
        for package in self.packages:  # in their order: a package reads what it depends on
            _run(Generator(_DESCRIPTIONS, "generate_type_hash"), self._describe(package), parsed)
        jobs = [
            (package, pool.submit(_run, generator, self._arguments(package, generator), parsed))
            for generator in GENERATORS
            for package in self.packages
        ]
        for package, job in jobs:
            job.result()
            print(f"Generated code of {package.name}", flush=True)
        for package in self.packages:
            self._write_visibility(package)

    def _translate(self) -> None:
        convert = importlib.import_module("rosidl_adapter").convert_to_idl
        for package in self.packages:
            for interface in package.interfaces:
                output = self.work / package.name / "idl"
                convert(package.folder, package.name, interface, output)

    def _describe(self, package: InterfacePackage) -> dict[str, Any]:
        shares = {folder.name: folder for folder in (self.ros / "share").iterdir()}
        shares |= {other.name: self.output(other, _DESCRIPTIONS) for other in self.packages}
        return {
            **self._common(package, _DESCRIPTIONS),
            "include_paths": [f"{name}:{folder}" for name, folder in sorted(shares.items())],
        }

    def _arguments(self, package: InterfacePackage, generator: Generator) -> dict[str, Any]:
        descriptions = self.output(package, _DESCRIPTIONS)
        idls = [interface.with_suffix(".idl") for interface in package.interfaces]
        return {
            **self._common(package, generator.package),
            "template_dir": str(self.ros / "share" / generator.package / "resource"),
            "target_dependencies": [],
            "ros_interface_dependencies": [],
            "ros_interface_files": [str(package.folder / path) for path in package.interfaces],
            "type_description_tuples": [
                f"{idl}:{descriptions / idl.with_suffix('.json')}" for idl in idls
            ],
        }

    def _common(self, package: InterfacePackage, generator: str) -> dict[str, Any]:
        folder = self.work / package.name / "idl"
        output = self.output(package, generator)
        for kind in {interface.parent for interface in package.interfaces}:
            (output / kind).mkdir(parents=True, exist_ok=True)
        return {
            "package_name": package.name,
            "output_dir": str(output),
            "idl_tuples": [f"{folder}:{path.with_suffix('.idl')}" for path in package.interfaces],
        }

    def _write_visibility(self, package: InterfacePackage) -> None:
        """The headers that CMake would configure."""
        for generator in ("rosidl_generator_c", *TYPE_SUPPORTS):
            name = f"{generator}__visibility_control.h"
            template = self.ros / "share" / generator / "resource" / f"{name}.in"
            text = template.read_text(encoding="utf-8")
            text = text.replace("@PROJECT_NAME_UPPER@", package.name.upper())
            text = text.replace("@PROJECT_NAME@", package.name)
            header = self.output(package, generator) / "msg" / name
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text(text, encoding="utf-8")


def _run(generator: Generator, arguments: dict[str, Any], parsed: Path) -> None:
    """One generator for one package."""
    module = importlib.import_module(generator.package)
    _keep_parsed(parsed)
    templates.hasten(importlib.import_module("em"))
    file = Path(arguments["output_dir"]).parent / "arguments.json"
    file.write_text(json.dumps(arguments, indent=1), encoding="utf-8")
    getattr(module, generator.function)(str(file), *generator.extra)


def _keep_parsed(parsed: Path) -> None:
    """Let every generator that was imported read the kept results."""
    original = importlib.import_module("rosidl_parser.parser").parse_idl_file

    def read(locator: Any, *_: Any) -> Any:
        return pickle.loads(_parsed_file(parsed, locator.get_absolute_path()).read_bytes())

    for module in list(sys.modules.values()):
        if getattr(module, "parse_idl_file", None) is original:
            if module.__name__ == "rosidl_parser.parser":
                continue
            module.parse_idl_file = read  # type: ignore[attr-defined]


def _parse(file: Path, parsed: Path) -> Path:
    """Parse one interface and keep the result; return the file."""
    definition = importlib.import_module("rosidl_parser.definition")
    content = importlib.import_module("rosidl_parser.parser").parse_idl_string(_code(file))
    locator = definition.IdlLocator(file.parents[1], file.relative_to(file.parents[1]))
    target = _parsed_file(parsed, file)
    partial = target.with_suffix(".partial")
    partial.write_bytes(pickle.dumps(definition.IdlFile(locator, content)))
    partial.replace(target)
    return file


def _code(file: Path) -> str:
    """An interface without its comments: most of the text, and they reach only headers of C."""
    return _COMMENT.sub("", Path(file).read_text(encoding="utf-8"))


def _parsed_file(parsed: Path, file: Path) -> Path:
    # The parser's result depends on the text and on the path below the package.
    text = "\0".join((*file.parts[-2:], _code(file)))
    return parsed / f"{hashlib.sha256(text.encode()).hexdigest()}.pickle"


def _remove_others(folder: Path, kept: Iterable[Path]) -> None:
    keep = set(kept)
    for file in folder.iterdir():
        if file not in keep:
            file.unlink()
