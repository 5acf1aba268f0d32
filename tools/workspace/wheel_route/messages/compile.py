"""Generated code of all packages -> one shared library.

One translation unit includes the files of one kind, so that the headers of Python, numpy and Fast
CDR are read once and not once for each message. The files that describe the types repeat each
other's static names, so each of them is included with names of its own.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from workspace.wheel_route.messages.generate import (
    ENTRY_POINT,
    FAST_DDS,
    GENERATORS,
    INTROSPECTION,
    TYPE_SUPPORTS,
    Workspace,
)
from workspace.wheel_route.messages.packages import InterfacePackage

_FLAGS = ("-fPIC", "-w")
_CONVERSIONS = "python.c"
"""The one unit that -O1 makes faster in use: without it a message with lists takes 13 % longer to
publish, with it at most 6 %. The other units take half the time to compile without."""
_DESCRIPTIONS = "descriptions.c"
_UNITS = (
    ("fast_dds.cpp", (f"{FAST_DDS}/**/*.cpp", f"{ENTRY_POINT}/**/*.cpp")),
    (_CONVERSIONS, ("rosidl_generator_py/**/*.c",)),
    (
        "types.c",
        ("rosidl_generator_c/**/*__functions.c", "rosidl_generator_c/**/*__type_support.c"),
    ),
    ("introspection.c", (f"{INTROSPECTION}/**/*.c",)),
    (_DESCRIPTIONS, ("rosidl_generator_c/**/*__description.c",)),
)
_STATIC = re.compile(r"^static [^=;]*?(\w+)(?:\[\])? =", re.MULTILINE)


class CompileError(Exception):
    """A compiler or the linker failed; the text is its output."""


def build(space: Workspace, library: Path) -> None:
    """Compile and link everything into `library`."""
    objects = space.work / "objects"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir()
    include = [f"-I{folder}" for folder in include_folders(space)]
    commands = [_unit(space, objects, name, patterns, include) for name, patterns in _UNITS]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for job in as_completed(pool.submit(_run, *command) for command in commands):
            job.result()
            print("Compiled a part of the library", flush=True)
    files = sorted(str(file) for file in objects.rglob("*.o"))
    names = _libraries(space.ros / "lib")
    rpath = ["-Xlinker", "-rpath", "-Xlinker", str(space.ros / "lib")]
    command = [*compiler("c++"), "-shared", "-o", str(library), *files]
    _run([*command, f"-L{space.ros / 'lib'}", *rpath, "-Wl,--as-needed", *names], objects)
    print("Linked the library", flush=True)


def steps_n(packages: Sequence[InterfacePackage]) -> int:
    """How many lines a build prints: files read, code generated, parts compiled, linked."""
    read = sum(len(package.interfaces) for package in packages)
    return read + len(packages) * len(GENERATORS) + len(_UNITS) + 1


def compiler(language: str) -> list[str]:
    """The compiler of `language`, "c" or "c++", with its arguments."""
    variable, *names = {
        "c": ("CC", "gcc", "clang", "cc"),
        "c++": ("CXX", "g++", "clang++", "c++"),
    }[language]
    chosen = shlex.split(os.environ.get(variable, ""))
    found = next((path for path in map(shutil.which, names) if path), names[0])
    return chosen or [found]


def include_folders(space: Workspace) -> list[Path]:
    """Where the generated code finds its headers."""
    import numpy as np

    generated = [
        space.work / package.name / generator
        for package in space.packages
        for generator in ("rosidl_generator_c", *TYPE_SUPPORTS, "rosidl_generator_py")
    ]
    ros = space.ros / "include"
    return [
        *generated,
        Path(sysconfig.get_path("include")),
        Path(np.get_include()),
        ros,
        *sorted(folder for folder in ros.iterdir() if folder.is_dir()),
    ]


def _unit(
    space: Workspace, objects: Path, name: str, patterns: Sequence[str], include: list[str]
) -> tuple[list[str], Path]:
    files = [
        file
        for package in space.packages
        for pattern in patterns
        for file in sorted((space.work / package.name).glob(pattern))
    ]
    source = objects / name
    included = _included_apart if name == _DESCRIPTIONS else _included
    source.write_text(included(files), encoding="utf-8")
    language = ("c++", "-std=c++17") if name.endswith(".cpp") else ("c", "-std=gnu11")
    level = "-O1" if name == _CONVERSIONS else "-O0"
    command = [*compiler(language[0]), level, *_FLAGS, language[1], *include, "-c", str(source)]
    return command, objects


def _included(files: Sequence[Path]) -> str:
    return "".join(f'#include "{file}"\n' for file in files)


def _included_apart(files: Sequence[Path]) -> str:
    """The same, where the files repeat each other's static names."""
    lines = []
    for number, file in enumerate(files):
        names = dict.fromkeys(_STATIC.findall(file.read_text(encoding="utf-8")))
        lines += [f"#define {name} {name}_{number}" for name in names]
        lines.append(f'#include "{file}"')
        lines += [f"#undef {name}" for name in names]
    return "\n".join(lines) + "\n"


def _libraries(folder: Path) -> list[str]:
    """Linker arguments for everything that generated code may call."""
    kinds = ("rosidl_generator_c", "rosidl_generator_py", *TYPE_SUPPORTS)
    endings = tuple(f"__{kind}" for kind in kinds)
    names = sorted(
        file.name.removeprefix("lib").removesuffix(".so") for file in folder.glob("lib*.so")
    )
    runtime = {"fastcdr", "rcutils", "rmw", "rosidl_runtime_c", "rosidl_typesupport_c"}
    runtime |= {*TYPE_SUPPORTS, "rosidl_typesupport_fastrtps_cpp"}
    return [f"-l{name}" for name in names if name in runtime or name.endswith(endings)]


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompileError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    if done.stderr:
        print(done.stderr, file=sys.stderr)
