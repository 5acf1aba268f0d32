"""The C compiler of this machine: C sources -> the shared library of an FMU."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from vdsim_plant.parameters.errors import ParameterError

COMPILERS = ("cc", "gcc", "clang")
# Without errno and traps the compiler can use wide vectors; contraction would change the bits.
FLAGS = (
    *("-std=c99", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"),
    "-fvisibility=hidden",
)
_LONGEST_S = 600.0


def find_compiler(named: str | None) -> list[str]:
    """Return the command of the compiler: the one named, $CC, or the first that is installed."""
    for command in filter(None, (named, os.environ.get("CC"))):
        words = shlex.split(command)
        if words and shutil.which(words[0]):
            return words
        raise ParameterError("compiler", f"={command}: there is no such program")
    for name in COMPILERS:
        if shutil.which(name):
            return [name]
    raise ParameterError(
        "compiler",
        f": none of {', '.join(COMPILERS)} is installed: install one, name one with --compiler, "
        "or write an FMU of C sources with --sources-only",
    )


def shared_library(
    compiler: Sequence[str], sources: Mapping[str, bytes], flags: Sequence[str] = FLAGS
) -> bytes:
    """Return the shared library made of the files of a folder; raise where that fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in sources.items():
            (folder / file).write_bytes(content)
        libraries = [] if platform.system() == "Windows" else ["-fPIC", "-lm"]
        inputs = sorted(file for file in sources if file.endswith(".c"))
        command = [*compiler, *flags, "-shared", *inputs, "-o", "library", *libraries]
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                timeout=_LONGEST_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ParameterError("compiler", f"={compiler[0]}: {error}") from None
        made = folder / "library"
        if done.returncode != 0 or not made.is_file():
            said = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            raise ParameterError("compiler", f"={compiler[0]}: {said[0]}")
        return made.read_bytes()
