"""A client in plain Python drives the real server over UDP: start to fail-safe and back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant_node.live.snapshots import ServerSnapshot
from vdsim_plant_node_kit.runtime import LiveServer, PlainClient, live_server

LASTING_S = 60.0
"""A time-out that a test with one command does not meet, however busy the machine is."""
SECONDS_TO_TRY = 60


@pytest.fixture
def live(client: PlainClient) -> Iterator[LiveServer]:
    with live_server(client) as server:
        yield server


@pytest.fixture
def lasting(client: PlainClient) -> Iterator[LiveServer]:
    with live_server(client, cmd_timeout=LASTING_S) as server:
        yield server


def commanded(client: PlainClient, live: LiveServer, **fields: float) -> ServerSnapshot:
    """Send until the server is seen to be driven: one command may be stale when it is asked."""

    def is_driven(snapshot: ServerSnapshot) -> bool:
        client.send(**fields)
        return snapshot.vehicles[0].status.drive is Drive.COMMANDED

    return live.wait_for(is_driven)


def test_before_the_first_command_the_car_stands_braked(
    client: PlainClient, live: LiveServer
) -> None:
    frames = [client.receive() for _ in range(40)]
    assert [frame.seq for frame in frames] == list(range(frames[0].seq, frames[0].seq + 40))
    for before, after in itertools.pairwise(frames):
        assert after.time_s - before.time_s == pytest.approx(0.005, abs=1e-9)
    assert {frame.version for frame in frames} == {3}
    assert abs(frames[-1].vx_mps) < 1e-6
    vehicle = live.snapshot().vehicles[0]
    assert vehicle.status.drive is Drive.WAITING
    assert (vehicle.output.realized.throttle, vehicle.output.realized.brake) == (0.0, 0.3)


def test_a_fast_start_without_commands_brakes_straight(client: PlainClient) -> None:
    with live_server(client, vx0=15.0):
        first = client.receive()
        later = client.watch(lambda frame: frame.time_s > 0.5)
    assert first.vx_mps > later.vx_mps
    assert later.ax_mps2 < -0.5
    assert later.steer_rad == 0.0


def test_drive_silence_failsafe_resume(client: PlainClient, live: LiveServer) -> None:
    # [VS-0.2.1] [VS-0.8.1]
    driving = client.drive(lambda f: f.vx_mps > 2.0, steer=0.05, throttle=0.6, brake=0.0)
    assert driving.steer_rad == 0.05
    assert driving.at(112) > 0.0, "positive steer turns left"
    assert driving.x_m > 0.0
    assert live.snapshot().vehicles[0].status.drive is Drive.COMMANDED

    braking = client.watch(lambda f: f.ax_mps2 < -0.5)
    assert braking.steer_rad == 0.05, "the steering is held"
    status = live.snapshot().vehicles[0].status
    assert (status.drive, status.failsafes) == (Drive.FAILSAFE, 1)
    assert any("fail-safe" in line for line in live.lines)
    stopped = client.watch(lambda f: abs(f.vx_mps) < 1e-3)
    assert client.watch(lambda f: f.time_s > stopped.time_s + 1.0).vx_mps == pytest.approx(0.0)

    again = client.drive(lambda f: f.vx_mps > 1.0, steer=0.0, throttle=0.6, brake=0.0)
    assert again.steer_rad == 0.0
    status = live.snapshot().vehicles[0].status
    assert (status.drive, status.failsafes) == (Drive.COMMANDED, 1)


def test_the_first_valid_command_resumes(client: PlainClient, live: LiveServer) -> None:
    client.send(throttle=0.0, brake=0.0)
    live.wait_for(lambda s: s.vehicles[0].status.drive is Drive.FAILSAFE)
    driven = commanded(client, live, steer=0.1, throttle=0.25, brake=0.0)
    realized = driven.vehicles[0].output.realized
    assert (realized.steer_rad, realized.throttle, realized.brake) == (0.1, 0.25, 0.0)


def test_straight_failsafe_and_its_brake_are_parameters(client: PlainClient) -> None:
    with live_server(client, failsafe_steer="straight", failsafe_brake=0.9) as live:
        commanded(client, live, steer=0.2, throttle=0.5, brake=0.0)
        safe = live.wait_for(lambda s: s.vehicles[0].status.drive is Drive.FAILSAFE)
        realized = safe.vehicles[0].output.realized
    assert (realized.steer_rad, realized.throttle, realized.brake) == (0.0, 0.0, 0.9)


def test_a_restarted_client_is_heard_at_once(client: PlainClient, live: LiveServer) -> None:
    """Its process is another one, its address is the same."""
    client.seq = 50_000
    client.drive(lambda f: f.vx_mps > 0.5, throttle=0.5, brake=0.0)
    own_port = client.port
    client.close()
    restarted = PlainClient(live.port, own_port)
    try:
        restarted.send(seq=0, steer=-0.1, throttle=0.5, brake=0.0)
        frame = restarted.watch(lambda f: f.steer_rad == -0.1, limit_s=30.0)
    finally:
        restarted.close()
    assert frame.steer_rad == -0.1
    assert live.snapshot().ports[0].counters.sessions == 2


def test_a_client_that_restarts_in_the_middle_is_heard_after_the_silence(
    client: PlainClient, live: LiveServer
) -> None:
    client.seq = 50_000
    client.drive(lambda f: f.vx_mps > 0.2, throttle=0.5, brake=0.0)
    client.seq = 1
    client.drive(lambda f: f.steer_rad == 0.15, steer=0.15, throttle=0.5, brake=0.0, limit_s=30.0)


def test_the_state_rate_is_the_asked_one_and_keeps_time(client: PlainClient) -> None:
    # [VS-0.3.5]
    with live_server(client, rate=100.0):
        lag_s = float("inf")
        for _ in range(SECONDS_TO_TRY):  # one in which the machine stalls proves nothing
            first = client.latest()
            last = client.watch(lambda frame, first=first: frame.time_s >= first.time_s + 1.0)
            assert last.seq - first.seq == round((last.time_s - first.time_s) * 100.0)
            lag_s = abs((last.arrival_s - first.arrival_s) - (last.time_s - first.time_s))
            if lag_s < 0.06:
                break
    assert lag_s < 0.06


def test_a_thousand_states_a_second(client: PlainClient) -> None:
    with live_server(client, rate=1000.0):
        first = client.latest()
        last = client.watch(lambda frame: frame.time_s > first.time_s + 0.4)
    assert last.seq - first.seq == round((last.time_s - first.time_s) * 1000.0)


def test_gears_and_hand_brake_act(client: PlainClient, live: LiveServer) -> None:
    backwards = client.drive(lambda f: f.vx_mps < -0.5, gear=-1, throttle=0.5, brake=0.0)
    assert backwards.x_m < 0.0
    client.drive(lambda f: abs(f.vx_mps) < 0.01, gear=0, throttle=1.0, brake=1.0)
    held = client.drive(
        lambda f: f.time_s > backwards.time_s + 3.0, gear=0, throttle=0.0, brake=0.0, handbrake=1
    )
    assert abs(held.vx_mps) < 1e-3


def test_commands_are_clamped_to_the_vehicle_and_counted(
    client: PlainClient, lasting: LiveServer
) -> None:
    # [VS-0.4.2]
    client.send(steer=9.0, throttle=7.0, brake=-1.0, gear=5)
    driven = lasting.wait_for(lambda s: s.vehicles[0].status.drive is Drive.COMMANDED)
    realized = driven.vehicles[0].output.realized
    assert realized.steer_rad == lasting.server.vehicles[0].session.max_steer_rad
    assert (realized.throttle, realized.brake, realized.gear) == (1.0, 0.0, 1)
    assert driven.ports[0].counters.clamped == 1


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_the_answer_has_the_version_of_the_command(client: PlainClient, version: int) -> None:
    # [VS-0.10.1]
    with live_server(client, cmd_timeout=LASTING_S) as live:
        client.send(version=version, throttle=0.0, brake=1.0)
        live.wait_for(lambda s: s.vehicles[0].status.drive is Drive.COMMANDED)
        assert client.latest().version == version


def test_a_configured_version_stays(client: PlainClient) -> None:
    with live_server(client, protocol_version="5", cmd_timeout=LASTING_S) as live:
        client.send(version=3, throttle=0.25, brake=0.5)
        live.wait_for(lambda s: s.vehicles[0].status.drive is Drive.COMMANDED)
        frame = client.latest()
    assert frame.version == 5
    assert (frame.at(432), frame.at(440)) == (0.25, 0.5)


def test_from_version_4_the_sender_is_answered(client: PlainClient) -> None:
    with live_server(client):
        second = PlainClient(client.server_port)
        try:
            second.send(version=4, brake=1.0)
            assert second.receive().version == 4
        finally:
            second.close()


def test_several_destinations_get_the_same_state(client: PlainClient) -> None:
    # [VS-1.7.1]
    second = PlainClient()
    try:
        with live_server(client, state_to=[f"127.0.0.1:{second.port}"]):
            mine = {frame.seq: frame.data for frame in (client.receive() for _ in range(20))}
            theirs = {frame.seq: frame.data for frame in (second.receive() for _ in range(20))}
    finally:
        second.close()
    common = mine.keys() & theirs.keys()
    assert len(common) >= 10
    assert all(mine[seq] == theirs[seq] for seq in common)


def test_the_origin_moves_world_positions_only(client: PlainClient) -> None:
    with live_server(client, origin_x=1000.0, origin_y=-50.0, origin_z=30.0, x0=5.0):
        frame = client.receive()
    assert (frame.at(24), frame.at(32), frame.at(40)) == (1005.0, -50.0, 30.0)
    assert (frame.at(352), frame.at(360)) == (1005.0, -50.0)


def test_the_layers_are_in_the_loop(client: PlainClient) -> None:
    with live_server(client, actuator="passenger_car", sensor="automotive", seed=3):
        frame = client.drive(lambda f: f.steer_rad > 0.01, steer=0.2, throttle=0.0, brake=1.0)
    assert frame.steer_rad < 0.2, "the steering lags"
    assert frame.at(320) != frame.ax_mps2, "the accelerometer has bias and noise"


def test_a_reset_car_is_said_to_wait_for_a_command(
    client: PlainClient, lasting: LiveServer
) -> None:
    live = lasting
    client.send(throttle=0.3, brake=0.0)
    live.wait_for(lambda s: s.vehicles[0].status.drive is Drive.COMMANDED)
    live.server.call(lambda server: server.reset()).result(timeout=60.0)
    waiting = live.wait_for(lambda s: s.vehicles[0].status.drive is Drive.WAITING)
    live.wait_for(lambda s: s.ticks > waiting.ticks)
    assert live.lines[-1] == "vehicle 0: waiting for a command"
    assert live.lines.count("vehicle 0: driven by commands") == 1
