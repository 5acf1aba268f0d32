"""The progress bar: on a terminal and for what takes long; silent otherwise."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

from vdsim_plant_node.cli.progress import with_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def slowly() -> Iterator[int]:
    for item in range(5):
        time.sleep(0.3)
        yield item


def test_what_takes_long_shows_how_far_it_is() -> None:
    terminal = Terminal()
    assert list(with_progress(slowly(), 5, terminal)) == [0, 1, 2, 3, 4]
    assert "80%" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r"), "the line is cleared at the end"


def test_what_is_quick_shows_nothing() -> None:
    terminal = Terminal()
    assert list(with_progress(range(100), 100, terminal)) == list(range(100))
    assert terminal.getvalue() == ""


def test_a_file_gets_no_bar() -> None:
    file = io.StringIO()
    assert list(with_progress(slowly(), 5, file)) == [0, 1, 2, 3, 4]
    assert file.getvalue() == ""
