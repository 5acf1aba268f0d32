"""Several vehicles in one server: by number on one port, by port, each with its own watchdog."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_plant.parameters import ParameterError
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant_node.settings.options import server_settings
from vdsim_plant_node_kit.runtime import LiveServer, PlainClient, live_server, lockstep_server

TICK_S, CMD_TIMEOUT_S = 0.005, 0.1
"""The defaults."""
LASTING = "defaults: {failsafe: {timeout_s: 60.0}}"
"""A time-out that a test with few commands does not meet, however busy the machine is."""
SHARED = """
vehicles:
  - {vehicle_id: 3, start: {x_m: 0.0}}
  - {vehicle_id: 8, vehicle: compact_fwd, start: {x_m: 50.0}}
"""


def fleet(client: PlainClient, folder: Path, text: str, **options: object) -> LiveServer:
    path = folder / "fleet.yaml"
    path.write_text(text)
    return live_server(client, vehicles=str(path), **options)


def test_vehicles_on_one_port_are_told_apart(client: PlainClient, tmp_path: Path) -> None:
    with fleet(client, tmp_path, LASTING + SHARED) as live:
        for _ in range(60):
            client.send(version=4, vehicle_id=8, steer=0.1, throttle=0.6, brake=0.0)
            frame = client.receive()
            assert frame.version == 4
            assert frame.vehicle_id in (3, 8)
        vehicles = live.snapshot().vehicles
    standing, driving = vehicles
    assert standing.status.drive is Drive.WAITING
    assert standing.output.motion.vx_mps == pytest.approx(0.0)
    assert driving.status.drive is Drive.COMMANDED
    assert driving.status.name == "compact_fwd"
    assert driving.output.motion.vx_mps > 0.05
    assert driving.output.motion.x_m > 50.0


def test_each_vehicle_has_its_own_watchdog(client: PlainClient, tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text(SHARED)
    server = lockstep_server(client, vehicles=str(path))
    client.send(version=4, vehicle_id=3, seq=0, throttle=0.0, brake=0.0)
    for tick in range(100):
        client.send(version=4, vehicle_id=8, seq=tick, throttle=0.0, brake=0.0)
        server.advance(1)
        silent, driven = (vehicle.status for vehicle in server.snapshot().vehicles)
        lasts = tick * TICK_S <= CMD_TIMEOUT_S
        assert silent.drive is (Drive.COMMANDED if lasts else Drive.FAILSAFE), tick
        assert (driven.drive, driven.failsafes) == (Drive.COMMANDED, 0)
    server.close()


def test_sequence_numbers_are_counted_per_vehicle(client: PlainClient, tmp_path: Path) -> None:
    with fleet(client, tmp_path, SHARED) as live:
        client.send(version=4, vehicle_id=3, seq=500, timestamp=1.0)
        client.send(version=4, vehicle_id=8, seq=5, timestamp=1.0)
        live.wait_for(lambda s: s.ports[0].counters.accepted == 2)


def test_a_port_each(client: PlainClient, tmp_path: Path) -> None:
    second = PlainClient()
    text = f"""{LASTING}
vehicles:
  - {{vehicle_id: 3, cmd_port: 0, state_to: ["127.0.0.1:{client.port}"]}}
  - {{vehicle_id: 8, cmd_port: 0, state_to: ["127.0.0.1:{second.port}"]}}
"""
    with fleet(client, tmp_path, text, state_port=0) as live:
        first_port, second_port = (port.address[1] for port in live.snapshot().ports)
        assert first_port != second_port
        client.server_port, second.server_port = first_port, second_port
        client.send(version=3, throttle=0.0, brake=0.2)
        second.send(version=3, throttle=0.0, brake=0.4)
        live.wait_for(
            lambda s: all(vehicle.status.drive is Drive.COMMANDED for vehicle in s.vehicles)
        )
        brakes = [vehicle.output.realized.brake for vehicle in live.snapshot().vehicles]
        assert brakes == [0.2, 0.4]
        assert client.latest().version == 3
        second.send(version=5, vehicle_id=8, throttle=0.0, brake=0.4)
        assert (
            second.drive(lambda f: f.version == 5, version=5, vehicle_id=8, throttle=0.0).vehicle_id
            == 8
        )
    second.close()


def test_one_port_needs_a_version_that_tells_vehicles_apart(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text(SHARED)
    with pytest.raises(ParameterError, match="protocol_version=3: must be 4 or 5, or auto, for 2"):
        server_settings({"vehicles": str(path), "protocol_version": "3"})


def test_a_taken_second_port_gives_the_first_one_back(client: PlainClient, tmp_path: Path) -> None:
    holder = PlainClient()
    text = f"vehicles: [{{}}, {{cmd_port: {holder.port}}}]"
    with pytest.raises(OSError, match=f"cmd_port={holder.port}: is taken"):
        fleet(client, tmp_path, text)
    holder.close()


def test_the_shipped_fleet_loads() -> None:
    path = Path(__file__).resolve().parents[4] / "examples" / "fleet.yaml"
    settings = server_settings({"vehicles": str(path)})
    assert [vehicle.vehicle_id for vehicle in settings.vehicles] == [1, 2, 3]
    assert [vehicle.cmd_port for vehicle in settings.vehicles] == [None, None, 6711]
