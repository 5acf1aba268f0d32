"""The planted defects: findings of examinations, and mutations of what stops, starts, steering and
links rest on. Where a gate stands behind what is mutated, a row replaces both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from math import inf, nan
from typing import Any

from vdsim_can.fields.encoding import FieldEncoder
from vdsim_can.platform.driver_watch import DriverWatch, FaultWatch
from vdsim_can.platform.handshake_run import HandshakeRun
from vdsim_can.platform.platform import CanPlatform
from vdsim_can.traffic.receiver import Receiver
from vdsim_can.traffic.reception import Fate, Outcome, Reception
from vdsim_can.traffic.transmitter import Sending
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_interface.arbitration.sources import Source
from vdsim_interface.extras.events.watch import Watch
from vdsim_interface.extras.stages.staged_vehicle import StagedVehicleSide
from vdsim_interface.guard.front import FrontFrames
from vdsim_interface.guard.guard import Guard
from vdsim_interface.longitudinal import acceleration_loop
from vdsim_interface.longitudinal.slip_cap import SlipCap
from vdsim_interface.longitudinal.standing_brake import StandingBrake
from vdsim_interface.longitudinal.start_attempts import StartAttempts
from vdsim_interface.pipeline.desk import Desk
from vdsim_interface.pipeline.intake import Intake
from vdsim_interface.pipeline.link_health import ReportLag
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.pipeline.stall_watch import StallWatch
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.spec import Received
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.safety import Safety, gearbox
from vdsim_interface.safety.composer import Composer
from vdsim_interface.safety.engagement import Engagement
from vdsim_interface.safety.inputs import Inputs, LatestCommand, unmet_preconditions
from vdsim_interface.standstill.parking import Parking
from vdsim_interface.values import NOTHING_PARKED, ChangeModeResult, Mode
from vdsim_plant.realtime.watched_session import WatchedSession
from vdsim_protocol.vds1.ownership import Ownership

from vdsim_simulate.planted.patches import Patch, Planted, edited

gate = import_module("vdsim_interface.gate.gate")
"""The module: its package exports the function of that name."""
safety = import_module("vdsim_interface.safety.safety")
vds1_platform = import_module("vdsim_interface.platforms.vds1.platform")
vehicle_side = import_module("vdsim_interface.pipeline.vehicle_side")
MOVES_MPS = 0.3
SOFT_MPS2, HARD_MPS2 = 2.0, 6.0


# ---- what replaces a function --------------------------------------------------------------------


def _always(value: Any) -> Callable[[Any], Any]:
    """Whatever it is asked."""
    return lambda _before: lambda *_given, **_named: value


def _property(value: Any) -> Callable[[Any], Any]:
    return lambda _before: property(lambda _self: value)


_nothing, _no_notices = _always(None), _always(())


def _without_disengage(before: Any) -> Callable[..., Any]:
    def on_change_mode(self: Safety, engage: bool, now: float) -> Any:
        return before(self, engage, now) if engage else (ChangeModeResult(True, "", self.mode), ())

    return on_change_mode


def _without_reason(before: Any) -> Callable[..., Any]:
    def on_change_mode(self: Safety, engage: bool, now: float) -> Any:
        result, notices = before(self, engage, now)
        return result if result.success else ChangeModeResult(False, "", result.mode), notices

    return on_change_mode


def _asks_for_itself(before: Any) -> Callable[..., Any]:
    def update(self: Engagement, now: float, **asks: bool) -> Any:
        change = before(self, now, **asks)
        waits = change is None and self.mode in (Mode.MANUAL, Mode.DISENGAGED)
        unmet = unmet_preconditions(self._inputs, self._limits, now)
        if waits and asks["asks_to_drive"] and not unmet:
            return self.request(now, "the stack asks to drive")
        return change

    return update


def _leaking(before: Any) -> Callable[..., Any]:
    def use(self: Any, command: Any, now: float) -> Any:
        self.__dict__.setdefault("leaked", []).append([command, [now], [now]])
        return before(self, command, now)

    return use


def _refusing(_before: Any) -> Callable[..., Any]:
    return lambda self, who, now, **_: (False, "not now", self.tick(now))


def _stop_that_forgets(before: Any) -> Callable[..., Any]:
    """No stop is held to what was demanded before."""
    return lambda state, *given: before(
        state._replace(demand_mps2=0.0, settled_mps2=gate.NO_STOP, effort_mps2=0.0), *given
    )


def _stop_of(mps2: float) -> Callable[[Any], Any]:
    return lambda before: (
        lambda state, command, request, *given: before(
            state, command, request._replace(asked_mps2=-mps2), *given
        )
    )


def _stop_that_coasts(_before: Any) -> Callable[..., Any]:
    """A stop takes the throttle away, and nothing more."""

    def stopped(_state: Any, command: Any, *_given: Any) -> Any:
        return gate._with_effort(command, 0.0), 0.0, gate.NO_STOP, 0.0, ()

    return stopped


def _stop_that_drives(_before: Any) -> Callable[..., Any]:
    """A stop changes nothing."""

    def stopped(_state: Any, command: Any, _request: Any, direction: int, *_given: Any) -> Any:
        effort_mps2 = direction * command.vehicle.long_accel_mps2
        return command, 0.0, gate.NO_STOP, effort_mps2, ()

    return stopped


def _emergency_of(mps2: float) -> Callable[[Any], Any]:
    def make(before: Any) -> Callable[..., Any]:
        def on_emergency(self: SafetySide, stop: Any) -> None:
            before(self, None if stop is None else stop._replace(decel_mps2=mps2))

        return on_emergency

    return make


def _more_steps(times: float) -> Callable[[Any], Any]:
    """As if more time had passed since the last packet."""
    return lambda before: (
        lambda command, front, rear, speed_mps, limits, dt_s: before(
            command, front, rear, speed_mps, limits, times * dt_s
        )
    )


def _has_sent(before: Any) -> Callable[..., bool]:
    del before
    return lambda source, *_: source.command is not None


def _for_ever(before: Any) -> Callable[..., None]:
    """Of what holds a command: it is fresh, however old."""
    return lambda self, timeout_s: before(self, inf)


def _once(before: Any) -> Callable[..., None]:
    """Of what also makes an object's values: it does nothing later."""
    return lambda self: None if hasattr(self, "refusal") else before(self)


def _of_any_age(before: Any) -> Callable[..., Any]:
    return lambda parameters: replace(before(parameters), command_timeout_s=inf)


def _in_half(before: Any) -> Callable[..., Any]:
    return lambda *given, **named: 0.5 * before(*given, **named)


def _without_emergency(before: Any) -> Callable[..., Any]:
    return lambda *given: before(*given)._replace(emergency_mps2=0.0)


def _only(value: bool) -> Callable[[Any], Any]:
    """The input is used in one position alone."""
    return lambda before: (
        lambda self, active, now: before(self, active, now) if active is value else ()
    )


def _once_open(before: Any) -> Callable[..., Any]:
    return lambda self, cabin, now: before(self, cabin, now) if cabin.unsecured() else None


def _silent_at_rest(before: Any) -> Callable[..., Any]:
    def encode(self: VehicleSide, safe: Any, now: float) -> Any:
        encoded = before(self, safe, now)
        rests = self.report is not None and abs(self.report.velocity_mps) < MOVES_MPS
        return encoded._replace(datagrams=()) if rests else encoded

    return encode


def _deaf(before: Any) -> Callable[..., Any]:
    """Who decides does not learn what is parked (S2-1)."""
    return lambda self, feedback, now: before(self, feedback._replace(parked=NOTHING_PARKED), now)


def _late_for_ever(before: Any) -> Callable[..., Any]:
    """A lag that was seen once never ends."""

    def add(self: ReportLag, arrival_s: float, vehicle_s: float) -> float:
        lag_s = max(before(self, arrival_s, vehicle_s), self.__dict__.get("most_s", 0.0))
        self.__dict__["most_s"] = lag_s if lag_s > 0.2 else 0.0
        return float(lag_s)

    return add


def _refuses_after_a_stall(_before: Any) -> Callable[..., Any]:
    return lambda self, now: "this process did not run once" if self._stall_s else ""


def _body_as_asked(_before: Any) -> Callable[..., Any]:
    return lambda command, facts, safety, *, fresh: (command, ())


def _static(value: Any) -> Callable[[Any], Any]:
    return lambda _before: staticmethod(lambda *_given: value)


def _unpacked(_before: Any) -> Callable[..., Any]:
    return lambda self, data: self.unpack(data)


def _no_stranger(_before: Any) -> Callable[..., Any]:
    return lambda self, *_given: Outcome(Fate.OTHER)


def _once_accepted(_before: Any) -> Callable[..., Any]:
    return lambda self, now: self.accepted_s > 0.0


def _enters_the_last(_before: Any) -> Callable[..., Any]:
    return lambda self, now, value: self._enter(len(self._steps) - 1, now)


def _counter_stands(before: Any) -> Callable[..., Any]:
    """Of what the interface sends; the car counts."""
    return lambda self: None if self.wire.name.endswith("_CMD") else before(self)


def _negative_angle(before: Any) -> Callable[..., Any]:
    def raw(self: FieldEncoder, value: Any) -> Any:
        turned = self.row.field == "front_wheel_angle_rad" and self.row.neutral is not None
        return before(self, -value if turned and isinstance(value, float) else value)

    return raw


def _raw_in_a_stop(before: Any) -> Callable[..., Any]:
    """A raw command passes the gate in a stop, too."""

    def stopped(state: Any, command: Any, *given: Any) -> Any:
        if command.raw is None:
            return before(state, command, *given)
        return command, 0.0, gate.NO_STOP, 0.0, ()

    return stopped


def _untold(before: Any) -> Callable[..., Any]:
    def encode(self: Vds1Platform, command: Any, now: float) -> Any:
        encoded = before(self, command, now)
        return encoded if command.raw is None else encoded._replace(effort_mps2=nan)

    return encode


def _cut_at(most_rad: float) -> Callable[[Any], Any]:
    return lambda before: (
        lambda command, scaling, _front_rad, rear_rad: before(command, scaling, most_rad, rear_rad)
    )


OWN = {
    # Commands of the raw level.
    "raw_passes_in_a_stop": Planted(
        "a raw command passes in a stop, at the safety stage and at the gate",
        (
            Patch(
                Composer,
                "compose",
                edited(("raw = None if stops else requested", "raw = requested")),
            ),
            Patch(gate, "_stopped", _raw_in_a_stop),
        ),
    ),
    "raw_effort_untold": Planted(
        "the platform tells nobody what raw pedals give, and a stop begins at nothing",
        (Patch(Vds1Platform, "encode", _untold),),
    ),
    "raw_angle_is_cut": Planted(
        "the wheels of a raw command are limited to 0.1 rad",
        (Patch(vds1_platform, "raw_pedals", _cut_at(0.1)),),
    ),
    # Inputs that are not heard.
    "switch_unheard": Planted(
        "the driver's switch is not heard",
        (Patch(SafetySide, "on_driver_override", _no_notices),),
    ),
    "switch_stays": Planted(
        "the driver's switch is never heard to be off",
        (Patch(SafetySide, "on_driver_override", _only(True)),),
    ),
    "door_unheard": Planted("the cabin is not heard", (Patch(Inputs, "on_cabin", _nothing),)),
    "door_stays_open": Planted(
        "a door that closes is not heard", (Patch(Inputs, "on_cabin", _once_open),)
    ),
    "emergency_unheard": Planted(
        "the safety side and the gate do not hear of an emergency stop",
        (Patch(SafetySide, "on_emergency", _nothing),),
    ),
    "disengage_unheard": Planted(
        "a request to disengage is answered and not done",
        (Patch(Safety, "on_change_mode", _without_disengage),),
    ),
    "give_back_refused": Planted("give_back is refused", (Patch(Intake, "give_back", _refusing),)),
    "no_reason": Planted(
        "a refused engage gives no reason", (Patch(Safety, "on_change_mode", _without_reason),)
    ),
    # The event log.
    "log_misses_transitions": Planted(
        "the event log hears no transition", (Patch(Watch, "_mode_changes", _nothing),)
    ),
    "log_misses_stops": Planted(
        "the event log hears no stop", (Patch(Watch, "_stepped", _nothing),), "guarded"
    ),
    "log_misses_who": Planted(
        "the event log hears nobody take over", (Patch(Watch, "_commands", _nothing),), "guarded"
    ),
    # Stops.
    "gate_open": Planted(
        "the gate lets every drive pass", (Patch(gate, "_stopped", _stop_that_drives),)
    ),
    "stop_weakens": Planted(
        "S1-1: no stop is held to what was braked before",
        (Patch(gate, "_stopped", _stop_that_forgets),),
    ),
    "stop_is_hard": Planted(
        "every stop brakes as an emergency stop", (Patch(gate, "_stopped", _stop_of(HARD_MPS2)),)
    ),
    "stop_coasts": Planted(
        "a stop takes the throttle away and does not brake",
        (Patch(gate, "_stopped", _stop_that_coasts),),
    ),
    "emergency_dropped": Planted(
        "S1-2: the gate does not latch an emergency stop, and disengaging silences it",
        (Patch(gate, "_latched", _without_emergency),),
    ),
    "emergency_is_soft": Planted(
        "an emergency stop brakes as a safe stop",
        (Patch(SafetySide, "on_emergency", _emergency_of(SOFT_MPS2)),),
    ),
    "emergency_forgotten": Planted(
        "a process that starts again does not know of the emergency stop",
        (Patch(Desk, "restore", _nothing),),
    ),
    "wheels_lock": Planted(
        "the slip does not limit the brake", (Patch(SlipCap, "_limit_brake", _nothing),)
    ),
    "brake_map_halved": Planted(
        "N-1: the brake that holds the car knows half of the slope",
        (
            Patch(StandingBrake, "holding", _in_half),
            Patch(StandingBrake, "_wanted", _in_half),
        ),
    ),
    "hold_lets_go": Planted(
        "N-3: the brake of a hold is let go",
        (Patch(StandingBrake, "effort", _always(0.0)),),
    ),
    # Who may drive.
    "engages_by_itself": Planted(
        "a stack that asks to drive engages by itself",
        (Patch(Engagement, "update", _asks_for_itself),),
    ),
    "door_restarts": Planted(
        "S1-3: an open door at rest neither ends autonomy nor asks for another engagement",
        (
            Patch(Inputs, "moves", _always(True)),
            Patch(gate, "ENGAGED", lambda _before: "never"),
        ),
    ),
    "parked_for_ever": Planted(
        "what was parked at rest is not released", (Patch(Parking, "_release", _nothing),)
    ),
    "parked_unknown": Planted(
        "S2-1: who decides does not learn that the car is parked",
        (Patch(SafetySide, "on_feedback", _deaf),),
    ),
    "parked_forgotten": Planted(
        "a process that starts again does not know that the hand brake is ours",
        (Patch(VehicleSide, "resume", _nothing),),
        platform="can",  # STATE of VDS1 has no hand brake: a new process takes it for released
    ),
    "stall_for_ever": Planted(
        "after one stall every engage is refused",
        (Patch(StallWatch, "refusal", _refuses_after_a_stall),),
    ),
    "lag_for_ever": Planted(
        "a report that came late once makes all late", (Patch(ReportLag, "add", _late_for_ever),)
    ),
    "friction_learnt": Planted(
        "static friction is learnt as a push",
        (Patch(acceleration_loop, "OWN_BRAKE_MPS2", lambda _: 1e9),),
    ),
    "starts_without_end": Planted(
        "N-4: a start that was refused is refused for ever",
        (Patch(StartAttempts, "end_request", _once),),
    ),
    # Silence.
    "silence_at_rest": Planted(
        "commands do not grow old",
        (
            Patch(LatestCommand, "__init__", _for_ever),
            Patch(vehicle_side, "_gate_limits", _of_any_age),
        ),
    ),
    "link_never_lost": Planted(
        "AUTONOMOUS is shown whatever the safety side decides",
        (Patch(VehicleSide, "mode", _property(Mode.AUTONOMOUS)),),
    ),
    "decider_not_watched": Planted(
        "the vehicle side does not notice that the safety stage is silent",
        (Patch(StagedVehicleSide, "safety_is_silent", _always(False)),),
        "processes",
    ),
    "shell_not_watched": Planted(
        "the guard goes on when its shell has ended",
        (Patch(Guard, "_lose", _nothing),),
        "guarded",
    ),
    "silent_at_rest": Planted(
        "no packet leaves while the car stands", (Patch(VehicleSide, "encode", _silent_at_rest),)
    ),
    "source_lives_for_ever": Planted(
        "a sender never times out", (Patch(Source, "alive", _has_sent),)
    ),
    # Steering, gear, hand brake.
    "gate_steers": Planted(
        "the gate does not limit what one packet steers",
        (Patch(gate, "_steered", lambda _: lambda command, *_a: (command, ())),),
    ),
    "steering_catches_up": Planted(
        "S3-2: after a stall one packet steers ten periods' worth",
        (Patch(gate, "_steered", _more_steps(10.0)),),
    ),
    "body_at_speed": Planted(
        "S3-4: PARK and the hand brake are set at any speed",
        (
            Patch(gate, "_with_body_in_order", _body_as_asked),
            Patch(gearbox, "refusal", _nothing),
            Patch(safety, "hand_brake_refusal", _nothing),
        ),
    ),
    # The car and strangers.
    "stranger_owns": Planted(
        "a stranger takes the wheel over",
        (
            Patch(Ownership, "allows", _always(True)),
            Patch(Ownership, "may_take_over", _always(True)),
        ),
    ),
    "car_without_fail_safe": Planted(
        "the car goes on with the last packet for ever",
        (Patch(WatchedSession, "is_silent", _always(False)),),
    ),
    # Memory.
    "leak": Planted("every command is kept", (Patch(SafetySide, "on_command", _leaking),)),
    "leak_in_the_mux": Planted(
        "the arbiter keeps every command", (Patch(Source, "on_command", _leaking),)
    ),
    "leak_in_the_shell": Planted(
        "the shell keeps every command", (Patch(FrontFrames, "on_command", _leaking),), "guarded"
    ),
    # On a CAN bus.
    "bus_checksum": Planted(
        "a frame with a wrong checksum is used",
        (Patch(WireMessage, "read", _unpacked),),
        platform="can",
    ),
    "bus_counter": Planted(
        "a counter that stands is not noticed",
        (Patch(Receiver, "_counter_fault", _static("")),),
        platform="can",
    ),
    "bus_stranger": Planted(
        "somebody else with an id of ours is not noticed",
        (Patch(Receiver, "_other", _no_stranger),),
        platform="can",
    ),
    "bus_never_stale": Planted(
        "a message that does not come stays known",
        (Patch(Reception, "is_fresh", _once_accepted),),
        platform="can",
    ),
    "bus_no_override": Planted(
        "a person at the wheel or the pedals is not noticed",
        (Patch(DriverWatch, "update", _always(frozenset())),),
        platform="can",
    ),
    "bus_no_fault": Planted(
        "a fault that the car reports is not read",
        (Patch(FaultWatch, "update", _always("")),),
        platform="can",
    ),
    "bus_handshake_skipped": Planted(
        "the car is enabled without clearing first",
        (Patch(HandshakeRun, "_begin", _enters_the_last),),
        platform="can",
    ),
    "bus_keeps_enabled": Planted(
        "that the car has left is not noticed",
        (Patch(HandshakeRun, "_keep", _nothing),),
        platform="can",
    ),
    "bus_frozen_counter": Planted(
        "frames leave with a counter that stands",
        (Patch(Sending, "on_sent", _counter_stands),),
        platform="can",
    ),
    "bus_pedals_before_enable": Planted(
        "pedals are sent before the car is enabled",
        (Patch(HandshakeRun, "is_enabled", _property(True)),),
        platform="can",
    ),
    "bus_off_ignored": Planted(
        "that our controller is off the bus is not noticed",
        (Patch(CanPlatform, "_on_error_frame", _always(Received(None))),),
        platform="can",
    ),
    "bus_wrong_sign": Planted(
        "the angle has the wrong sign on the bus",
        (Patch(FieldEncoder, "raw", _negative_angle),),
        platform="can",
    ),
}
