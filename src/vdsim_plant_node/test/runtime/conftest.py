"""A client for every test that wants one, closed afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from runtime_kit import PlainClient


@pytest.fixture
def client() -> Iterator[PlainClient]:
    opened = PlainClient()
    yield opened
    opened.close()
