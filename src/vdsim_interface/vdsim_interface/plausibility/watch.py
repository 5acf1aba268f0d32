"""The watch over one vehicle's reports: runs the checks, holds what they found.

Every report is compared with the one before (jumps of the speed, a stamp that stands still). There
are 20 moments in a second of the vehicle's time; at each, one half of the other checks runs. A
signal takes part when the platform's spec says that the vehicle reports it, and once it has varied:
a field that is always the same is one that the vehicle does not fill.

A reset, the load of a scenario and a gap begin another drive: the vehicle's time jumps, or the car
is somewhere else. A pause is a repetition of the same report. Neither is a contradiction.
"""

import math
from collections import deque
from collections.abc import Callable

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.plausibility.checks import (
    CHECKS,
    JUMP_MPS,
    JUMP_MPS2,
    RETURN_MPS2,
    SPEED_JUMP,
    STAMP_FROZEN,
    Check,
    Consequence,
    wheel_speeds,
)
from vdsim_interface.plausibility.moment import (
    SLICE_S,
    WINDOW_N,
    Moment,
    Sums,
    Window,
    next_moment,
)
from vdsim_interface.values import VehicleReport
from vdsim_interface.values.capabilities import Capabilities
from vdsim_interface.values.speeds import FAST_MPS

LONGEST_GAP_S = 0.25
"""Reports further apart are not compared."""
ELSEWHERE_M = 1.0
"""A position this far beyond what the speed explains is another place."""
CLEAR_S = 1.0
"""A contradiction is over when it has not been seen for this time."""
_EARLY_S = 1e-6

Effort = Callable[[], float]
MotionSignals = Callable[[VehicleReport], object]
Half = tuple[tuple["_Finding", Callable[[Window], str]], ...]
"""Half of the checks that can run, with what each found."""
VARIES: dict[str, MotionSignals] = {
    "position": lambda report: (report.x_m, report.y_m),
    "heading": lambda report: report.yaw_rad,
    "yaw_rate": lambda report: report.yaw_rate_radps,
    "acceleration": lambda report: report.accel_x_mps2,
    "wheel_speeds": lambda report: report.sensors.wheel_spin_radps,
}
"""Signals that take part once they have varied, and their value."""


def motion(report: VehicleReport) -> tuple[float, ...]:
    """Return what changes whenever a car moves."""
    return (
        report.x_m,
        report.y_m,
        report.yaw_rad,
        report.velocity_mps,
        report.front_wheel_angle_rad,
    )


class _Finding:
    """A check, and since when it contradicts; `text`: its notice, empty while there is none."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self.clear()

    def clear(self) -> None:
        """No contradiction."""
        self.since_s = self.last_s = math.nan
        self.text, self.ends = "", False

    def seen(self, text: str, clock_s: float, *, fast: bool) -> bool:
        """Use one result of the check; returns whether the notice changed."""
        if not text:
            self.since_s = math.nan
            if self.text and not clock_s - self.last_s < CLEAR_S:
                self.clear()
                return True
            return False
        self.last_s = clock_s
        if math.isnan(self.since_s):
            self.since_s = clock_s
        if clock_s - self.since_s < self.check.hold_s - _EARLY_S:
            return False
        ends = fast and self.check.consequence is Consequence.ENDS_AUTONOMY
        changed = not self.text or (ends and not self.ends)
        if not self.text:
            self.text = text
        self.ends = self.ends or ends
        return changed


class PlausibilityWatch:
    """`doubt`: the contradictions in words, empty for none; `fault`: those that end autonomy.

    `geometry` may be replaced at any time.
    """

    def __init__(self, capabilities: Capabilities, geometry: VehicleGeometry) -> None:
        signals = set(capabilities.signals)
        if capabilities.slope_from == "pitch":
            signals.add("slope")
        self._has_time = "vehicle_time" in signals
        self._has_slope = "slope" in signals
        self._signals = signals
        self.geometry = geometry
        self._findings = {check.name: _Finding(check) for check in CHECKS}
        self._jump = self._findings[SPEED_JUMP.name]
        self._frozen = self._findings[STAMP_FROZEN.name]
        self._active: tuple[Half, Half] = (), ()
        self._moments: deque[Moment] = deque(maxlen=WINDOW_N)
        self.clear()

    def clear(self) -> None:
        """Discard everything: another drive begins."""
        for finding in self._findings.values():
            finding.clear()
        self.doubt = self.fault = ""
        self._first: VehicleReport | None = None
        self._live: set[str] = set()
        self._select()
        self._restart()

    def _restart(self) -> None:
        """Begin another drive; what was found stays until it is over."""
        self._report: VehicleReport | None = None
        self._clock_s = self._next_s = math.nan
        self._still_s = math.nan
        self._still: VehicleReport | None = None
        self._jumped: tuple[VehicleReport, VehicleReport] | None = None
        self._moments.clear()
        self._sums = Sums()

    @property
    def found(self) -> frozenset[str]:
        """Names of the checks that contradict."""
        return frozenset(name for name, finding in self._findings.items() if finding.text)

    # ---- every report ----------------------------------------------------------------------------

    def update(self, report: VehicleReport, effort: Effort) -> None:
        """Use a report. `effort`: returns what the latest packet gives on level ground [m/s2], nan
        where that is not known; asked for at each moment only.

        The same report again changes nothing.
        """
        before = self._report
        if report is before:
            return
        self._report = report
        clock_s = report.vehicle_time_s if self._has_time else report.stamp_s
        elapsed_s = clock_s - self._clock_s
        self._clock_s = clock_s
        if before is None or not 0.0 <= elapsed_s <= LONGEST_GAP_S:
            self._begin(report, clock_s, effort)
            return
        self._sums.add(before, report, elapsed_s)
        if elapsed_s == 0.0 and self._has_time:
            self._on_same_stamp(before, report)
        elif self._still is not None:
            self._still = None
        step_mps = abs(report.velocity_mps - before.velocity_mps)
        if step_mps > JUMP_MPS and step_mps > JUMP_MPS + JUMP_MPS2 * elapsed_s:
            self._on_jump(before, report, elapsed_s, effort)
        if self._jumped is not None:
            self._after_jump(*self._jumped, report)
        if clock_s >= self._next_s:
            self._on_moment(report, clock_s, effort)

    def _begin(self, report: VehicleReport, clock_s: float, effort: Effort) -> None:
        self._restart()
        self._report, self._clock_s = report, clock_s
        self._next_s = clock_s + SLICE_S - _EARLY_S
        self._moments.append(Moment(clock_s, report, effort()))
        if self._first is None:
            self._first = report
        self._clear_old(clock_s)

    def _on_same_stamp(self, before: VehicleReport, report: VehicleReport) -> None:
        """Packets arrive, and the vehicle's time stands still: frozen, or a pause."""
        if self._still is None:
            self._still, self._still_s = before, report.stamp_s
        elapsed_s = report.stamp_s - self._still_s
        if elapsed_s >= STAMP_FROZEN.hold_s - _EARLY_S and motion(report) != motion(self._still):
            fast = max(abs(report.velocity_mps), abs(self._still.velocity_mps)) > FAST_MPS
            stamp = f"the vehicle's stamp stands still at {report.vehicle_time_s:.3f} s"
            self._found(self._frozen, f"{stamp}, its reports change", report, fast=fast)

    def _on_jump(
        self, before: VehicleReport, report: VehicleReport, elapsed_s: float, effort: Effort
    ) -> None:
        if self._is_elsewhere(before, report, elapsed_s):
            self._begin(report, self._clock_s, effort)
            return
        # In a spin the speed over ground only turns away from the body's axis.
        swept_mps = max(abs(at.yaw_rate_radps * at.lateral_velocity_mps) for at in (before, report))
        step_mps = abs(report.velocity_mps - before.velocity_mps)
        if step_mps <= JUMP_MPS + (JUMP_MPS2 + 2.0 * swept_mps) * elapsed_s:
            return
        if self._jumped is None:
            self._jumped = before, report
            speeds = f"from {before.velocity_mps:.3g} to {report.velocity_mps:.3g} m/s"
            self._found(self._jump, f"the speed jumped {speeds}", report, fast=False)

    def _after_jump(
        self, before: VehicleReport, jumped: VehicleReport, report: VehicleReport
    ) -> None:
        """A jump that does not return is a contradiction, a single wrong report a notice."""
        elapsed_s = report.stamp_s - jumped.stamp_s
        away_mps = abs(report.velocity_mps - before.velocity_mps)
        if away_mps <= JUMP_MPS + RETURN_MPS2 * elapsed_s:
            self._jumped = None
        elif elapsed_s >= SPEED_JUMP.hold_s - _EARLY_S:
            self._jumped = None
            fast = max(abs(before.velocity_mps), abs(jumped.velocity_mps)) > FAST_MPS
            self._found(self._jump, self._jump.text, report, fast=fast)

    def _found(self, finding: _Finding, text: str, report: VehicleReport, *, fast: bool) -> None:
        """Use what a check of every report has found, which has timed it by itself."""
        finding.since_s = -math.inf
        if finding.seen(text, report.stamp_s, fast=fast):
            self._compose()

    def _is_elsewhere(self, before: VehicleReport, report: VehicleReport, elapsed_s: float) -> bool:
        if "position" not in self._live:
            return False
        way = 2.0 * elapsed_s * max(abs(before.velocity_mps), abs(report.velocity_mps))
        moved = math.hypot(report.x_m - before.x_m, report.y_m - before.y_m)
        return moved > ELSEWHERE_M + way

    # ---- every moment ----------------------------------------------------------------------------

    def _on_moment(self, report: VehicleReport, clock_s: float, effort: Effort) -> None:
        self._next_s = clock_s + SLICE_S - _EARLY_S
        moments = self._moments
        last = moments[-1]
        if self._is_elsewhere(last.report, report, clock_s - last.clock_s):
            self._begin(report, clock_s, effort)
            return
        if self._first is not None:
            self._learn(self._first, report)
        new = next_moment(last, report, clock_s, effort(), self._sums, has_slope=self._has_slope)
        moments.append(new)
        if len(moments) < WINDOW_N:
            return
        window = Window(new, moments[0], self.geometry)
        changed = False
        now, later = self._active
        self._active = later, now
        for finding, judge in now:
            text = judge(window)
            # Most checks find nothing, nearly always.
            if text or finding.text or finding.since_s == finding.since_s:
                fast = bool(text) and _fastest(window) > FAST_MPS
                changed = finding.seen(text, clock_s, fast=fast) or changed
        if changed:
            self._compose()
        if self.doubt:
            self._clear_old(clock_s)

    def _clear_old(self, clock_s: float) -> None:
        """End what was found by the checks of every report, once it is over."""
        stamp_s = clock_s if self._report is None else self._report.stamp_s
        for finding in (self._jump, self._frozen):
            if finding.text and finding.seen("", stamp_s, fast=False):
                self._compose()

    def _learn(self, first: VehicleReport, report: VehicleReport) -> None:
        """Let signals take part once they have varied."""
        varied = [name for name in self._waiting if VARIES[name](report) != VARIES[name](first)]
        if varied:
            self._live.update(varied)
            self._select()
        if not self._waiting:
            self._first = None

    def _select(self) -> None:
        """Select the checks whose signals take part."""
        self._waiting = [name for name in VARIES if name in self._signals - self._live]
        able = tuple(
            (finding, finding.check.judge)
            for finding in self._findings.values()
            if finding.check.judge is not None
            and self._signals.issuperset(finding.check.signals)
            and self._live.issuperset(finding.check.varied)
        )
        self._active = able[::2], able[1::2]

    def _compose(self) -> None:
        found = [finding for finding in self._findings.values() if finding.text]
        self.doubt = "; ".join(finding.text for finding in found)
        ends = "; ".join(finding.text for finding in found if finding.ends)
        self.fault = f"the reports contradict each other: {ends}" if ends else ""


def _fastest(window: Window) -> float:
    """Return the highest speed that any signal reports [m/s]."""
    new, old = window.new.report, window.old.report
    slow, fast = wheel_speeds(new)
    return max(
        abs(new.velocity_mps),
        abs(old.velocity_mps),
        window.chord_m / window.duration_s,
        min(abs(slow), abs(fast)),  # last: it may be nan
    )
