"""The sensor layer: the truth by default, seeded noise, bias, delay, exact snapshots."""

import math
import statistics
from dataclasses import fields, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.assembly import pitch_per_ax, roll_per_ay
from vdsim_plant.ground import load_ground
from vdsim_plant.layer_files import load_sensor
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import ParameterError, from_mapping
from vdsim_plant.sensor import (
    ChannelNoise,
    MeasuredState,
    SensorLayer,
    SensorParameters,
    noise_stream,
)
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle
from vdsim_plant_kit.motion import motion

TICK_S = 0.005


def run(layer: SensorLayer, ticks: int, first: int = 0) -> list[MeasuredState]:
    return [
        layer.measure(motion(time_s=k * TICK_S, yaw_rate_radps=0.01 * k, x_m=float(k)))
        for k in range(first, first + ticks)
    ]


@given(value=st.floats(-1e6, 1e6))
def test_ideal_sensors_tell_the_truth_to_the_bit(value: float) -> None:
    truth = motion(
        ax_mps2=value, ay_mps2=-value, yaw_rate_radps=2 * value, steer_applied_rad=value / 3,
        x_m=value, y_m=value / 7, vx_mps=value / 2, vy_mps=value / 5, yaw_rad=-value / 9,
        wheel_spin_radps=(value, value + 1, value + 2, value + 3),
    )  # fmt: skip
    assert SensorLayer().measure(truth) == MeasuredState(
        ax_mps2=value,
        ay_mps2=-value,
        yaw_rate_radps=2 * value,
        steer_rad=value / 3,
        gnss_x_m=value,
        gnss_y_m=value / 7,
        vx_mps=value / 2,
        vy_mps=value / 5,
        yaw_rad=-value / 9,
        wheel_spin_radps=(value, value + 1, value + 2, value + 3),
    )


def test_noise_has_the_deviation_asked_for_and_no_offset() -> None:
    parameters = SensorParameters(yaw_rate=ChannelNoise(noise_std=0.5))
    layer = SensorLayer(parameters, seed=7)
    seen = [layer.measure(motion(time_s=k * TICK_S)).yaw_rate_radps for k in range(4000)]
    assert statistics.fmean(seen) == pytest.approx(0.0, abs=0.5 * 4 / 4000**0.5)
    assert statistics.stdev(seen) == pytest.approx(0.5, rel=0.05)
    within = sum(abs(value) < 0.5 for value in seen) / len(seen)
    assert within == pytest.approx(0.683, abs=0.03), "the share of a normal distribution"
    neighbours = [a * b for a, b in pairwise(seen)]
    assert statistics.fmean(neighbours) == pytest.approx(0.0, abs=0.25 * 4 / 4000**0.5), "white"


def test_the_same_seed_gives_the_same_noise_and_another_seed_another() -> None:
    parameters = load_sensor("automotive")
    assert run(SensorLayer(parameters, seed=3), 50) == run(SensorLayer(parameters, seed=3), 50)
    assert run(SensorLayer(parameters, seed=3), 50) != run(SensorLayer(parameters, seed=4), 50)


def test_channels_do_not_share_their_noise() -> None:
    noisy = ChannelNoise(noise_std=1.0)
    layer = SensorLayer(SensorParameters(ax=noisy, ay=noisy), seed=1)
    seen = [layer.measure(motion(time_s=k * TICK_S)) for k in range(2000)]
    shared = statistics.fmean(m.ax_mps2 * m.ay_mps2 for m in seen)
    assert shared == pytest.approx(0.0, abs=4 / 2000**0.5)
    alone = SensorLayer(SensorParameters(ay=noisy), seed=1)
    assert alone.measure(motion()).ay_mps2 == seen[0].ay_mps2


def test_a_bias_is_added_and_a_delay_shows_the_past() -> None:
    parameters = SensorParameters(gnss_x=ChannelNoise(bias=0.5, delay_s=0.015))
    seen = [m.gnss_x_m for m in run(SensorLayer(parameters), 6)]
    assert seen == [0.5, 0.5, 0.5, 0.5, 1.5, 2.5], "before the first is old enough, the first"


@given(ticks=st.integers(0, 30))
def test_a_restored_layer_continues_to_the_bit(ticks: int) -> None:
    parameters = load_sensor("automotive")
    first, second = SensorLayer(parameters, seed=5), SensorLayer(parameters, seed=5)
    run(first, ticks)
    second.restore(first.snapshot())
    assert run(first, 20, ticks) == run(second, 20, ticks)
    assert first.snapshot() == second.snapshot()


def test_a_reset_repeats_the_same_noise() -> None:
    layer = SensorLayer(load_sensor("automotive"), seed=11)
    before = run(layer, 30)
    layer.reset()
    assert run(layer, 30) == before


@pytest.mark.parametrize("snapshot", [b"", b"123", None])
def test_bytes_that_are_no_snapshot_are_refused(snapshot: bytes | None) -> None:
    layer = SensorLayer(load_sensor("automotive"))
    if snapshot is None:
        snapshot = layer.snapshot() + b"more"
    with pytest.raises(ParameterError, match="sensor snapshot: has"):
        layer.restore(snapshot)


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, True])
def test_a_wrong_seed_is_named(seed: object) -> None:
    with pytest.raises(ParameterError, match=f"seed={seed}: must be a whole number from 0"):
        SensorLayer(seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"ax": {"noise_std": -1}}, "s.yaml: ax.noise_std=-1: must be 0, or >= 1e-09 and <= 1e+06"),
        ({"gnss": {}}, "s.yaml: gnss: unknown key; did you mean gnss_y?"),
        (None, "s.yaml: content=None: must be a group of keys"),
    ],
)
def test_wrong_parameters_give_one_clear_line(values: object, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        from_mapping(SensorParameters, values, source="s.yaml")
    assert str(caught.value) == message


def test_presets_and_ideal_are_found_by_name() -> None:
    assert load_sensor("ideal") == SensorParameters()
    assert load_sensor("automotive").gnss_x.delay_s == 0.05


def test_every_channel_of_a_measurement_is_a_sensor_of_its_own() -> None:
    names = ("vx", "vy", "yaw", "wheel_spin")
    noisy = SensorParameters(**{name: ChannelNoise(noise_std=1.0) for name in names})
    layer = SensorLayer(noisy, seed=2)
    seen = [layer.measure(motion(time_s=k * TICK_S)) for k in range(2000)]
    columns = [
        [m.vx_mps for m in seen],
        [m.vy_mps for m in seen],
        [m.yaw_rad for m in seen],
        *([m.wheel_spin_radps[i] for m in seen] for i in range(4)),
    ]
    for k, column in enumerate(columns):
        assert statistics.stdev(column) == pytest.approx(1.0, rel=0.06)
        for other in columns[:k]:
            shared = statistics.fmean(a * b for a, b in zip(column, other, strict=True))
            assert shared == pytest.approx(0.0, abs=4 / 2000**0.5)


def test_wheel_speeds_and_velocity_have_bias_and_delay() -> None:
    late = ChannelNoise(bias=0.5, delay_s=2 * TICK_S)
    layer = SensorLayer(SensorParameters(vx=late, wheel_spin=late))
    for k in range(6):
        spins = (k + 0.0, k + 10.0, k + 20.0, k + 30.0)
        measured = layer.measure(
            motion(time_s=k * TICK_S, vx_mps=k + 5.0, yaw_rad=0.1 * k, wheel_spin_radps=spins)
        )
    assert measured.vx_mps == 3.0 + 5.0 + 0.5
    assert measured.wheel_spin_radps == (3.5, 13.5, 23.5, 33.5)
    assert measured.yaw_rad == 0.5, "an ideal channel tells the truth"


def test_the_noise_of_a_channel_does_not_depend_on_the_others() -> None:
    few = load_sensor("automotive")
    more = replace(few, wheel_spin=ChannelNoise(noise_std=0.2), vx=ChannelNoise(delay_s=0.02))
    for one, other in zip(
        run(SensorLayer(few, seed=9), 30), run(SensorLayer(more, seed=9), 30), strict=True
    ):
        assert replace(other, wheel_spin_radps=one.wheel_spin_radps, vx_mps=one.vx_mps) == one


@pytest.mark.parametrize("seed", [0, 5, 2**32 - 1])
def test_each_value_keeps_its_noise_when_a_channel_is_added(seed: int) -> None:
    """Runs of earlier releases are repeated to the bit."""
    streams = [noise_stream(index, seed) for index in range(13)]
    first = [6 * seed + index for index in range(6)]
    assert streams == [*first, *(2**36 + 7 * seed + index for index in range(6, 13))]
    later = [noise_stream(index, seed) for index in range(13, 20)]
    assert len({*streams, *later}) == 20
    assert min(later) > noise_stream(12, 2**32 - 1)


def test_an_accelerometer_feels_gravity_where_it_is_asked_to() -> None:
    tilted = motion(ax_mps2=1.0, ay_mps2=-2.0, pitch_rad=-0.1, roll_rad=0.05)
    plain = SensorLayer(load_sensor("automotive")).parameters
    assert plain.imu_gravity == "excluded"
    felt = SensorLayer(SensorParameters(imu_gravity="included")).measure(tilted)
    assert felt.ax_mps2 == pytest.approx(1.0 + 9.80665 * math.sin(0.1), rel=1e-12)
    assert felt.ay_mps2 == pytest.approx(-2.0 + 9.80665 * math.cos(0.1) * math.sin(0.05), rel=1e-12)


@pytest.mark.parametrize("yaw_rad", [0.0, math.pi / 2, math.pi, -0.7])
def test_a_standing_car_reads_gravity_along_its_leaning_body(yaw_rad: float) -> None:
    """At rest the springs carry what an accelerometer reads, so their lean is known too."""
    vehicle = Vehicle("ioniq5_awd", None, load_ground("hill_8_percent"))
    session = SimSession(
        vehicle,
        initial=InitialState(yaw_rad=yaw_rad),
        sensors=SensorLayer(SensorParameters(imu_gravity="included")),
    )
    session.set_input(PedalInput(brake=1.0))
    for _ in range(400):
        session.tick(TICK_S)
    slope = math.atan(0.08)
    along, across = math.sin(slope) * math.cos(yaw_rad), -math.sin(slope) * math.sin(yaw_rad)
    lean_pitch = pitch_per_ax(vehicle.parameters) * 9.80665 * along
    lean_roll = roll_per_ay(vehicle.parameters) * 9.80665 * across
    measured = session.measured_state()
    assert session.state().ax_mps2 == pytest.approx(0.0, abs=1e-6)
    assert measured.ax_mps2 == pytest.approx(9.80665 * (along + lean_pitch), abs=0.01)
    assert measured.ay_mps2 == pytest.approx(9.80665 * (across + lean_roll), abs=0.01)


def test_the_preset_of_an_automated_car_has_every_sensor() -> None:
    preset = load_sensor("automated")
    assert preset.imu_gravity == "included"
    assert all(
        getattr(preset, item.name) != ChannelNoise()
        for item in fields(preset)
        if item.name != "imu_gravity"
    )


def test_a_snapshot_holds_the_added_channels_too() -> None:
    first, second = (SensorLayer(load_sensor("automated"), seed=5) for _ in range(2))
    run(first, 20)
    second.restore(first.snapshot())
    assert run(first, 20, 20) == run(second, 20, 20)
    assert len(first.snapshot()) > len(SensorLayer(load_sensor("automotive")).snapshot())
