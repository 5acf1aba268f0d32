"""The telemetry settings of vehicles."""

from __future__ import annotations

import pytest
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant_node.dataport.schema import TargetsRequest
from vdsim_plant_node.dataport.targets import Telemetry, TelemetryTable
from vdsim_plant_node.settings.server_settings import Endpoint

HERE = Endpoint("127.0.0.1", 9000)


def test_a_request_changes_what_it_names() -> None:
    table = TelemetryTable([1, 2])
    table.change(1, TargetsRequest(rate_hz=20.0))
    changed = table.change(1, TargetsRequest(enabled=True, targets=(HERE,)))
    assert changed == Telemetry(enabled=True, rate_hz=20.0, targets=(HERE,))
    assert changed.active
    assert table.of(2) == Telemetry()
    assert table.described()[0] == {
        "vehicle": 1,
        "enabled": True,
        "send_state": True,
        "send_cmd": True,
        "rate": 20.0,
        "targets": [{"ip": "127.0.0.1", "port": 9000}],
    }


def test_nothing_is_sent_without_leave_or_without_targets() -> None:
    assert not Telemetry(targets=(HERE,)).active
    assert not Telemetry(enabled=True).active


def test_sending_nothing_is_refused_and_changes_nothing() -> None:
    table = TelemetryTable([1])
    with pytest.raises(ParameterError, match="enabled=true: must have send_state or send_cmd"):
        table.change(1, TargetsRequest(enabled=True, send_state=False, send_cmd=False))
    assert table.of(1) == Telemetry()
