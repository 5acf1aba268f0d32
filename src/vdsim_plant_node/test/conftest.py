"""A client of the plant on the wire that is closed after the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from vdsim_plant_node_kit.runtime import PlainClient


@pytest.fixture
def client() -> Iterator[PlainClient]:
    opened = PlainClient()
    yield opened
    opened.close()
