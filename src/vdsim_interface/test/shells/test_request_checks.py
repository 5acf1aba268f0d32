"""Every service of our own asks for its `check`, first among its fields and with its default."""

from __future__ import annotations

from pathlib import Path

import pytest
from ament_index_python.packages import get_package_share_directory
from rosidl_adapter.parser import parse_service_file
from vdsim_protocol.request_check import refusal

import vdsim_msgs.srv

FOLDER = Path(get_package_share_directory("vdsim_msgs")) / "srv"
SERVICES = sorted(path.stem for path in FOLDER.glob("*.srv"))


@pytest.mark.parametrize("name", SERVICES)
def test_check_is_first_and_has_the_default_that_counts(name: str) -> None:
    parsed = parse_service_file("vdsim_msgs", str(FOLDER / f"{name}.srv"))
    assert parsed.request.fields[0].name == "check"
    request = getattr(vdsim_msgs.srv, name).Request()
    assert refusal(request) == ""
    request.check += 1
    assert refusal(request)


def test_all_services_are_found() -> None:
    assert {"ChangeMode", "ResetPlant", "StepPlant", "SetFault"} < set(SERVICES)
