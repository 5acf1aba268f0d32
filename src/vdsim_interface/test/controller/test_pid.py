import pytest
from vdsim_interface.controller.controller import SpeedPid
from vdsim_interface.controller.parameters import ControllerParameters

DT = 0.01


def pid(**values: float) -> SpeedPid:
    return SpeedPid(ControllerParameters(**values), DT)  # type: ignore[arg-type]


def test_taking_over_is_bumpless() -> None:
    controller = pid()
    controller.reset(12.0)
    assert controller.step(12.0, 12.0) == 0.0


def test_feed_forward_is_the_slope_of_the_reference() -> None:
    controller = pid(kp_1ps=0.0, ki_1ps2=0.0, kd=0.0, accel_max_mps2=2.0, decel_max_mps2=2.5)
    for target, speed, slope in ((10.0, 0.0, 2.0), (0.0, 10.0, -2.5)):
        controller.reset(speed)
        for _ in range(100):
            output = controller.step(target, speed)
            speed += slope * DT
        assert output == pytest.approx(slope, rel=1e-2)


def test_a_target_that_jitters_is_not_hammered_into_the_pedals() -> None:
    """A path follower's target jumps by 8 cm/s from one of its periods to the next."""
    controller = pid()
    controller.reset(6.0)
    outputs = [controller.step(6.0 if n % 4 < 2 else 5.92, 5.96) for n in range(1000)]
    assert max(outputs) - min(outputs) < 0.5
    reversals = sum(
        (b - a) * (c - b) < 0.0 for a, b, c in zip(outputs, outputs[1:], outputs[2:], strict=False)
    )
    assert reversals > 100, "the target did jitter"


def test_the_integral_works_under_a_jittering_target() -> None:
    controller = pid(ki_1ps2=0.25)
    controller.reset(5.0)
    speed, after = 5.0, []
    for n in range(3000):
        speed += (controller.step(5.04 if n % 4 < 2 else 4.96, speed) - 0.8) * DT
        after.append(speed)
    assert sum(after[-400:]) / 400 == pytest.approx(5.0, abs=0.03)


def test_the_reference_stays_near_a_car_that_cannot_follow() -> None:
    controller = pid(ki_1ps2=0.0, kd=0.0, feed_forward=0.0, reference_lead_max_mps=1.0, kp_1ps=1.0)
    controller.reset(0.0)
    outputs = [controller.step(20.0, 0.0) for _ in range(500)]
    assert outputs[-1] == pytest.approx(1.0)


def test_a_stop_that_the_tyres_limit_goes_on_asking_for_its_whole_deceleration() -> None:
    """A reference that stands long before the car asks for little more than the last brake."""
    controller = pid()
    controller.reset(1.5)
    speed, least = 1.5, []
    while speed > 0.7:
        least.append(controller.step(0.0, speed))
        speed -= min(0.5, -least[-1]) * DT if least[-1] < 0.0 else 0.0
    assert max(least[50:]) < -2.4


def test_the_integral_removes_a_steady_error() -> None:
    """A car on a slope that takes 0.8 m/s2 from what is commanded still reaches its speed."""
    controller = pid(ki_1ps2=0.25)
    controller.reset(5.0)
    speed = 5.0
    for _ in range(3000):
        speed += (controller.step(5.0, speed) - 0.8) * DT
    assert speed == pytest.approx(5.0, abs=0.02)


def test_the_integral_does_not_wind_up() -> None:
    """Stuck against a wall for a minute, then free: the overshoot is as if it had been a second."""
    peaks = []
    for stuck_n in (100, 6000):
        controller = pid(ki_1ps2=0.25)
        controller.reset(0.0)
        for _ in range(stuck_n):
            controller.step(5.0, 0.0)
        speed = peak = 0.0
        for _ in range(1500):
            speed += controller.step(5.0, speed) * DT
            peak = max(peak, speed)
        peaks.append(peak)
    assert peaks[1] == pytest.approx(peaks[0], abs=0.02)
    assert peaks[1] < 5.5


def test_the_integral_is_bounded() -> None:
    controller = pid(kp_1ps=0.0, kd=0.0, ki_1ps2=1.0, integral_max_mps2=1.5)
    controller.reset(0.5)
    outputs = [controller.step(0.5, 1e-6 * (n % 2)) for n in range(2000)]
    assert max(outputs) == pytest.approx(1.5)


def test_a_paused_car_winds_nothing_up() -> None:
    """Its speed stays the same to the bit, whatever is asked for."""
    controller = pid(ki_1ps2=1.0)
    controller.reset(4.0)
    first = [controller.step(5.0, 4.0) for _ in range(300)][-1]
    assert [controller.step(5.0, 4.0) for _ in range(3000)][-1] == pytest.approx(first)


def test_the_derivative_acts_on_the_measurement_only() -> None:
    """A jump of the target gives no kick; a rising speed is damped."""
    controller = pid(ki_1ps2=0.0, kp_1ps=0.0, feed_forward=0.0, kd=0.5)
    controller.reset(5.0)
    jump = abs(controller.step(9.0, 5.0))
    assert jump <= 0.5 * ControllerParameters().accel_max_mps2 + 1e-9
    controller.reset(5.0)
    damped = 0.0
    for n in range(100):
        damped = controller.step(5.0, 5.0 + 0.02 * n)
    assert damped == pytest.approx(-0.5 * 2.0, rel=0.1)


@pytest.mark.parametrize(("target", "speed", "low", "high"), [(9, 0, -5, 3), (-9, 0, -3, 5)])
def test_the_output_is_bounded_by_direction(
    target: float, speed: float, low: float, high: float
) -> None:
    controller = pid(kp_1ps=20.0, reference_lead_max_mps=10.0)
    controller.reset(speed)
    outputs = [controller.step(target, speed) for _ in range(300)]
    outputs += [controller.step(0.0, target) for _ in range(600)]
    assert min(outputs) >= low
    assert max(outputs) <= high
    assert {low, high} & {round(min(outputs), 9), round(max(outputs), 9)}
