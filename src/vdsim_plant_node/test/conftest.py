"""Settings of the tests of the plant on the wire, and a client that is closed afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings
from vdsim_plant_node_kit.runtime import PlainClient

# The first call of a compiled function may compile it: no example has a deadline.
settings.register_profile("compiled", deadline=None)
settings.load_profile("compiled")


@pytest.fixture
def client() -> Iterator[PlainClient]:
    opened = PlainClient()
    yield opened
    opened.close()
