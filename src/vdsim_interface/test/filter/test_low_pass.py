import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal
from vdsim_interface.filter.low_pass import LowPassFilter, SampleFilter, design
from vdsim_interface.filter.parameters import (
    AccelerationFilter,
    ChannelParameters,
    FilterParameters,
    FrontAngleFilter,
    RearAngleFilter,
)
from vdsim_interface.values import Mode, VehicleCommand, make_vehicle_command

DT = 0.01
DESIGNS = [
    ("first_order", 1, 5.0, signal.butter(1, 5.0, fs=100.0, output="sos")),
    ("butterworth", 2, 5.0, signal.butter(2, 5.0, fs=100.0, output="sos")),
    ("butterworth", 5, 12.0, signal.butter(5, 12.0, fs=100.0, output="sos")),
    ("chebyshev", 3, 5.0, signal.cheby1(3, 0.5, 5.0, fs=100.0, output="sos")),
    ("chebyshev", 4, 8.0, signal.cheby1(4, 0.5, 8.0, fs=100.0, output="sos")),
]
IDS = [f"{kind}{order}" for kind, order, _, _ in DESIGNS]


def channel(kind: str, order: int, cutoff: float) -> ChannelParameters:
    return ChannelParameters(type=kind, order=order, cutoff_frequency_hz=cutoff)


def dc_gain(sos: np.ndarray) -> float:
    return float(np.prod(sos[:, :3].sum(axis=1) / sos[:, 3:].sum(axis=1)))


@pytest.mark.parametrize(("kind", "order", "cutoff", "sos"), DESIGNS, ids=IDS)
def test_step_and_noise_response_are_those_of_scipy(
    kind: str, order: int, cutoff: float, sos: np.ndarray
) -> None:
    filtered = SampleFilter(design(channel(kind, order, cutoff), DT))
    noise = np.random.default_rng(1).normal(size=300)
    inputs = np.concatenate([np.ones(100), noise])
    expected = signal.sosfilt(sos, inputs) / dc_gain(sos)
    got = np.array([filtered.step(float(x)) for x in inputs])
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("kind", "order", "cutoff", "sos"), DESIGNS, ids=IDS)
def test_frequency_response_is_that_of_scipy(
    kind: str, order: int, cutoff: float, sos: np.ndarray
) -> None:
    """Measured with sines: gain and phase at one half, one and three times the cutoff."""
    for frequency in (0.5 * cutoff, cutoff, 3.0 * cutoff):
        filtered = SampleFilter(design(channel(kind, order, cutoff), DT))
        time = np.arange(4000) * DT
        turn = np.exp(-2j * math.pi * frequency * time)
        got = np.array([filtered.step(float(x)) for x in turn.real])[2000:]
        period_n = 2000
        measured = 2.0 * np.mean(got[:period_n] * turn[2000 : 2000 + period_n])
        _, response = signal.sosfreqz(sos, worN=[frequency], fs=100.0)
        assert measured == pytest.approx(np.conj(response[0]) / dc_gain(sos), abs=2e-2) or (
            measured == pytest.approx(response[0] / dc_gain(sos), abs=2e-2)
        )


@pytest.mark.parametrize(("kind", "order", "cutoff", "sos"), DESIGNS, ids=IDS)
def test_reset_settles_on_a_value(kind: str, order: int, cutoff: float, sos: np.ndarray) -> None:
    filtered = SampleFilter(design(channel(kind, order, cutoff), DT))
    filtered.reset(3.25)
    assert [filtered.step(3.25) for _ in range(50)] == pytest.approx([3.25] * 50, abs=1e-10)


def test_off_is_no_section_and_passes_through() -> None:
    assert design(ChannelParameters(), DT) == ()
    assert SampleFilter(()).step(1.5) == 1.5
    stage = LowPassFilter(FilterParameters(), DT, 0.5)
    command = VehicleCommand(1.0, 0.3, 0.1, 0.0)
    assert stage.step(command, 1.0) is command


def stage() -> LowPassFilter:
    parameters = FilterParameters(
        AccelerationFilter(type="butterworth", cutoff_frequency_hz=3.0),
        FrontAngleFilter(type="chebyshev", cutoff_frequency_hz=3.0),
        RearAngleFilter(type="first_order", cutoff_frequency_hz=3.0),
    )
    made = LowPassFilter(parameters, DT, 0.5)
    made.on_mode(Mode.AUTONOMOUS)
    return made


def ask(value: float, now: float) -> VehicleCommand:
    return make_vehicle_command(now, value, 0.1 * value, 0.05 * value)


def test_high_frequency_noise_is_taken_out_of_every_channel() -> None:
    """[VI-3.1] A 20 Hz shake of the command arrives at less than a twentieth of its size."""
    low_pass = stage()
    outputs = []
    for n in range(400):
        now = n * DT
        out = low_pass.step(ask(math.sin(2.0 * math.pi * 20.0 * now), now), now)
        assert out is not None
        outputs.append((out.long_accel_mps2, out.front_wheel_angle_rad, out.rear_wheel_angle_rad))
    accel, front, rear = np.ptp(np.array(outputs[200:]), axis=0) / 2.0
    assert accel < 0.05
    assert front < 0.1 * 0.05
    assert rear < 0.05 * 0.2


def test_starts_without_delay_and_without_a_bump() -> None:
    low_pass = stage()
    first = low_pass.step(ask(2.0, 0.0), 0.0)
    assert first is not None
    assert first.long_accel_mps2 == pytest.approx(2.0)


def test_outside_autonomous_the_filter_follows_so_that_engaging_is_bumpless() -> None:
    low_pass = stage()
    low_pass.step(ask(0.0, 0.0), 0.0)
    low_pass.on_mode(Mode.MANUAL)
    out = low_pass.step(ask(-1.0, 0.01), 0.01)
    assert out is not None
    assert out.long_accel_mps2 == pytest.approx(-1.0)
    low_pass.on_mode(Mode.AUTONOMOUS)
    out = low_pass.step(ask(-1.0, 0.02), 0.02)
    assert out is not None
    assert out.long_accel_mps2 == pytest.approx(-1.0)


def test_a_gap_in_the_stream_settles_again() -> None:
    low_pass = stage()
    low_pass.step(ask(2.0, 0.0), 0.0)
    assert low_pass.step(ask(2.0, 0.0), 0.51) is None
    assert low_pass.step(None, 0.6) is None
    out = low_pass.step(ask(-2.0, 1.0), 1.0)
    assert out is not None
    assert out.long_accel_mps2 == pytest.approx(-2.0)


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=40), st.sampled_from(["nan", "inf"]))
def test_a_bad_sample_leaves_no_trace(values: list[float], bad: str) -> None:
    """A command that is not finite goes on unchanged (safety drops it) and is not remembered."""
    clean, dirty = stage(), stage()
    for n, value in enumerate(values):
        now = n * DT
        passed = dirty.step(VehicleCommand(now, float(bad), 0.0, 0.0), now)
        assert passed is not None
        assert not passed.is_finite()
        assert dirty.step(ask(value, now), now) == clean.step(ask(value, now), now)


@pytest.mark.parametrize("huge", [3e38, -3e38])
def test_a_number_that_no_car_could_follow_is_not_kept(huge: float) -> None:
    """A planner went mad for a moment: its next request to brake counts at once."""
    slow = FilterParameters(long_accel=AccelerationFilter("butterworth", 0.5))
    stage = LowPassFilter(slow, DT, 0.5)
    stage.on_mode(Mode.AUTONOMOUS)
    assert stage.step(make_vehicle_command(0.0, 1.0, 0.0, 0.0), 0.0) is not None
    for n in range(30):
        stage.step(make_vehicle_command(0.0, huge, 0.0, 0.0), 0.01 * n)
    after = stage.step(make_vehicle_command(0.0, 1.0, 0.0, 0.0), 0.31)
    assert after is not None
    assert after.long_accel_mps2 == pytest.approx(1.0)


@pytest.mark.parametrize(("kind", "order", "cutoff", "sos"), DESIGNS, ids=IDS)
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_an_acceleration_of_0_after_a_brake_never_asks_to_drive(
    kind: str, order: int, cutoff: float, sos: np.ndarray, sense: float
) -> None:
    """What overshoots it would release the brake that holds the car, and drive."""
    accel = AccelerationFilter(type=kind, order=order, cutoff_frequency_hz=cutoff)
    stage = LowPassFilter(FilterParameters(long_accel=accel), DT, 0.5)
    stage.on_mode(Mode.AUTONOMOUS)
    got = []
    for n in range(600):
        asked = sense * -4.0 if n < 100 else 0.0 if n < 300 else sense * 2.0
        given = stage.step(VehicleCommand(n * DT, asked, 0.1, 0.0), n * DT)
        assert given is not None
        got.append(sense * given.long_accel_mps2)
    assert got[99] == pytest.approx(-4.0)
    assert -4.0 < got[102] < 0.0
    assert max(got[100:300]) <= 0.0
    assert got[299] == pytest.approx(0.0, abs=1e-3)
    assert got[301] < 2.0
    assert got[-1] == pytest.approx(2.0, abs=1e-3)
