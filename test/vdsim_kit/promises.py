"""What users type and import, as a list that outlives every move: test/data/promises.txt.

One line each: `launch PACKAGE FILE [ARGUMENT]`, `run PACKAGE PROGRAM`, `parameter PROGRAM NODE
NAME`, `import MODULE NAME`, `module MODULE` (of `python -m`), `ws COMMAND`. `./ws generate` adds
what is new, and VDSIM_RECORD_PROMISES=1 with test_every_node.py the parameters; a line goes by hand
alone, together with the page that has named it.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from launch.launch_description_sources import PythonLaunchDescriptionSource

from launch import LaunchContext
from vdsim_kit.programs import programs

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "test/data/promises.txt"
OURS = "vdsim_"
_PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OLDER_NAME = re.compile(r"\(older name: (\w+)\)")
_MODULE_RUN = re.compile(r"python3? -m (vdsim_[a-z_.0-9]*[a-z_0-9])")
_WS_COMMAND = re.compile(r"^  (?:doctor )?([a-z]+)\b.*  \w", re.MULTILINE)


def promised(*beginning: str) -> list[tuple[str, ...]]:
    """The words of each line that begins with these."""
    lines = [tuple(line.split()) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line[: len(beginning)] == beginning]


def missing(beginning: tuple[str, ...], found: Iterable[tuple[str, ...]]) -> list[str]:
    """Lines with this beginning that are not among what was found; records what is new if asked."""
    found = set(found)
    lines = set(promised(*beginning))
    if os.environ.get("VDSIM_RECORD_PROMISES"):
        every = {*FILE.read_text(encoding="utf-8").splitlines(), *map(" ".join, found - lines)}
        FILE.write_text(text_of(every), encoding="utf-8")
    return sorted(" ".join(line) for line in lines - found)


def text_of(lines: Iterable[str]) -> str:
    """The file of these lines."""
    return "\n".join(sorted(lines)) + "\n"


def found(help_text: str) -> dict[str, set[tuple[str, ...]]]:
    """Every line that the sources and the pages give, by its kind; `help_text`: of `./ws`."""
    return {
        "launch": set(launch_lines()),
        "run": set(program_lines()),
        "import": set(import_lines()),
        "module": set(module_lines()),
        "ws": set(ws_lines(help_text)),
    }


def launch_lines() -> Iterator[tuple[str, ...]]:
    """Every launch file that is installed, with each argument that it declares."""
    for file in sorted(ROOT.glob("src/*/launch/*.launch.py")):
        package = file.parents[1].name
        yield "launch", package, file.name
        source = PythonLaunchDescriptionSource(str(file))
        description = source.get_launch_description(LaunchContext())
        for argument in description.get_launch_arguments():
            yield "launch", package, file.name, argument.name
            older = _OLDER_NAME.search(argument.description)
            if older is not None:
                yield "launch", package, file.name, older[1]


def program_lines() -> Iterator[tuple[str, ...]]:
    """Every program of `ros2 run`, by the package that installs it."""
    for program in programs():
        yield "run", program.package, program.name


def import_lines() -> Iterator[tuple[str, ...]]:
    """Every import of ours in the pages' Python and in the examples."""
    for page in _pages():
        for block in _PYTHON_BLOCK.findall(page.read_text(encoding="utf-8")):
            yield from _imports(block, page)
    for file in (ROOT / "examples").rglob("*.py"):
        yield from _imports(file.read_text(encoding="utf-8"), file)


def module_lines() -> Iterator[tuple[str, ...]]:
    """Every module of ours that the pages run with `python -m`."""
    for page in _pages():
        for name in _MODULE_RUN.findall(page.read_text(encoding="utf-8")):
            yield "module", name


def _pages() -> list[Path]:
    return [*ROOT.glob("docs/*.md"), ROOT / "README.md", *ROOT.glob("src/*/README.md")]


def _imports(source: str, file: Path) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(ast.parse(source, file.name)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(OURS):
            for alias in node.names:
                yield "import", str(node.module), alias.name


def ws_lines(help_text: str) -> Iterator[tuple[str, ...]]:
    """Every command of `./ws`, by its help."""
    commands = help_text.partition("Commands of ws itself:\n")[2].partition("\n\n")[0]
    for name in _WS_COMMAND.findall(commands):
        yield "ws", name
