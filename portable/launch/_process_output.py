"""The destinations of a process's output (the ``output`` option), and writing to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .logging import launch_config

OutputOption = str | Mapping[str, str | frozenset[str] | set[str] | list[str]]

_PRESETS: dict[str, dict[str, set[str]]] = {
    "screen": {"both": {"screen"}},
    "log": {"both": {"log"}, "stderr": {"screen"}},
    "both": {"both": {"log", "screen"}},
    "own_log": {"stdout": {"own_log"}, "stderr": {"own_log"}, "both": {"own_log"}},
    "full": {
        "both": {"screen", "log", "own_log"},
        "stdout": {"own_log"},
        "stderr": {"own_log"},
    },
}
_STREAMS = ("stdout", "stderr", "both")
_PLACES = ("screen", "log", "own_log")


@dataclass(frozen=True)
class Routes:
    """The destinations of each stream: 'screen', 'log', or the name of a log file."""

    stdout: frozenset[str] = field(default_factory=frozenset)
    stderr: frozenset[str] = field(default_factory=frozenset)


def parse_output(option: OutputOption, process_name: str) -> Routes:
    """Return the routes that an ``output`` option describes."""
    if isinstance(option, str):
        if option not in _PRESETS:
            raise ValueError(f"output={option!r}: must be one of {', '.join(_PRESETS)}")
        wanted = _PRESETS[option]
    else:
        wanted = {stream: _places(stream, places) for stream, places in option.items()}
    return Routes(
        stdout=_route("stdout", wanted, process_name),
        stderr=_route("stderr", wanted, process_name),
    )


def _places(stream: str, places: str | frozenset[str] | set[str] | list[str]) -> set[str]:
    if stream not in _STREAMS:
        raise ValueError(f"output has the key {stream!r}: must be one of {', '.join(_STREAMS)}")
    found = {places} if isinstance(places, str) else set(places)
    for place in found - set(_PLACES):
        raise ValueError(f"output[{stream!r}]={place!r}: must be one of {', '.join(_PLACES)}")
    return found


def _route(stream: str, wanted: Mapping[str, set[str]], process_name: str) -> frozenset[str]:
    route = (wanted.get(stream, set()) | wanted.get("both", set())) - {"own_log"}
    if "own_log" in wanted.get(stream, set()):
        route.add(f"{process_name}-{stream}.log")
    if "own_log" in wanted.get("both", set()):
        route.add(f"{process_name}-both.log")
    return frozenset(route)


class LineSplitter:
    """Splits the bytes of one stream into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that ``data`` completes, without their line ends."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [_text(line) for line in lines]

    def flush(self) -> list[str]:
        """Return the unfinished line when the stream ends."""
        rest, self._rest = self._rest, b""
        return [_text(rest)] if rest else []


def _text(line: bytes) -> str:
    return line.rstrip(b"\r").decode(errors="replace")


class OutputWriter:
    """One stream of one process."""

    def __init__(self, process_name: str, output_format: str, places: frozenset[str]) -> None:
        self._name = process_name
        self._format = output_format
        self._places = places
        self._splitter = LineSplitter()

    def feed(self, data: bytes) -> None:
        """Write the lines that ``data`` completes."""
        self._write(self._splitter.feed(data))

    def close(self) -> None:
        """Write an unfinished last line."""
        self._write(self._splitter.flush())

    def _write(self, lines: list[str]) -> None:
        for line in lines:
            for place in self._places:
                self._write_to(place, line)

    def _write_to(self, place: str, line: str) -> None:
        if place == "screen":
            launch_config.write_screen(self._format.format(line=line, name=self._name))
        elif place == "log":
            launch_config.write_main_log(f"[{self._name}] {line}")
        else:
            launch_config.write_file(place, line)
