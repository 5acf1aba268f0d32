"""Writes what a process says to its places, line by line, with the name in front."""

from __future__ import annotations

from ..logging import launch_config
from .line_splitter import LineSplitter


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
