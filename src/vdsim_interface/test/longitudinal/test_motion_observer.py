import pytest
from vdsim_interface.longitudinal.motion_observer import MotionObserver, of_step

DT = 0.01


def observed(
    true_mps2: float, known_mps2: float, seconds: float = 3.0, *, slope_from: str = ""
) -> MotionObserver:
    """A car with one acceleration, of which one part is known."""
    observer = MotionObserver(6.0, 4.5, slope_from)
    for n in range(round(seconds / DT)):
        observer.update(5.0 + true_mps2 * n * DT, known_mps2, DT, learns=True)
    return observer


@pytest.mark.parametrize(("true", "known"), [(0.0, 2.0), (-1.5, 0.0), (1.0, 1.0), (2.0, -2.0)])
def test_the_disturbance_is_what_effort_and_slope_do_not_explain(true: float, known: float) -> None:
    observer = observed(true, known)
    assert observer.disturbance_mps2 == pytest.approx(true - known, abs=0.01)
    assert observer.accel_mps2 == pytest.approx(true, abs=0.01)


def test_the_disturbance_is_bounded_and_leaves_its_bound_at_once() -> None:
    observer = observed(0.0, 9.0, 60.0)
    assert observer.disturbance_mps2 == -4.5
    for _ in range(100):
        observer.update(5.0, 0.0, DT, learns=True)
    assert observer.disturbance_mps2 == pytest.approx(0.0, abs=0.15)


def test_without_progress_of_time_nothing_changes() -> None:
    observer = observed(0.0, 1.0)
    before = observer.disturbance_mps2
    for _ in range(1000):
        observer.update(9.0, 5.0, 0.0, learns=True)
    assert observer.disturbance_mps2 == before


def test_a_held_car_teaches_nothing() -> None:
    observer = observed(0.0, 1.0)
    before = observer.disturbance_mps2
    for _ in range(1000):
        observer.update(5.0, 5.0, DT, learns=False)
    assert observer.disturbance_mps2 == before
    assert observer.accel_mps2 == pytest.approx(0.0, abs=1e-6)


def test_in_the_other_direction_a_slope_acts_the_other_way() -> None:
    observer = observed(0.0, 1.0)
    before = observer.disturbance_mps2
    observer.accel_mps2 = 0.5
    observer.turn()
    assert observer.disturbance_mps2 == -before
    assert observer.accel_mps2 == -0.5
    observer.reset()
    assert observer.disturbance_mps2 == 0.0


@pytest.mark.parametrize("true", [-0.75, 0.75])
def test_what_a_reported_slope_does_not_explain_does_not_push_the_other_way(true: float) -> None:
    # the drag of wheels at the lock was taken for a slope, and the start in reverse rolled.
    observer = observed(true, 0.0, slope_from="pitch")
    assert observer.disturbance_mps2 == pytest.approx(true, abs=0.01)
    observer.turn()
    assert observer.disturbance_mps2 == 0.0
    assert observer.accel_mps2 == pytest.approx(-true, abs=0.01)


@pytest.mark.parametrize("true", [-1.0, 1.0])
def test_only_where_the_slope_is_reported_the_disturbance_is_forgotten(true: float) -> None:
    # a brake of the car itself was taken for a push, and starts on level ground were refused.
    reported = observed(true, 0.0, slope_from="pitch")
    reported.forget()
    assert reported.disturbance_mps2 == 0.0
    unknown = observed(true, 0.0)
    unknown.forget()
    assert unknown.disturbance_mps2 == pytest.approx(true, abs=0.01)


def test_a_clock_whose_steps_all_differ_fills_no_memory() -> None:
    observer = MotionObserver(6.0, 4.5, "")
    observer.update(0.0, 0.0, DT, learns=True)
    of_step.cache_clear()
    kept = []
    for number in range(129):
        observer.update(0.0, 0.0, DT * (1.0 + 0.001 * number), learns=True)
        kept.append(of_step.cache_info().currsize)
    assert kept == [*range(1, 65), *(65 * (64,))]


def test_before_a_speed_is_measured_nothing_is_estimated() -> None:
    observer = MotionObserver(6.0, 4.5, "")
    assert (observer.accel_mps2, observer.disturbance_mps2) == (0.0, 0.0)
    observer.update(5.0, 3.0, DT, learns=True)
    assert (observer.accel_mps2, observer.disturbance_mps2) == (0.0, 0.0)
    observer.update(5.0, 0.0, DT, learns=True)
    assert (observer.accel_mps2, observer.disturbance_mps2) == (0.0, 0.0)


def test_after_a_gap_the_acceleration_is_the_mean_and_nothing_is_learnt() -> None:
    observer = MotionObserver(2.0, 4.0, "")
    observer.update(10.0, 0.0, 0.01, learns=True)
    observer.resume(4.0, 3.0)
    assert observer.accel_mps2 == pytest.approx(-2.0)
    assert observer.disturbance_mps2 == 0.0
    observer.update(4.0, 0.0, 0.01, learns=True)
    assert abs(observer.disturbance_mps2) < 0.01
