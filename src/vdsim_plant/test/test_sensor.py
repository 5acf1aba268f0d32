"""The sensor layer: the truth by default, seeded noise, bias, delay, exact snapshots."""

import statistics
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.layer_files import load_sensor
from vdsim_plant.parameters import ParameterError, from_mapping
from vdsim_plant.sensor import ChannelNoise, MeasuredState, SensorLayer, SensorParameters
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
        x_m=value, y_m=value / 7,
    )  # fmt: skip
    measured = SensorLayer().measure(truth)
    assert measured == MeasuredState(value, -value, 2 * value, value / 3, value, value / 7)


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
        ({"ax": {"noise_std": -1}}, "s.yaml: ax.noise_std=-1: must be >= 0"),
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
