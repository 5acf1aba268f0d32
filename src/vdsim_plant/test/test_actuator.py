"""The actuator layer: ideal by default, exact lag, delay and rate limit, exact snapshots."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.actuator import (
    ActuatorLayer,
    ActuatorParameters,
    ChannelParameters,
    value_at,
)
from vdsim_plant.layer_files import load_actuator
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import ParameterError, from_mapping
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle

from vdsim_plant import VDSimPlant

TICK_S = 0.005
pedals = st.builds(
    PedalInput,
    steer_rad=st.floats(-0.6, 0.6),
    throttle=st.floats(0.0, 1.0),
    brake=st.floats(0.0, 1.0),
    gear=st.sampled_from([-1, 0, 1]),
    handbrake=st.booleans(),
)


def steering(**parameters: Any) -> ActuatorLayer:
    return ActuatorLayer(ActuatorParameters(steering=ChannelParameters(**parameters)))


def response(layer: ActuatorLayer, steer_rad: float, ticks: int) -> list[float]:
    return [
        layer.realize_pedals(PedalInput(steer_rad=steer_rad), TICK_S).steer_rad
        for _ in range(ticks)
    ]


@given(commands=st.lists(pedals, max_size=20))
def test_ideal_actuators_pass_every_command_unchanged(commands: list[PedalInput]) -> None:
    layer = ActuatorLayer()
    assert [layer.realize_pedals(command, TICK_S) for command in commands] == commands


@given(steer=st.floats(-1, 1), force=st.floats(-1e5, 1e5))
def test_ideal_actuators_pass_a_force_unchanged(steer: float, force: float) -> None:
    assert ActuatorLayer().realize_force(steer, force, 0.05) == (steer, force)


def test_a_lag_follows_the_exponential_whatever_the_tick() -> None:
    expected = 0.1 * (1.0 - math.exp(-0.2 / 0.08))
    assert response(steering(lag_s=0.08), 0.1, 40)[-1] == pytest.approx(expected, rel=1e-12)
    coarse = steering(lag_s=0.08).realize_pedals(PedalInput(steer_rad=0.1), 0.2)
    assert coarse.steer_rad == pytest.approx(expected, rel=1e-12)


def test_a_delay_of_four_ticks_holds_the_old_value_for_four_ticks() -> None:
    layer = steering(delay_s=0.02)
    layer.reset(steer_rad=0.3)
    assert response(layer, -0.1, 6) == [0.3, 0.3, 0.3, 0.3, -0.1, -0.1]


def test_a_rate_limit_is_reached_and_kept() -> None:
    seen = response(steering(rate_limit_per_s=2.0), 0.05, 8)
    assert seen == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05, 0.05, 0.05, 0.05])


@given(commands=st.lists(pedals, min_size=2, max_size=40))
def test_no_channel_overshoots_or_outruns_its_limit(commands: list[PedalInput]) -> None:
    layer = ActuatorLayer(load_actuator("passenger_car"))
    before = 0.0
    for command in commands:
        realized = layer.realize_pedals(command, TICK_S)
        assert abs(realized.steer_rad) <= 0.6
        assert 0.0 <= realized.throttle <= 1.0
        assert 0.0 <= realized.brake <= 1.0
        assert abs(realized.steer_rad - before) <= 0.7 * TICK_S + 1e-12
        assert (realized.gear, realized.handbrake) == (command.gear, command.handbrake)
        before = realized.steer_rad


def test_the_force_interface_has_a_channel_of_its_own() -> None:
    parameters = ActuatorParameters(force=ChannelParameters(lag_s=0.1))
    steer, force = ActuatorLayer(parameters).realize_force(0.2, 4000.0, 0.1)
    assert steer == 0.2
    assert force == pytest.approx(4000.0 * (1.0 - math.exp(-1.0)))


@given(commands=st.lists(pedals, min_size=1, max_size=30), cut=st.integers(0, 29))
def test_a_restored_layer_continues_to_the_bit(commands: list[PedalInput], cut: int) -> None:
    parameters = load_actuator("passenger_car")
    first, second = ActuatorLayer(parameters), ActuatorLayer(parameters)
    for command in commands[:cut]:
        first.realize_pedals(command, TICK_S)
    second.restore(first.snapshot())
    for command in commands[cut:]:
        assert first.realize_pedals(command, TICK_S) == second.realize_pedals(command, TICK_S)
    assert first.snapshot() == second.snapshot()


def test_a_reset_forgets_everything() -> None:
    parameters = load_actuator("passenger_car")
    used, fresh = ActuatorLayer(parameters), ActuatorLayer(parameters)
    response(used, 0.4, 25)
    used.reset()
    assert response(used, 0.2, 25) == response(fresh, 0.2, 25)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steering": {"lag_s": -1}}, "a.yaml: steering.lag_s=-1: must be >= 0 and <= 10 s"),
        ({"brake": {"lag": 1}}, "a.yaml: brake.lag: unknown key; did you mean lag_s?"),
        ({"wheels": {}}, "a.yaml: wheels: unknown key; did you mean wheel_torque?"),
        (
            {"steering": {"rate_limit_over_speed": [[1, 2]]}},
            "a.yaml: steering.rate_limit_over_speed=[[1, 2]]: must be 2 to 32 pairs "
            "[m/s, the channel's unit/s], first x 0, x rising, y >= 0; or none",
        ),
        ({"force": 3}, "a.yaml: force=3: must be a group of keys"),
    ],
)
def test_wrong_parameters_give_one_clear_line(values: object, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        from_mapping(ActuatorParameters, values, source="a.yaml")
    assert str(caught.value) == message


def test_presets_and_ideal_are_found_by_name() -> None:
    assert load_actuator("ideal") == ActuatorParameters()
    assert load_actuator("passenger_car").steering.rate_limit_per_s == 0.7
    with pytest.raises(ParameterError, match=r"actuator='none': must be a \.yaml file or one of"):
        load_actuator("none")


@pytest.mark.parametrize("snapshot", [b"", b"1234567"])
def test_bytes_that_are_no_snapshot_are_refused(snapshot: bytes) -> None:
    with pytest.raises(ParameterError, match="actuator snapshot: has"):
        ActuatorLayer().restore(snapshot)


SLOW_WHEN_FAST = ((0.0, 1.0), (10.0, 0.5), (30.0, 0.1))


@pytest.mark.parametrize(
    ("speed_mps", "value"),
    [(0.0, 1.0), (5.0, 0.75), (10.0, 0.5), (20.0, 0.3), (30.0, 0.1), (99.0, 0.1), (-20.0, 0.3)],
)
def test_a_table_over_speed_is_linear_between_its_points(speed_mps: float, value: float) -> None:
    assert value_at(SLOW_WHEN_FAST, speed_mps) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("speed_mps", [0.0, 5.0, 20.0, 60.0])
def test_a_rate_limit_over_speed_holds_at_each_speed(speed_mps: float) -> None:
    layer = steering(rate_limit_over_speed=SLOW_WHEN_FAST, rate_limit_per_s=0.6)
    before = 0.0
    for _ in range(20):
        after = layer.realize_pedals(PedalInput(steer_rad=0.5), TICK_S, speed_mps).steer_rad
        assert after - before == pytest.approx(
            TICK_S * min(0.6, value_at(SLOW_WHEN_FAST, speed_mps)), rel=1e-9
        )
        before = after


def test_a_limit_over_speed_acts_before_the_lag() -> None:
    parameters = ActuatorParameters(
        force=ChannelParameters(limit_over_speed=((0.0, 8000.0), (40.0, 4000.0)), lag_s=0.1)
    )
    layer = ActuatorLayer(parameters)
    for force in (20_000.0, -20_000.0):
        _, slow = ActuatorLayer(parameters).realize_force(0.0, force, 0.1, 0.0)
        _, fast = ActuatorLayer(parameters).realize_force(0.0, force, 0.1, 40.0)
        assert slow == pytest.approx(math.copysign(8000.0, force) * (1.0 - math.exp(-1.0)))
        assert fast == 0.5 * slow
    for _ in range(100):
        _, reached = layer.realize_force(0.0, 20_000.0, 0.1, 20.0)
    assert reached == pytest.approx(6000.0)


def test_a_session_and_a_plant_give_their_actuators_the_speed() -> None:
    table = ChannelParameters(rate_limit_over_speed=((0.0, 1.0), (20.0, 0.2)))
    parameters = ActuatorParameters(steering=table)

    def session_angle(speed_mps: float) -> float:
        session = SimSession(
            Vehicle("ioniq5_awd"),
            initial=InitialState(vx_mps=speed_mps),
            actuators=ActuatorLayer(parameters),
        )
        session.set_input(PedalInput(steer_rad=0.5))
        session.tick(TICK_S)
        return session.output().realized.steer_rad

    def plant_angle(speed_mps: float) -> float:
        plant = VDSimPlant(actuators=parameters, control_dt=TICK_S)
        plant.reset([0.0, 0.0, 0.0, speed_mps, 0.0, 0.0])
        plant.step([0.5, 0.0])
        return plant.motion().steer_applied_rad

    for angle in (session_angle, plant_angle):
        assert angle(0.0) == pytest.approx(TICK_S * 1.0, rel=1e-9)
        assert angle(20.0) == pytest.approx(TICK_S * 0.2, rel=1e-6)
        assert angle(10.0) == pytest.approx(TICK_S * 0.6, rel=1e-6)


def test_settings_without_tables_have_the_fingerprint_that_they_had() -> None:
    shown = repr(ChannelParameters(lag_s=0.1))
    assert shown == "ChannelParameters(lag_s=0.1, delay_s=0.0, rate_limit_per_s=0.0)"
    assert "limit_over_speed=((0.0, 1.0)" in repr(
        ChannelParameters(limit_over_speed=SLOW_WHEN_FAST)
    )
