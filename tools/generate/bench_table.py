"""The table of docs/speed.md: the stored figures of `./ws bench --all`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.run import ROOT, STORED, markdown, read


def bench_table() -> str:
    """The figures as they were stored, with machine, version and date."""
    return markdown(read(ROOT / STORED)[0])


PARTS: Mapping[str, Callable[[], str]] = {"figures": bench_table}
