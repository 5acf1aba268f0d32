"""Another car in the place of a vehicle's: for the link a reset, for the physics another car."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from vdsim_plant.motion import PedalInput
from vdsim_plant_node.cli import replay
from vdsim_plant_node.live.recording_session import restart_vehicle, start_recording
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.sessions import prepare_car
from vdsim_plant_node.live.snapshots import ServerSnapshot
from vdsim_plant_node.live.wire_vehicle import Drive
from vdsim_plant_node.runs.recording import RecordingReader
from vdsim_plant_node.runs.recording_status import RecordingFiles
from vdsim_plant_node.settings import choices
from vdsim_plant_node_kit.runtime import PlainClient, lockstep_server

from vdsim_protocol import vds1

GRAVITY_MPS2 = 9.81


def restart(server: PlantServer, number: int = 0, **document: Any) -> None:
    """Restart a vehicle as the data port does it, between two ticks."""
    vehicle = server.vehicle(number)
    settings = choices.chosen(vehicle.settings, document)
    car = prepare_car(settings, substep_s=server.settings.substep_s)
    server.call(lambda asked: restart_vehicle(asked, number, car)).result(timeout=60.0)


def drive(client: PlainClient, server: PlantServer, ticks: int, **fields: float) -> list[bytes]:
    """Send CMD before every second tick; the STATE packets that came."""
    packets = []
    for tick in range(ticks):
        if tick % 2 == 0:
            client.send(**fields)
        server.advance(1)
        packets.append(client.receive().data)
    return packets


def test_state_goes_on_and_no_receiver_rejects_one(client: PlainClient) -> None:
    server = lockstep_server(client, vx0=5.0)
    receiver = vds1.Receiver(vds1.State)
    packets = drive(client, server, 60, throttle=0.5, brake=0.0)
    restart(server, vehicle="compact_fwd", tyre="mf96", mu=0.4, x0=30.0)
    packets += drive(client, server, 60, throttle=0.0, brake=0.0)
    outcomes = [
        receiver.receive(packet, ("127.0.0.1", 1), tick * 0.005)
        for tick, packet in enumerate(packets)
    ]
    accepted = [each for each in outcomes if isinstance(each, vds1.Accepted)]
    assert len(accepted) == 120
    assert sum(each.new_session for each in accepted) == 1
    assert [each.packet.header.seq for each in accepted] == list(range(120))
    first = accepted[60].packet
    assert first.header.timestamp_s == pytest.approx(0.005)
    assert isinstance(first.body, vds1.State)
    assert first.body.x_world_m == pytest.approx(30.0, abs=0.1)
    server.close()


def test_links_owner_counters_and_subscribers_stay(client: PlainClient) -> None:
    server = lockstep_server(client)
    seen: list[ServerSnapshot] = []
    server.subscribe(seen.append, rate_hz=200.0)
    drive(client, server, 40, throttle=0.5, brake=0.0)
    before = server.snapshot()
    restart(server, tyre="mf96")
    after = server.snapshot()
    assert after.ports == before.ports
    assert after.vehicles[0].status.link == before.vehicles[0].status.link
    assert after.vehicles[0].status.commands == before.vehicles[0].status.commands
    assert server.vehicles[0].drive is Drive.WAITING
    assert server.vehicles[0].latched.brake == 0.3, "the fail-safe input"
    drive(client, server, 10, throttle=0.5, brake=0.0)
    assert server.vehicles[0].drive is Drive.COMMANDED
    assert len(seen) == 50
    assert server.settings.vehicles[0].tyre == "mf96"
    server.close()


def test_commands_stop_after_a_restart_as_before(client: PlainClient) -> None:
    server = lockstep_server(client, vx0=5.0)
    restart(server, level="l1")
    drive(client, server, 10, throttle=0.5, brake=0.0)
    server.advance(22)
    assert server.vehicles[0].drive is Drive.FAILSAFE
    server.close()


@pytest.mark.parametrize(("vehicle", "limit"), [("compact_fwd", 0.62), ("scale_car", 0.42)])
def test_the_steering_limit_is_the_new_cars(
    client: PlainClient, vehicle: str, limit: float
) -> None:
    server = lockstep_server(client)
    drive(client, server, 2, steer=0.0, brake=0.0)
    restart(server, vehicle=vehicle)
    drive(client, server, 2, steer=0.6, brake=0.0)
    assert server.vehicles[0].latched.steer_rad == pytest.approx(min(0.6, limit))
    clamped = server.ports[0].counters().clamped
    assert clamped == (limit < 0.6)
    server.close()


def test_the_new_road_brakes_as_its_friction_says(client: PlainClient) -> None:
    """Never shorter than v^2 / 2 mu g, and in proportion to 1 / mu: all wheels are locked."""
    server = lockstep_server(client)
    distances = {}
    for mu in (0.3, 0.9):
        restart(server, mu=mu, vx0=20.0, tyre="mf96")
        while server.vehicles[0].output.motion.vx_mps > 0.1:
            server.latch_input(0, PedalInput(0.0, 0.0, 1.0, 1, False)).result(timeout=60.0)
            server.advance(2)
        distances[mu] = server.vehicles[0].output.motion.x_m
        shortest = 20.0**2 / (2.0 * mu * GRAVITY_MPS2)
        assert shortest < distances[mu] < 1.7 * shortest
    assert distances[0.3] / distances[0.9] == pytest.approx(3.0, rel=0.05)
    server.close()


def test_time_that_stands_still_stands_still(client: PlainClient) -> None:
    server = lockstep_server(client, vx0=5.0)
    server.advance(20)
    server.pause(True)
    restart(server, x0=7.0)
    server.advance(20)
    assert server.paused
    output = server.vehicles[0].output
    assert (output.tick, output.motion.x_m) == (0, 7.0)
    server.close()


def test_only_the_named_vehicle_of_a_fleet_restarts(client: PlainClient, tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text("vehicles:\n  - {vehicle_id: 1}\n  - {vehicle_id: 2, start: {y_m: 6.0}}\n")
    server = lockstep_server(client, vehicles=str(fleet))
    server.advance(20)
    before = server.vehicle(1).output
    restart(server, 2, vehicle="compact_fwd")
    assert server.vehicle(1).output is before
    assert server.vehicle(2).session.name == "compact_fwd"
    assert server.vehicle(2).output.tick == 0
    assert [each.vehicle for each in server.settings.vehicles] == ["ioniq5_awd", "compact_fwd"]
    server.close()


def test_a_recording_goes_on_in_the_next_file_and_both_replay(
    client: PlainClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = lockstep_server(client, vx0=5.0)
    writer = start_recording(server, RecordingFiles(tmp_path / "run.vds"))
    drive(client, server, 60, steer=0.02, throttle=0.5, brake=0.0)
    restart(server, vehicle="compact_fwd", mu=None, ground={"base_mu": 0.4, "slope_x": 0.03})
    drive(client, server, 80, steer=0.02, throttle=0.5, brake=0.0)
    writer.close()
    server.close()
    for name, states, car in (("run.vds", 60, "ioniq5_awd"), ("run.2.vds", 80, "compact_fwd")):
        path = tmp_path / name
        metadata = RecordingReader(path).metadata
        assert metadata["vehicles"][0]["settings"]["vehicle"] == car
        assert replay.main([str(path)]) == 0
        assert f"all {states} recorded states reproduced bit for bit" in capsys.readouterr().out


def test_a_restart_with_the_same_settings_is_a_reset(client: PlainClient) -> None:
    server = lockstep_server(client, vx0=5.0, sensor="automotive", actuator="passenger_car")
    server.advance(50)
    server.reset()
    wanted = server.state_hash()
    server.advance(50)
    restart(server)
    assert server.state_hash() == wanted
    assert math.isclose(server.vehicles[0].output.motion.vx_mps, 5.0)
    server.close()
