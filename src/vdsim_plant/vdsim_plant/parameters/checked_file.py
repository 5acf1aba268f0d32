"""The one reader of files that a user names: whole, of bounded size, and nothing that never ends.

A file is measured before it is read, and is refused where it is no regular file: a pipe may wait
for ever, a device may never end. Text is UTF-8, YAML and JSON have bounded depth, and an alias of
YAML counts as what it stands for, which may be gigabytes. Whatever is wrong is one FileError that
names file and place. `vdsim_plant`, which is released alone, has a copy (tools/generate/copies.py);
a test refuses every other way to read a file (test/test_file_readers.py). PyYAML is needed for YAML
alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

Repeated: TypeAlias = Callable[[str, int, int], None]
"""Called with a key that is given twice, its earlier line and the line that counts."""
LARGEST_TEXT_BYTES = 64 << 20
LARGEST_YAML_BYTES = 1 << 20
MOST_VALUES = 200_000
"""Of a document of YAML, with every alias counted as what it stands for."""
_MOST_BITS = 1000
_LONGEST_PROBLEM = 600
_FAULTS = (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError)
"""What the constructors of YAML's own types raise."""


class FileError(ValueError):
    """A file that cannot be used. `where`: a line or key of it; empty: the file itself."""

    def __init__(self, source: str, where: str, problem: str) -> None:
        problem = " ".join(problem.split())[:_LONGEST_PROBLEM]
        super().__init__(source, where, problem)
        self.source, self.where, self.problem = source, where, problem

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.source, self.where, self.problem)))


def is_file(path: Path) -> bool:
    """Whether it is a regular file; False for a name that no file can have."""
    try:
        return path.is_file()
    except OSError:  # the name is too long
        return False


def is_folder(path: Path) -> bool:
    """Whether it is a folder; False for a name that none can have."""
    try:
        return path.is_dir()
    except OSError:
        return False


def open_checked(
    path: Path, *, largest_bytes: int = LARGEST_TEXT_BYTES, source: str = ""
) -> BinaryIO:
    """Open a regular file of bounded size, to be read in parts."""
    named = source or str(path)
    try:
        if not path.is_file():
            problem = "is no regular file" if path.exists() else "No such file or directory"
            raise FileError(named, "", problem)
        if path.stat().st_size > largest_bytes:
            raise FileError(named, "", _too_large(largest_bytes))
        return path.open("rb")
    except OSError as error:
        raise FileError(named, "", error.strerror or "cannot be read") from None


def read_bytes(path: Path, *, largest_bytes: int = LARGEST_TEXT_BYTES, source: str = "") -> bytes:
    """Return the content of a file."""
    named = source or str(path)
    try:
        with open_checked(path, largest_bytes=largest_bytes, source=named) as file:
            content = file.read(largest_bytes + 1)  # it may have grown, or hide its size
    except OSError as error:
        raise FileError(named, "", error.strerror or "cannot be read") from None
    if len(content) > largest_bytes:
        raise FileError(named, "", _too_large(largest_bytes))
    return content


def read_text(path: Path, *, largest_bytes: int = LARGEST_TEXT_BYTES, source: str = "") -> str:
    """Return the text of a UTF-8 file, byte order mark or not."""
    content = read_bytes(path, largest_bytes=largest_bytes, source=source)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 text: {error.reason} at byte {error.start}"
        raise FileError(source or str(path), "", problem) from None


def read_yaml(path: Path, *, source: str = "", unique: bool = True) -> Any:
    """Return the value of a file of YAML."""
    text = read_text(path, largest_bytes=LARGEST_YAML_BYTES, source=source)
    return parse_yaml(text, source=source or str(path), unique=unique)


def read_json(path: Path, *, source: str = "") -> Any:
    """Return the value of a file of JSON."""
    return parse_json(read_text(path, source=source), source=source or str(path))


def parse_json(text: str, *, source: str) -> Any:
    """Return the value of a text of JSON."""
    try:
        return json.loads(text)
    except RecursionError:
        raise FileError(source, "", "not JSON: nested too deeply") from None
    except ValueError as error:
        raise FileError(source, "", f"not JSON: {error}") from None


def parse_yaml(text: str, *, source: str, unique: bool | Repeated = True) -> Any:
    """Return the value of a text of YAML; 2.2e5 is a number, as everywhere else.

    `unique`: a key that is given twice in one group is refused. Otherwise the last one counts; a
    function receives the key, its earlier line and the line that counts.
    """
    import yaml

    if len(text) > LARGEST_YAML_BYTES:
        raise FileError(source, "the document", _too_large(LARGEST_YAML_BYTES))
    try:
        return _value(text, unique)
    except _Refusal as error:
        raise FileError(source, *error.args) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark is not None else "the document"
        problem = getattr(error, "problem", None) or "cannot be read"
        raise FileError(source, where, f"not YAML: {problem}") from None
    except RecursionError:
        raise FileError(source, "the document", "is nested too deeply") from None
    except _FAULTS:
        raise FileError(source, "the document", "cannot be read") from None


class _Refusal(Exception):  # noqa: N818 (it never leaves this file)
    """(where, problem)."""


@cache
def _loader() -> Any:
    """The loader of YAML, whose import takes some milliseconds."""
    import yaml

    class StrictLoader(yaml.SafeLoader):  # type: ignore[misc, unused-ignore]
        """Safe loader that names the line of what cannot be read."""

        unique: bool | Repeated = True

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                value = super().construct_object(node, deep)
            except _FAULTS:
                kind = str(node.tag).rpartition(":")[2]
                raise _Refusal(_line(node), f"cannot be read as {kind[:40]}") from None
            if isinstance(value, int) and value.bit_length() > _MOST_BITS:
                raise _Refusal(_line(node), "holds a number beyond every float")
            return value

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            seen: dict[str, int] = {}
            for key_node, _ in node.value:
                if not isinstance(key_node, yaml.ScalarNode):
                    raise _Refusal(_line(key_node), "a key must be plain text")
                line = key_node.start_mark.line + 1
                if self.unique and key_node.value in seen:
                    if self.unique is True:
                        raise _Refusal(str(key_node.value), f"given twice (line {line})")
                    self.unique(str(key_node.value), seen[key_node.value], line)
                seen[key_node.value] = line
            mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
            return mapping

    # YAML 1.1 takes 2.2e5 (no sign in the exponent) for text; who writes it means a number.
    StrictLoader.add_implicit_resolver(
        "tag:yaml.org,2002:float",
        re.compile(r"^[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+$"),
        list("-+0123456789."),
    )
    return StrictLoader


def _value(text: str, unique: bool | Repeated) -> Any:
    loader = _loader()(text)
    loader.unique = unique
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _size(node, {}) > MOST_VALUES:
            raise _Refusal("the document", f"has more than {MOST_VALUES} values")
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _size(node: Any, sizes: dict[int, int]) -> int:
    """How many values a node stands for, aliases included; 0 marks one that is being counted."""
    known = sizes.get(id(node))
    if known == 0:
        raise _Refusal(_line(node), "an alias stands for itself")
    if known is not None:
        return known
    sizes[id(node)] = 0
    total = 1
    if node.id == "sequence":
        total += sum(_size(item, sizes) for item in node.value)
    elif node.id == "mapping":
        total += sum(_size(key, sizes) + _size(value, sizes) for key, value in node.value)
    sizes[id(node)] = total
    return total


def _line(node: Any) -> str:
    return f"line {node.start_mark.line + 1}"


def _too_large(largest_bytes: int) -> str:
    return f"has more than {largest_bytes >> 20} MiB"
