"""Lockstep: time passes only when asked, and the same commands give the same states."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_plant.motion import InitialState, PedalInput, WheelTorques
from vdsim_plant.parameters import ParameterError
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant_node.live.snapshots import ServerSnapshot
from vdsim_plant_node_kit.runtime import PlainClient, lockstep_server


def drive_in_lockstep(client: PlainClient) -> tuple[list[bytes], str]:
    server = lockstep_server(client, sensor="automotive", actuator="passenger_car")
    frames = []
    for step in range(60):
        if step < 40:
            client.send(seq=step, timestamp=step * 0.01, steer=0.002 * step, throttle=0.5)
        server.advance(2)
        frames += [client.receive().data, client.receive().data]
    digest = server.vehicles[0].session.state_hash()
    server.close()
    return frames, digest


def test_the_same_commands_give_the_same_datagrams(client: PlainClient) -> None:
    first = drive_in_lockstep(client)
    second = drive_in_lockstep(client)
    assert first == second
    assert len(first[0]) == 120


def test_the_watchdog_counts_simulation_time(client: PlainClient) -> None:
    server = lockstep_server(client)
    client.send(seq=0, throttle=0.0, brake=0.0)
    server.advance(21)  # the age of the command is exactly the timeout
    assert server.vehicles[0].drive is Drive.COMMANDED
    server.advance(1)
    assert server.vehicles[0].drive is Drive.FAILSAFE
    server.close()


def test_nothing_moves_while_it_rests_or_is_paused(client: PlainClient) -> None:
    server = lockstep_server(client, vx0=5.0)
    before = server.snapshot()
    assert server.snapshot() == before
    server.pause(True)
    server.advance(10)
    assert server.snapshot().vehicles == before.vehicles
    server.pause(False)
    server.advance(10)
    assert server.snapshot().ticks == 10
    server.close()


def test_a_reset_puts_one_or_all_back(client: PlainClient) -> None:
    server = lockstep_server(client, vx0=5.0)
    server.advance(50)
    assert server.vehicles[0].output.motion.x_m > 1.0
    server.call(lambda s: s.reset()).result()
    motion = server.vehicles[0].output.motion
    assert (motion.x_m, motion.vx_mps, motion.time_s) == (0.0, 5.0, 0.0)
    server.call(lambda s: s.reset(0, InitialState(x_m=7.0))).result()
    assert server.vehicles[0].output.motion.x_m == 7.0
    with pytest.raises(ParameterError, match="vehicle_id=4: must be one of 0"):
        server.call(lambda s: s.reset(4)).result()
    server.close()


def test_a_window_can_drive_and_is_watched_over(client: PlainClient) -> None:
    server = lockstep_server(client)
    server.latch_input(0, PedalInput(1.5, 0.5, 0.0, 1, False)).result()
    server.advance(1)
    vehicle = server.vehicles[0]
    assert vehicle.output.realized.steer_rad == vehicle.session.max_steer_rad
    assert vehicle.drive is Drive.COMMANDED
    server.advance(30)
    assert vehicle.drive is Drive.FAILSAFE
    with pytest.raises(ParameterError, match="vehicle_id=1: must be one of 0"):
        server.latch_input(1, PedalInput()).result()
    server.close()


def test_subscribers_get_snapshots_at_their_rate_until_they_fail(client: PlainClient) -> None:
    log: list[str] = []
    server = lockstep_server(client, log=log)
    seen: list[ServerSnapshot] = []
    subscription = server.subscribe(seen.append, rate_hz=50.0)

    def fail(snapshot: ServerSnapshot) -> None:
        raise RuntimeError("no room")

    server.subscribe(fail, rate_hz=200.0)
    server.advance(40)
    assert [snapshot.ticks for snapshot in seen] == list(range(4, 41, 4))
    subscription.cancel()
    server.advance(40)
    assert len(seen) == 10
    assert [line for line in log if "no room" in line] == [
        "a subscriber failed and was cancelled: RuntimeError('no room')"
    ]
    server.close()


@pytest.mark.parametrize(
    ("pedals", "message"),
    [
        (PedalInput(steer_rad=2.0), "steer_rad=2.0: must be within -1.5708..1.5708"),
        (PedalInput(throttle=float("nan")), "throttle=nan: must be within 0..1"),
        (PedalInput(brake=-0.1), "brake=-0.1: must be within 0..1"),
        (PedalInput(gear=3), "gear=3: must be -1, 0 or 1"),
        (
            PedalInput(torques=WheelTorques()),
            "torques: are for a session of your own: no packet carries them",
        ),
    ],
)
def test_a_window_cannot_drive_nonsense(
    client: PlainClient, pedals: PedalInput, message: str
) -> None:
    server = lockstep_server(client)
    with pytest.raises(ParameterError) as error:
        server.latch_input(0, pedals).result()
    assert str(error.value) == message
    assert server.vehicles[0].drive is Drive.WAITING
    server.close()


def test_a_state_that_cannot_be_sent_is_counted(client: PlainClient) -> None:
    server = lockstep_server(client, state_to=["255.255.255.255:9"])
    server.advance(5)
    assert server.snapshot().ports[0].send_failures == 5
    assert client.receive().seq == 0, "the others get theirs"
    server.close()


def test_the_hash_covers_every_vehicle(client: PlainClient, tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text("vehicles: [{}, {}]\n")
    first = lockstep_server(client, vehicles=str(fleet))
    second = lockstep_server(client, vehicles=str(fleet))
    assert first.state_hash() == second.state_hash()
    second.latch_input(1, PedalInput(throttle=0.5)).result()
    first.advance(10)
    second.advance(10)
    assert first.state_hash() != second.state_hash()
    first.close()
    second.close()
