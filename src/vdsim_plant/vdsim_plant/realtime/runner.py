"""RealTimeRunner: a session that runs by itself, in real time, on a thread of its own.

    with RealTimeRunner(session) as runner:
        runner.set_input(PedalInput(throttle=0.3))
        runner.wait(0.05)
        print(runner.state().vx_mps)

The thread ticks at absolute deadlines (pacing.py). Where no input comes for `cmd_timeout`, the
fail-safe is applied until the next one (watched_session.py). The clock is an argument, so that the
same runner can be tested in virtual time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import NoReturn

from vdsim_plant.motion import InitialState, PedalInput, VehicleMotion
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.plant_arguments import refuse_unknown
from vdsim_plant.realtime.failsafe import FailsafePolicy
from vdsim_plant.realtime.pacing import PRECISE_SPIN_S, PacedLoop, Pacer, PacingReport
from vdsim_plant.realtime.watched_session import Drive, WatchedSession
from vdsim_plant.sensor import MeasuredState
from vdsim_plant.session import SessionOutput, SimSession

LONGEST_PERIOD_S = 1.0
LONGEST_TIMEOUT_S = 60.0
Failsafe = PedalInput | Callable[[PedalInput], PedalInput]


@dataclass(frozen=True)
class RunnerStatus:
    """Who drives, and how well the ticks keep their time."""

    drive: Drive
    command_age_s: float | None
    """Since the last input [s]; None before the first."""
    failsafes: int
    """How often inputs stopped since the start."""
    pacing: PacingReport


class RealTimeRunner:
    """A session in real time. Every method may be called from any thread, and by `failsafe`.

    `dt`: period of a tick [s] up to 1 s, a whole number of the car's substeps. `cmd_timeout`:
    without an input for longer than that [s] the fail-safe is applied, as before the first one.
    `failsafe`: an input, or a function from the last input to one; by default throttle 0, brake
    0.3, steering and gear as they were. `precise`: poll the clock just before a deadline, which
    costs a part of a core and makes a tick start within some microseconds.

    An error of the ticking thread ends it and is raised by the next call, at the latest by `stop`
    or at the end of the `with` block.
    """

    def __init__(
        self,
        session: SimSession,
        dt: float = 0.005,
        cmd_timeout: float = 0.1,
        failsafe: Failsafe | None = None,
        *,
        precise: bool = False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        **unknown: NoReturn,
    ) -> None:
        refuse_unknown(unknown, RealTimeRunner.__init__)
        self.dt = _checked_period(dt, session.vehicle.substep_s)
        self._clock = clock
        self._watched = WatchedSession(
            session,
            tick_s=dt,
            timeout_s=_checked_timeout(cmd_timeout),
            failsafe=_failsafe_function(failsafe),
        )
        self._loop = PacedLoop(
            Pacer(dt), clock=clock, sleep=sleep, spin_s=PRECISE_SPIN_S if precise else 0.0
        )
        self._lock = threading.RLock()  # the fail-safe function runs in it, and may ask the runner
        self._starting = threading.RLock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._was_raised = False

    # --- running

    def start(self) -> RealTimeRunner:
        """Begin to tick on a new thread."""
        with self._starting:
            if self._thread is not None:
                raise RuntimeError("the runner has been started already")
            self._error, self._was_raised = None, False
            # An event for each thread: one that is still to end is not set going again.
            stopping = self._stopping = threading.Event()
            self._thread = threading.Thread(
                target=self._work, args=(stopping,), name="vdsim-real-time", daemon=True
            )
            try:
                self._thread.start()
            except BaseException:  # Ctrl-C too: whoever got no runner cannot stop it
                stopping.set()
                self._thread = None
                raise
        return self

    def stop(self) -> None:
        """End the ticks and wait for the thread; raise its error, unless a call has raised it.

        On the ticking thread itself, from `failsafe`, this tick is the last and nothing is waited
        for.
        """
        with self._starting:
            thread = self._thread
            self._stopping.set()
        if thread is None or thread is threading.current_thread():
            return
        thread.join()
        with self._starting:
            if self._thread is thread:
                self._thread = None
        if not self._was_raised:
            self._raise_error()

    def wait(self, duration_s: float) -> None:
        """Return after `duration_s` [s], or raise as soon as the ticking thread has failed."""
        thread = self._thread
        if thread is not None:
            thread.join(duration_s)
        self._raise_error()

    def run(self, stopped: Callable[[], bool]) -> None:
        """Tick on the calling thread until `stopped()`, which is asked before every tick."""
        self._loop.run(self._tick, stopped)

    def __enter__(self) -> RealTimeRunner:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    # --- while it runs

    def set_input(self, pedals: PedalInput) -> None:
        """Drive with an input until the next one, or until it is older than `cmd_timeout`."""
        self._raise_error()
        with self._lock:
            self._watched.command(pedals, self._clock())

    def reset(self, initial: InitialState | None = None) -> None:
        """Put the car into a state, by default its start, and wait for an input."""
        self._raise_error()
        with self._lock:
            self._watched.reset(initial)

    def state(self) -> VehicleMotion:
        """Return the true state after the last tick."""
        return self.output().motion

    def measured_state(self) -> MeasuredState:
        """Return the state as the sensors report it."""
        return self.output().measured

    def output(self) -> SessionOutput:
        """Return everything about the last tick."""
        self._raise_error()
        return self._watched.session.output()

    def status(self) -> RunnerStatus:
        """Return who drives and how the pacing is; raises nothing."""
        with self._lock:
            return RunnerStatus(
                drive=self._watched.drive,
                command_age_s=self._watched.age_s(self._clock()),
                failsafes=self._watched.failsafes,
                pacing=self._loop.pacer.report(),
            )

    # --- the thread

    def _work(self, stopping: threading.Event) -> None:
        try:
            self.run(stopping.is_set)
        except BaseException as error:  # it belongs to the caller, who is on another thread
            self._error = error

    def _tick(self, now: float) -> None:
        with self._lock:
            self._watched.tick(now)

    def _raise_error(self) -> None:
        if self._error is not None:
            self._was_raised = True
            raise self._error


def _checked_period(dt: float, substep_s: float) -> float:
    _require_number("dt", dt)
    if not 0.0 < dt <= LONGEST_PERIOD_S:
        raise wrong_value("dt", dt, f"> 0 and <= {LONGEST_PERIOD_S:g} s")
    count = round(dt / substep_s)
    if count < 1 or abs(count * substep_s - dt) > 1e-9:
        raise wrong_value("dt", dt, f"a whole number of substeps of {substep_s:g} s")
    return dt


def _checked_timeout(cmd_timeout: float) -> float:
    _require_number("cmd_timeout", cmd_timeout)
    if not 0.0 < cmd_timeout <= LONGEST_TIMEOUT_S:
        raise wrong_value("cmd_timeout", cmd_timeout, f"> 0 and <= {LONGEST_TIMEOUT_S:g} s")
    return cmd_timeout


def _require_number(key: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise wrong_value(key, value, "a number of seconds")


def _failsafe_function(failsafe: Failsafe | None) -> Callable[[PedalInput], PedalInput]:
    if failsafe is None:
        return FailsafePolicy().input_after
    if isinstance(failsafe, PedalInput):
        fixed = failsafe
        return lambda last: fixed
    if not callable(failsafe):
        raise wrong_value("failsafe", failsafe, "a PedalInput, or a function of the last input")
    return failsafe
