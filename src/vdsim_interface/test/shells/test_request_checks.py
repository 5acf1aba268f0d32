"""Every service of our own asks for its `check`, first among its fields and with its default."""

from __future__ import annotations

import pytest
from vdsim_protocol.request_check import refusal

import vdsim_msgs.srv

SERVICES = {
    name: service
    for name, service in vars(vdsim_msgs.srv).items()
    if hasattr(service, "Request") and hasattr(service, "Response")
}


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_check_is_first_and_has_the_default_that_counts(name: str) -> None:
    request = SERVICES[name].Request()
    assert next(iter(request.get_fields_and_field_types())) == "check"
    assert refusal(request) == ""
    request.check += 1
    assert refusal(request)


def test_all_services_are_found() -> None:
    assert {"ChangeMode", "ResetPlant", "StepPlant", "SetFault"} < set(SERVICES)
