"""The contract suite on every platform that discovery finds. [VI-4.3] [VI-4.3.1]"""

from collections.abc import Callable

import pytest
from vdsim_interface.platforms.discovery import discover
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.testing import CHECKS

FOUND = discover()


def test_the_built_in_platforms_are_found() -> None:
    assert {"fake", "vds1"} <= set(FOUND)


@pytest.mark.parametrize("name", sorted(FOUND))
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract(name: str, check: Callable[[PlatformSpec], None]) -> None:
    check(FOUND[name])
