"""RealTimeRunner: exact in virtual time; with a real thread, what belongs to threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import ParameterError
from vdsim_plant.realtime.runner import RealTimeRunner
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant.session import AT_REST, SimSession
from vdsim_plant.vehicle import Vehicle

GAS = PedalInput(steer_rad=0.05, throttle=0.4)
FAST = InitialState(vx_mps=12.0)


def session() -> SimSession:
    return SimSession(Vehicle("ioniq5_awd"), initial=FAST)


class VirtualClock:
    """A clock that moves when slept on; at each given time an action runs on the way."""

    def __init__(self) -> None:
        self.now = 50.0
        self.actions: list[tuple[float, Callable[[], None]]] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, duration_s: float) -> None:
        self.now += duration_s
        while self.actions and self.actions[0][0] <= self.now:
            self.actions.pop(0)[1]()

    def at(self, time_s: float, action: Callable[[], None]) -> None:
        """Run an action `time_s` after the start [s]; to be added in the order of time."""
        self.actions.append((50.0 + time_s, action))

    def after(self, duration_s: float) -> Callable[[], bool]:
        """The end of a run."""
        return lambda: self.now >= 50.0 + duration_s - 1e-9


def in_virtual_time(**options: Any) -> tuple[RealTimeRunner, VirtualClock, SimSession]:
    clock, car = VirtualClock(), session()
    return RealTimeRunner(car, clock=clock, sleep=clock.sleep, **options), clock, car


def test_it_ticks_at_absolute_deadlines() -> None:
    # [VS-1.4.1]
    runner, clock, car = in_virtual_time(dt=0.01)
    runner.run(clock.after(3.0))
    assert (car.output().tick, car.output().time_s) == (300, pytest.approx(3.0))
    assert clock.now == pytest.approx(53.0, abs=1e-9)
    assert runner.status().pacing.overruns == 0


def test_it_drives_the_session_as_a_loop_of_ones_own_would() -> None:
    runner, clock, car = in_virtual_time(cmd_timeout=1.0)
    runner.set_input(GAS)
    runner.run(clock.after(0.5))
    own = session()
    own.set_input(GAS)
    for _ in range(100):
        own.tick(0.005)
    assert car.state_hash() == own.state_hash()


def test_silence_brings_the_fail_safe_and_the_next_input_ends_it() -> None:
    # [VS-1.4.2]
    runner, clock, car = in_virtual_time()
    seen: list[tuple[Drive, PedalInput]] = []

    def look() -> None:
        seen.append((runner.status().drive, runner.output().commanded))

    clock.at(0.020, lambda: runner.set_input(GAS))
    clock.at(0.110, look)
    clock.at(0.130, look)
    clock.at(0.300, lambda: runner.set_input(GAS))
    clock.at(0.310, look)
    runner.run(clock.after(0.5))
    stopping = PedalInput(steer_rad=0.05, throttle=0.0, brake=0.3)
    assert seen == [(Drive.COMMANDED, GAS), (Drive.FAILSAFE, stopping), (Drive.COMMANDED, GAS)]
    status = runner.status()
    assert (status.drive, status.failsafes) == (Drive.FAILSAFE, 2)
    assert status.command_age_s == pytest.approx(0.2)
    assert car.output().realized.brake == 0.3


@pytest.mark.parametrize(
    "failsafe",
    [
        PedalInput(brake=0.9),
        lambda last: PedalInput(brake=0.9, gear=last.gear),
    ],
)
def test_the_fail_safe_is_the_callers_to_choose(failsafe: Any) -> None:
    runner, clock, _ = in_virtual_time(cmd_timeout=0.05, failsafe=failsafe)
    clock.at(0.02, lambda: runner.set_input(GAS))
    runner.run(clock.after(0.2))
    assert runner.output().commanded == PedalInput(brake=0.9)


def test_a_reset_goes_back_to_the_start_and_waits() -> None:
    runner, clock, car = in_virtual_time()
    runner.set_input(GAS)
    runner.run(clock.after(0.1))
    runner.reset()
    assert (runner.state().x_m, runner.state().vx_mps) == (0.0, 12.0)
    assert runner.status().drive is Drive.WAITING
    assert runner.measured_state().gnss_x_m == 0.0
    assert car.output().tick == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dt": 0.0}, "dt=0.0: must be > 0 and <= 1 s"),
        ({"dt": float("nan")}, "dt=nan: must be > 0 and <= 1 s"),
        ({"dt": 10**9}, "dt=1000000000: must be > 0 and <= 1 s"),
        ({"dt": 60.0}, "dt=60.0: must be > 0 and <= 1 s"),
        ({"dt": "5 ms"}, "dt='5 ms': must be a number of seconds"),
        ({"dt": 0.0007}, "dt=0.0007: must be a whole number of substeps of 0.0005 s"),
        ({"cmd_timeout": 0.0}, "cmd_timeout=0.0: must be > 0 and <= 60 s"),
        ({"cmd_timeout": float("nan")}, "cmd_timeout=nan: must be > 0 and <= 60 s"),
        ({"cmd_timeout": None}, "cmd_timeout=None: must be a number of seconds"),
        ({"failsafe": 0.3}, "failsafe=0.3: must be a PedalInput, or a function of the last input"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as error:
        RealTimeRunner(session(), **options)
    assert str(error.value) == message


# --- with a thread


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    before = threading.active_count()
    yield
    assert threading.active_count() == before


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_three_lines_drive_a_car() -> None:
    with RealTimeRunner(session()) as runner:
        runner.set_input(GAS)
        until(lambda: runner.output().tick > 20)
    assert runner.state().x_m > 0.5
    ticks = runner.output().tick
    assert ticks == runner.status().pacing.ticks, "nothing ticks after the end"


def test_it_can_be_started_again_and_goes_on() -> None:
    runner = RealTimeRunner(session(), dt=0.002)
    runner.stop()
    for _ in range(2):
        before = runner.output().tick
        assert runner.start() is runner
        with pytest.raises(RuntimeError, match="has been started already"):
            runner.start()
        until(lambda before=before: runner.output().tick > before + 5)  # type: ignore[misc]
        runner.stop()
    runner.stop()


class Breaks(SimSession):
    """A session whose ticks fail after some."""

    def tick(self, duration_s: float) -> None:
        if self.output().tick >= 5:
            raise ArithmeticError("the car has broken")
        super().tick(duration_s)


def broken() -> RealTimeRunner:
    return RealTimeRunner(Breaks(Vehicle("ioniq5_awd")), dt=0.002)


def test_an_error_of_the_thread_reaches_whoever_waits() -> None:
    runner = broken().start()
    with pytest.raises(ArithmeticError, match="has broken"):
        runner.wait(60.0)
    for call in (runner.state, runner.measured_state, runner.reset, lambda: runner.set_input(GAS)):
        with pytest.raises(ArithmeticError):
            call()
    assert runner.status().drive is Drive.WAITING, "the status raises nothing"
    runner.stop()


def test_an_error_that_nobody_has_seen_is_raised_by_stop_and_by_the_block() -> None:
    runner = broken().start()
    until(lambda: runner.status().pacing.ticks >= 6)
    with pytest.raises(ArithmeticError):
        runner.stop()
    with pytest.raises(ArithmeticError), broken() as other:
        until(lambda: other.status().pacing.ticks >= 6)


def test_an_error_of_the_block_ends_the_thread_and_passes() -> None:
    with pytest.raises(KeyError), RealTimeRunner(session()):
        raise KeyError("of the caller")


def asked_by_its_fail_safe(ask: Callable[[RealTimeRunner], object]) -> RealTimeRunner:
    """A runner that is asked something by its own fail-safe function, and is stopped after that."""
    asked = threading.Event()
    runners: list[RealTimeRunner] = []

    def failsafe(last: PedalInput) -> PedalInput:
        if runners and not asked.is_set():
            asked.set()
            ask(runners[0])
        return PedalInput(brake=0.3)

    runner = RealTimeRunner(session(), dt=0.002, cmd_timeout=0.02, failsafe=failsafe)
    runners.append(runner)
    with runner:
        runner.set_input(GAS)
        assert asked.wait(60.0)
    return runner


@pytest.mark.parametrize(
    "ask",
    [
        RealTimeRunner.status,
        RealTimeRunner.reset,
        RealTimeRunner.stop,
        lambda runner: runner.set_input(GAS),
    ],
)
def test_a_fail_safe_function_may_ask_the_runner(ask: Callable[[RealTimeRunner], object]) -> None:
    ended = threading.Thread(target=asked_by_its_fail_safe, args=(ask,), daemon=True)
    ended.start()
    ended.join(60.0)
    assert not ended.is_alive()


def test_stopped_by_its_fail_safe_it_ends_without_an_error_and_starts_again() -> None:
    runner = asked_by_its_fail_safe(RealTimeRunner.stop)
    assert runner.output().commanded == PedalInput(brake=0.3)
    with runner:
        before = runner.output().tick
        until(lambda: runner.output().tick > before)


def test_threads_that_start_and_stop_it_at_the_same_time_leave_nothing_running() -> None:
    runner = RealTimeRunner(session(), dt=0.002)

    def start_and_stop() -> None:
        for _ in range(50):
            with suppress(RuntimeError):
                runner.start()
            runner.stop()

    threads = [threading.Thread(target=start_and_stop) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    runner.stop()
    assert "vdsim-real-time" not in [thread.name for thread in threading.enumerate()]


def test_an_input_that_no_car_takes_is_refused_where_it_comes_from() -> None:
    with RealTimeRunner(session(), cmd_timeout=60.0) as runner:
        runner.set_input(GAS)
        with pytest.raises(ParameterError, match="throttle=nan: must be finite"):
            runner.set_input(PedalInput(throttle=float("nan")))
        with pytest.raises(ParameterError, match="gear=7"):
            runner.set_input(PedalInput(gear=7))
        before = runner.output().tick
        until(lambda: runner.output().tick > before + 5)
        assert runner.output().commanded == GAS


def test_many_producers_and_readers_do_not_disturb_the_ticks() -> None:
    stop = threading.Event()
    torn: list[bool] = []

    def produce(runner: RealTimeRunner) -> None:
        while not stop.is_set():
            runner.set_input(GAS)
            torn.append(runner.output().commanded not in (AT_REST, GAS))
            time.sleep(0)

    runner = RealTimeRunner(session(), cmd_timeout=60.0)
    runner.set_input(GAS)
    with runner:
        producers = [threading.Thread(target=produce, args=(runner,)) for _ in range(3)]
        for thread in producers:
            thread.start()
        until(lambda: runner.output().tick > 40)
        stop.set()
        for thread in producers:
            thread.join()
    assert torn
    assert not any(torn)
    assert runner.status().failsafes == 0
