"""A Dask scheduler for a test, and its workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_kit.dask_processes import Dask


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Dask]:
    folder = tmp_path / "dask"
    folder.mkdir()
    made = Dask(folder)
    yield made
    made.end()
