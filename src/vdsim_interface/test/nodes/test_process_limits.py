"""The memory that a node may allocate after its start, and its parameter services."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest
from vdsim_interface.parameters import ParameterError
from vdsim_interface.ros.process_limits import DataLimit, ProcessParameters, data_bytes

IN_A_PROCESS = """
from vdsim_interface.ros.process_limits import DataLimit
limit = DataLimit({growth_mb})
assert limit.update() == ""
try:
    held = bytearray({allocated_mb} << 20)
except MemoryError:
    print("refused")
print(limit.update())
print(limit.update())
"""


def run(growth_mb: int, allocated_mb: int) -> list[str]:
    """What a process with a limit prints after an allocation."""
    code = IN_A_PROCESS.format(growth_mb=growth_mb, allocated_mb=allocated_mb)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_an_allocation_beyond_the_limit_fails_and_the_process_goes_on() -> None:
    assert run(64, 100) == ["refused", "", ""]


def test_more_than_half_of_the_growth_is_said_once() -> None:
    first, second = run(64, 40)
    assert first.startswith("memory has grown by 40 of 64 MiB (process.data_growth_mb)")
    assert second == ""


def test_less_than_half_is_silent() -> None:
    assert run(64, 20) == ["", ""]


def test_zero_is_no_limit() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit = DataLimit(0)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    assert limit.update() == ""


def test_the_size_of_the_data_is_known() -> None:
    assert data_bytes() > 1 << 20


def test_a_wrong_value_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"process.parameter_services=on: must be one of"):
        ProcessParameters(parameter_services="on")
