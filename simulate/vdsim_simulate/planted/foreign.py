"""Twenty defects by an outside examiner, who has read the product and none of the oracles.

Each is what a careless but plausible change would bring in: one or two functions, or one table, are
replaced at run time. The comment above each says in which situation it shows.
"""

import math
from importlib import import_module
from typing import Any

from vdsim_can.integrity.counting import CounterCheck
from vdsim_interface.arbitration.give_back import GiveBack
from vdsim_interface.controller.controller import VelocityController
from vdsim_interface.extras.stages.safety_stage import SafetyStage
from vdsim_interface.extras.stages.staged_vehicle import StagedVehicleSide
from vdsim_interface.guard.shell_end import ShellEnd
from vdsim_interface.longitudinal.motion_observer import MotionObserver
from vdsim_interface.pipeline.link_health import JITTER_S, ReportLag
from vdsim_interface.pipeline.pipeline import NO_NOTICES, Pipeline
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.pipeline.stall_watch import PATIENCE_PERIODS
from vdsim_interface.pipeline.step_clock import did_not_run
from vdsim_interface.safety.authority import Entry, LastDriver
from vdsim_interface.safety.body import BodyRequests
from vdsim_interface.safety.composer import Composer
from vdsim_interface.safety.modes import ModeEvent
from vdsim_interface.standstill.parking import NOBODY, OURS, Parking, stands
from vdsim_interface.values import notice_kinds
from vdsim_interface.values.speeds import FINAL_MPS, ROLLING_MPS
from vdsim_plant.realtime.watched_session import WatchedSession
from vdsim_protocol.vds1.sequence import Order, Place

from vdsim_simulate.planted.patches import Patch, Planted

# The modules that look a name up when they are called.
ENGAGEMENT = import_module("vdsim_interface.safety.engagement")
RULES = import_module("vdsim_interface.safety.rules")
GATE = import_module("vdsim_interface.gate.gate")
MUX = import_module("vdsim_interface.arbitration.mux")
VEHICLE_SIDE = import_module("vdsim_interface.pipeline.vehicle_side")

# ---- safety --------------------------------------------------------------------------------------


# safety/engagement.py:38. The interface holds the car of a rig with a driver (link, command or
# cabin lost), and the driver then uses the switch: the hold must end, and goes on braking.
def _only_asked_acts(before: Any) -> Any:
    return before - {ModeEvent.OVERRIDE}


# safety/composer.py:250. The stack's commands pause at rest, each time for less than
# `command_lost_s`: the pauses add up over the drive; autonomy ends, and the next one ends at once.
def _silence_adds_up(before: Any) -> Any:
    def _count_silence(self: Any, context: Any, inputs: Any, limits: Any) -> None:
        stood_s = self.stood_s
        before(self, context, inputs, limits)
        if self.stood_s == 0.0:
            self.stood_s = stood_s

    return _count_silence


# safety/engagement.py:135 (the table of safety/authority.py:126). The process crashes, or is
# activated again, while autonomy drives; rig with a driver: nothing is sent where the car is held.
def _as_new_after_autonomy(before: Any) -> Any:
    return {**before, LastDriver.AUTONOMY: Entry.START}


# safety/body.py:140. A stop with hazard lamps ends autonomy, a person engages by the service: our
# own hazard lamps are taken for the car's, and flash for the whole next drive.
def _takes_lamps(before: Any) -> Any:
    def start(self: Any) -> None:
        self._blinker_before_stop = None

    return start


# ---- standstill, longitudinal, controllers -------------------------------------------------------


# standstill/parking.py:115. Any stop from motion that lasts longer than `stop_park_after_s`: the
# time counts from its begin and not from rest, so PARK and hand brake are set while the car rolls.
def _due_from_the_begin(before: Any) -> Any:
    def _is_due(self: Any, standing: Any, feedback: Any, now: float, *, is_fresh: bool) -> bool:
        holder, may_release, takes_gear, takes_hand_brake = standing
        limits = self.limits
        if may_release or takes_gear or takes_hand_brake:
            holder = NOBODY
        if holder is not self._holder:
            self._holder, self._since_s = holder, math.inf
        if holder is NOBODY:
            return False
        self._since_s = min(self._since_s, now)
        after_s = limits.stop_park_after_s if holder is OURS else limits.hold_park_after_s
        rests = is_fresh and not feedback.doubt and stands(feedback, limits.standstill_speed_mps)
        return bool(rests and after_s > 0.0 and now - self._since_s >= after_s)

    return _is_due


# controller/controller.py:99. A stop at the end of a drive in reverse, high level: the last metre
# per second is not braked away; the car rolls out on level ground, and down a hill it never stops.
def _slows_forward_only(before: Any) -> Any:
    def _slow_down(self: Any, speed: float) -> float:
        self._pause_s = 0.0
        output: float = self._pid.step(0.0, speed)
        if abs(speed) < FINAL_MPS:
            output = min(output, -self._parameters.final_decel_mps2)
        return output

    return _slow_down


# longitudinal/acceleration_loop.py:297. Reverse on a hill: the slope is turned with the speed and
# then once more with the gear, so that it is compensated the wrong way until the observer has
# learnt twice of it; the next start on the hill begins from that estimate.
def _slope_by_speed(before: Any) -> Any:
    def slope_x_mps2(self: Any, report: Any, direction: int) -> float:
        slope: float = before(self, report, direction)
        return -slope if report.velocity_mps < -ROLLING_MPS else slope

    return slope_x_mps2


# safety/rules.py:179, and where the gate looks it up, gate/gate.py:343. A fast change of curvature
# above about 8 m/s: lateral jerk goes by v^2 * rate, and is limited by v * rate; the table of rates
# alone is left, which permits 4.5 times as much at 20 m/s.
def _jerk_by_speed(before: Any) -> Any:
    def steer_rate(speed_mps: float, angle_rad: float, wheelbase_m: float, limits: Any) -> float:
        times = max(abs(speed_mps), 1e-3)
        rate: float = before(speed_mps, angle_rad, wheelbase_m * times, limits)
        return rate

    return steer_rate


# ---- arbitration ---------------------------------------------------------------------------------


# arbitration/mux.py:394. An emergency stop in a bend, high level: the curvature becomes the wheel
# angle without the wheel base, so that the car unwinds its steering to a third while it brakes.
def _without_wheelbase(before: Any) -> Any:
    def without_controller(command: Any, wheelbase_m: float) -> Any:
        return before(command, 1.0)

    return without_controller


# arbitration/give_back.py:105. An emergency stop is reset at standstill while the stack still
# commands: one give_back resets it and lets the stack drive; the second one is not waited for.
def _resets_both(before: Any) -> Any:
    def apply(self: Any, now: float, *, must_stand: bool) -> Any:
        was_stopped = bool(self.emergency)
        notice = before(self, now, must_stand=must_stand)
        if was_stopped:
            self.waits_because = ""
        return notice

    return apply


# ---- gate ----------------------------------------------------------------------------------------


# gate/gate.py:274, and where the vehicle side looks it up, pipeline/vehicle_side.py:223. Somebody
# requests an emergency stop while nothing is sent (before the first engage, or a person drives): it
# is latched, and nothing brakes. One that begins while something is sent is as before.
def _only_after_a_packet(before: Any) -> Any:
    def brakes_for_emergency(state: Any) -> bool:
        return bool(before(state)) and state.sent_s > -math.inf

    return brakes_for_emergency


# ---- pipeline ------------------------------------------------------------------------------------


# link_health.py:61. Reports begin to arrive some tenths of a second late: the larger of two
# bases is used, so the lag is forgiven with the next half second, and the car drives on old data.
def _larger_base(before: Any) -> Any:
    def add(self: Any, arrival_s: float, vehicle_s: float) -> float:
        lag_s: float = before(self, arrival_s, vehicle_s)
        if not lag_s or self._base_s == math.inf:
            return lag_s
        base_s = self._base_s + self._drift * (arrival_s - self._bucket_begin_s)
        own_s = self._bucket_min_s + self._drift * (arrival_s - self._bucket_min_at_s)
        self.lag_s = lag_s = arrival_s - vehicle_s - max(base_s, own_s)
        return lag_s if lag_s > JITTER_S else 0.0

    return add


# pipeline/pipeline.py:134. Always by one period: the packet is encoded before the vehicle side has
# the new command. The first packet after a stop, or a person's act, is of the command before it;
# so is the last one of a deactivation, which ought to brake.
def _encodes_first(before: Any) -> Any:
    def decide(self: Any, now: float) -> Any:
        notices = NO_NOTICES
        if self._polls_vehicle:
            for received in self.vehicle_side.poll(now):
                notices += received.notices + self._feed_back(received, now)
        before_it = safe = self._safe
        periods_n = self.safety_side.periods_due(now)
        for left_n in range(periods_n, 0, -1):
            safe, stepped = self._step(now)
            notices += stepped
            if left_n > 1:
                self._after_period(safe)
        self._safe, self._notices, self._periods_n = safe, notices, periods_n
        return self.vehicle_side.encode(before_it or safe, now).datagrams

    return decide


# ---- guard ---------------------------------------------------------------------------------------


# pipeline/safety_side.py:253. The guard does not run for longer than a command may be old (frozen
# for 0.7 s): it is reported, autonomy goes on by itself, and nobody has to engage again.
def _only_reports_stalls(before: Any) -> Any:
    def on_stall(self: Any, stall_s: float) -> Any:
        return (self.count(notice_kinds.TICK_OVERRUN, did_not_run(stall_s)),)

    return on_stall


# guard/shell_end.py:44. No shell is connected while the guard holds the car and the vehicle
# reports: every report is kept for a shell that is not there; memory grows without a bound.
def _keeps_for_nobody(before: Any) -> Any:
    def send(self: Any, payload: Any) -> None:
        self._outbox.append(payload)

    return send


# ---- separate processes --------------------------------------------------------------------------


# pipeline/vehicle_side.py:345. The process of the safety stage dies or freezes in motion: the
# vehicle side sends its last command, drive included, for 0.5 s (`command_timeout_s`), not 0.1 s.
def _longest_patience(before: Any) -> Any:
    def safety_is_silent(self: Any, now: float) -> bool:
        p = self._parameters
        patience_s = max(p.safety.report_timeout_s, PATIENCE_PERIODS * p.period_s)
        return not 0.0 <= now - self._safe_s <= max(patience_s, p.command_timeout_s)

    return safety_is_silent


# stages/safety_stage.py:87. The vehicle is silent for 0.3 to 1 s while the vehicle side lives:
# its repeated report counts as no sign of life, and autonomy ends where a stop should pass over.
def _only_new_reports_live(before: Any) -> Any:
    def on_feedback(self: Any, feedback: Any, now: float) -> Any:
        known, unheard_s = self._feedback, self._unheard_s
        notices = before(self, feedback, now)
        if known is not None and feedback.odometry.stamp_s < known.odometry.stamp_s + 1e-6:
            self._unheard_s = unheard_s
        return notices

    return on_feedback


# ---- protocol, platforms, plant ------------------------------------------------------------------


# vdsim_protocol/vds1/sequence.py:52. A network that overtakes: a late packet is used at both ends.
# An older command replaces a newer one, an older speed comes back, and with each the time of the
# vehicle goes back, for which the interface forgets lag and contradictions of its reports.
def _late_is_fresh(before: Any) -> Any:
    def is_fresh(self: Any) -> bool:
        return self.order in (Order.NEW_SESSION, Order.NEXT, Order.REORDERED)

    return property(is_fresh)


# vdsim_can/integrity/counting.py:36. The counter of a message of the car stands (a frozen sender, a
# gateway that repeats): its frames are used as before, and the car is driven on.
def _may_stand(before: Any) -> Any:
    def reject(self: Any, value: int) -> str:
        if value == self.accepted:
            return ""
        why: str = before(self, value)
        return why

    return reject


# vdsim_plant/realtime/watched_session.py:90. Commands stop in motion: the plant's fail-safe begins
# after twice its time-out, and until then the last pedals hold.
def _patient_watchdog(before: Any) -> Any:
    def is_silent(self: Any, now: float) -> bool:
        last_s = self.last_command_s
        return last_s is None or bool(now - last_s > 2.0 * self._silence_s)

    return is_silent


FOREIGN = {
    "hold_ignores_the_driver": Planted(
        "a person who acts while the interface holds the car does not end the hold",
        (Patch(ENGAGEMENT, "PERSONS_ACTS", _only_asked_acts),),
    ),
    "silence_at_rest_adds_up": Planted(
        "the time without a command at rest is never counted anew",
        (Patch(Composer, "_count_silence", _silence_adds_up),),
    ),
    "crash_forgets_autonomy": Planted(
        "after a crash in autonomy it counts as not known who drove",
        (Patch(ENGAGEMENT, "RESTART", _as_new_after_autonomy),),
    ),
    "hazards_outlive_the_stop": Planted(
        "the hazard lamps of a stop that ended autonomy flash in the next drive",
        (Patch(BodyRequests, "start", _takes_lamps),),
    ),
    "parked_at_first_touch": Planted(
        "the time until hand brake and PARK counts from the begin of the stop, not from rest",
        (Patch(Parking, "_is_due", _due_from_the_begin),),
    ),
    "reverse_stop_is_not_braked": Planted(
        "the last of a stop in reverse asks for acceleration backwards",
        (Patch(VelocityController, "_slow_down", _slows_forward_only),),
    ),
    "slope_turns_with_the_speed": Planted(
        "the slope has the wrong sign while the car moves backwards",
        (Patch(MotionObserver, "slope_x_mps2", _slope_by_speed),),
    ),
    "lateral_jerk_by_speed": Planted(
        "the steer rate is limited by the speed and not by its square",
        (
            Patch(RULES, "steer_rate", _jerk_by_speed),
            Patch(GATE, "steer_rate", _jerk_by_speed),
        ),
    ),
    "emergency_unwinds_the_bend": Planted(
        "an emergency stop takes the curvature for the wheel angle",
        (Patch(MUX, "without_controller", _without_wheelbase),),
        composition="guarded",
    ),
    "one_give_back_drives": Planted(
        "the reset of an emergency stop also lets the stack drive again",
        (Patch(GiveBack, "apply", _resets_both),),
    ),
    "emergency_needs_a_packet": Planted(
        "an emergency stop brakes only where something was sent before it",
        (
            Patch(GATE, "brakes_for_emergency", _only_after_a_packet),
            Patch(VEHICLE_SIDE, "brakes_for_emergency", _only_after_a_packet),
        ),
    ),
    "lag_is_forgiven": Planted(
        "a delay of the reports counts for half a second only",
        (Patch(ReportLag, "add", _larger_base),),
    ),
    "packet_is_one_behind": Planted(
        "each packet carries the command of the period before",
        (Patch(Pipeline, "decide", _encodes_first),),
    ),
    "stall_is_only_reported": Planted(
        "a process that did not run for long goes on in autonomy",
        (Patch(SafetySide, "on_stall", _only_reports_stalls),),
        composition="guarded",
    ),
    "frames_for_nobody": Planted(
        "the guard keeps every frame for a shell that is gone",
        (Patch(ShellEnd, "send", _keeps_for_nobody),),
        composition="guarded",
    ),
    "longest_patience": Planted(
        "the vehicle side waits for the safety side as long as a command may be old",
        (Patch(StagedVehicleSide, "safety_is_silent", _longest_patience),),
        composition="processes",
    ),
    "heartbeat_is_no_life": Planted(
        "a repeated report of the vehicle side does not show that it runs",
        (Patch(SafetyStage, "on_feedback", _only_new_reports_live),),
        composition="processes",
    ),
    "late_packet_is_used": Planted(
        "a packet that was overtaken is used as the newest",
        (Patch(Place, "is_fresh", _late_is_fresh),),
    ),
    "standing_counter_passes": Planted(
        "a frame whose counter stands is accepted",
        (Patch(CounterCheck, "reject", _may_stand),),
        platform="can",
    ),
    "patient_watchdog": Planted(
        "the plant's fail-safe begins after twice its time-out",
        (Patch(WatchedSession, "is_silent", _patient_watchdog),),
    ),
}
