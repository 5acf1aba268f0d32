"""Twenty more defects by a fourth examiner, who has read the product and none of the oracles.

Each is a change of a line or two, as a careless edit would make it: a wrong comparison, a sign, an
argument of another name, a state that is not reset, a lost message. The comment above each says
where, which sentence of the pages it breaks, and in which situation that shows.
"""

from __future__ import annotations

import importlib

from vdsim_can.platform.driver_watch import OverrideWatch
from vdsim_can.platform.platform import CanPlatform
from vdsim_interface.arbitration.sources import Source
from vdsim_interface.extras.events.watch import Watch
from vdsim_interface.extras.morai.command import CommandMaker
from vdsim_interface.extras.morai.platform import MoraiPlatform
from vdsim_interface.extras.stages.safety_stage import SafetyStage
from vdsim_interface.extras.stages.staged_vehicle import StagedVehicleSide
from vdsim_interface.guard.mirror import RemoteSafetySide
from vdsim_interface.guard.shell import Shell
from vdsim_interface.longitudinal.acceleration_loop import AccelerationLoop
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.safety.engagement import NewRequest
from vdsim_interface.safety.safety import Safety
from vdsim_interface.teleop.state_requests import StateRequests
from vdsim_plant.realtime.watched_session import WatchedSession
from vdsim_protocol.vds1.sequence import Place

from vdsim_simulate.planted.patches import Patch, Planted, edited

# The modules in which a name is looked up; a package's attribute may be the function of that name.
GATE = importlib.import_module("vdsim_interface.gate.gate")
RULES = importlib.import_module("vdsim_interface.safety.rules")

_LARGER_RATE = edited(
    ("return largest if largest < allowed else allowed",
     "return largest if largest > allowed else allowed")
)  # fmt: skip

FOREIGN_FOURTH: dict[str, Planted] = {
    # Motion, stops and the last gate.
    # safety/rules.py:170, which rule and gate both call. "Return the largest steer rate at a speed:
    # by the table, and by lateral jerk"; "A wheel angle changes by at most the steering rate of one
    # period." Shows where the stack steps its curvature: below 7 m/s the wheels jump in one packet,
    # above it they turn at the rate of the table alone.
    "larger_steer_rate_counts": Planted(
        "of the bounds of the steer rate, by table and by lateral jerk, the larger one counts",
        (Patch(RULES, "steer_rate", _LARGER_RATE), Patch(GATE, "steer_rate", _LARGER_RATE)),
    ),
    # longitudinal/acceleration_loop.py:207. "high_level, kinematic: the car does it on any slope";
    # "a start on a hill does not roll back". Shows in reverse on a grade: uphill the start has no
    # drive for the slope, the car rolls back and the start is refused; downhill it is too fast.
    "slope_is_turned_in_reverse": Planted(
        "the slope that is compensated is that of the body's axis, not of the travel direction",
        (
            Patch(
                AccelerationLoop,
                "step",
                edited(("slope = direction * self._slope_x", "slope = self._slope_x")),
            ),
        ),
    ),
    # gate/gate.py:318. "It also brakes while a person drives and the interface would send nothing,
    # unless the vehicle reports that the person used the controls within the last second." Shows
    # with a driver aboard, in MANUAL, where an emergency stop is requested by page, pad or topic:
    # nothing is sent.
    "emergency_trusts_an_absent_person": Planted(
        "an emergency stop in silence yields to a person who has not been seen for a second",
        (
            Patch(
                GATE,
                "_latched",
                edited(("now - person_s <= PERSON_S", "now - person_s >= PERSON_S")),
            ),
        ),
    ),
    # Authority, modes and freshness.
    # safety/engagement.py:121. "A door that closes is no request to drive. With `auto_engage` the
    # sender must command standstill, or nothing, for 1 s after the cause has gone, and then
    # motion." Shows where a door is open for a while, the stop has ended autonomy, the stack goes
    # on asking to drive and the door closes: the car drives off.
    "open_door_counts_as_rest": Planted(
        "the time in which the cabin is open counts as the standstill before a new request",
        (
            Patch(
                NewRequest,
                "step",
                edited(
                    (
                        "if secured and not asks_to_drive:",
                        "if not (secured and asks_to_drive):",
                    )
                ),
            ),
        ),
    ),
    # safety/safety.py:282. "Stop smoothly and hold the steering when the vehicle's report is
    # stale": `report_timeout_s` "age at which the vehicle's report is stale: safe stop". Shows
    # where reports stop for 0.1 to 1 s while the stack steers: the wheels follow it on, neither
    # `link_timeout` nor hazard lamps are shown, and the log has no manoeuvre.
    "report_is_fresh_until_the_link_is_lost": Planted(
        "the safety stage takes a report for fresh until it is as old as that of a lost link",
        (
            Patch(
                Safety,
                "run_period",
                edited(
                    (
                        "link_fresh = now - inputs.odometry.stamp_s <= limits.report_timeout_s",
                        "link_fresh = now - inputs.odometry.stamp_s <= limits.link_lost_s",
                    )
                ),
            ),
        ),
    ),
    # People at a device.
    # teleop/state_requests.py:83. "D, R and L release the hand brake that the interface sets on a
    # car at rest, not one that you have set by its button." Shows with pad, keyboard or page on a
    # car that the interface has parked: the request for D asks for the hand brake, too, and the car
    # does not move.
    "gear_keeps_the_hand_brake": Planted(
        "a gear that drives releases the hand brake that was set by its button, and no other one",
        (
            Patch(
                StateRequests,
                "on_action",
                edited(("and not self._has_set_hand_brake", "and self._has_set_hand_brake")),
            ),
        ),
    ),
    # The plant and the wire.
    # vdsim_plant/realtime/watched_session.py:86. "No valid CMD for `--cmd-timeout`: throttle 0,
    # brake 0.3, the steering held, the gear kept." Shows where the interface is killed or stalls in
    # a bend or in reverse: the wheels go straight, the gear is D, the hand brake is released.
    "fail_safe_starts_from_rest": Planted(
        "the fail-safe after a silence begins from the input at rest, not from the last one",
        (
            Patch(
                WatchedSession,
                "tick",
                edited(("self._failsafe(self.latched)", "self._failsafe(AT_REST)")),
            ),
        ),
    ),
    # vdsim_protocol/vds1/sequence.py:59. "A packet that arrives after a newer one `reordered`,
    # anything older `stale`. A discarded datagram changes nothing else." Shows with packets that
    # are late on the link: an older command acts after a newer one, an older STATE is reported.
    "late_packet_counts": Planted(
        "only a copy of a packet is discarded for its number, not one that is late",
        (
            Patch(
                Place,
                "is_fresh",
                edited(("order is _IN_ORDER or order is _FIRST", "order is not Order.DUPLICATE")),
            ),
        ),
    ),
    # The event log.
    # extras/events/watch.py:218. "`minimal_risk_manoeuvre`: a stop that the interface makes by
    # itself begins or ends (`phase`), one record for each cause." Shows where a stop ends because
    # its cause has gone, such as a stack that sends again: its end is not written then, nor the
    # begin of the next one of that cause.
    "end_of_a_stop_is_not_written": Planted(
        "a period without stops is not looked at, also where a stop stood in the one before",
        (
            Patch(
                Watch,
                "_stepped",
                edited(
                    (
                        "if not (safe.stops or self._stops or self._emergency):",
                        "if not (safe.stops or self._emergency):",
                    )
                ),
            ),
        ),
    ),
    # Cars on CAN.
    # vdsim_can/platform/driver_watch.py:39. "`overrides`: {control: wheel, threshold: 3,
    # hysteresis: 1, for_ms: 50}: the driver takes over"; "a person uses a control: the person
    # drives at once, and frames stop". Shows where a person turns the wheel: autonomy ends because
    # the car has left, not by the person, and frames go on.
    "override_takes_seconds_for_milliseconds": Planted(
        "the time for which a control must be used counts in seconds",
        (
            Patch(
                OverrideWatch,
                "update",
                edited(
                    (
                        "now - self._since_s >= 1e-3 * row.for_ms",
                        "now - self._since_s >= row.for_ms",
                    )
                ),
            ),
        ),
        platform="can",
    ),
    # vdsim_can/platform/platform.py:411. "Somebody else sends a message of ours: autonomy ends,
    # nothing is sent for a second after the last one." Shows with a stranger on the bus: frames go
    # on beside its own, and end for good a second after it has gone.
    "stranger_counts_when_he_has_gone": Planted(
        "frames end a second after the last one of a stranger, not until then",
        (
            Patch(
                CanPlatform,
                "_stops",
                edited(
                    (
                        "0.0 <= now - self._receiver.foreign_s <= FOREIGN_S",
                        "0.0 <= now - self._receiver.foreign_s > FOREIGN_S",
                    )
                ),
            ),
        ),
        platform="can",
    ),
    # pipeline/safety_side.py:116. "The request is refused, with the reason, while the driver uses a
    # control." Shows after a person has used pedal or wheel and has let go: each later request to
    # engage is refused, because "the driver uses pedal".
    "control_is_never_let_go": Planted(
        "that the driver uses no control any more is not heard",
        (
            Patch(
                SafetySide,
                "on_feedback",
                edited(
                    (
                        "driver is not self._vehicle_driver and driver != self._vehicle_driver",
                        "driver is not NO_DRIVER and driver != self._vehicle_driver",
                    )
                ),
            ),
        ),
        composition="guarded",
        platform="can",
    ),
    # MORAI.
    # extras/morai/command.py:70. "CmdType 2 and 3 are interpreted in the direction of the gear."
    # Shows in reverse: the car is braked where it is to drive, and driven where it is to brake.
    "acceleration_is_along_the_body": Planted(
        "the acceleration of CmdType 3 is that along the body, not in the direction of the gear",
        (
            Patch(
                CommandMaker,
                "make",
                edited(
                    (
                        "acceleration_mps2=0.0 if velocity else drive_mps2",
                        "acceleration_mps2=0.0 if velocity else vehicle.long_accel_mps2",
                    )
                ),
            ),
        ),
        platform="morai",
    ),
    # extras/morai/platform.py:223. "A person switches the simulator to the keyboard while the
    # interface commands: that is a takeover by the driver, and autonomy ends. A scenario that is
    # loaded does the same. Before the first autonomy neither counts." Shows where the simulator
    # changes to its keyboard during autonomy: the interface takes the car back.
    "keyboard_counts_before_autonomy_only": Planted(
        "the simulator's keyboard is a takeover only before autonomy has driven",
        (
            Patch(
                MoraiPlatform,
                "_driver_took_over",
                edited(
                    (
                        "self._commanding and self._has_driven",
                        "self._commanding and not self._has_driven",
                    )
                ),
            ),
        ),
        platform="morai",
    ),
    # The guard and its shell.
    # guard/shell.py:86. "A zero velocity brakes to standstill without creeping and without
    # throttle, and the brake holds", for whoever commands. Shows where pad, keyboard or page has
    # taken over from a stack that drove, and stops the car: the guard knows the stack's last speed
    # alone, takes the stop for a request to drive, and no brake holds.
    "person_is_not_told_to_the_guard": Planted(
        "the command of another source than the stack goes to the controller, not to the guard",
        (
            Patch(
                Shell,
                "deliver",
                edited(("self._send(frames.CommandReceived(command))\n    ", "")),
            ),
        ),
        composition="guarded",
    ),
    # guard/mirror.py:203. "While the guard does not send, no report of the shell says
    # `AUTONOMOUS`." Shows where the guard is killed, or stalls, while autonomy drives.
    "lost_guard_shows_autonomy": Planted(
        "the mode that is shown stays AUTONOMOUS while the guard does not send",
        (
            Patch(
                RemoteSafetySide,
                "on_guard_lost",
                edited(("if status.mode is Mode.AUTONOMOUS:", "if status.mode is Mode.NOT_READY:")),
            ),
        ),
        composition="guarded",
    ),
    # Stages that are processes.
    # pipeline/vehicle_side.py:324. "`platform_interface` brakes by itself after five periods, at
    # least `report_timeout_s`, at most `command_timeout_s`." Shows where the safety stage is killed
    # or stalls while the car drives: its last command is used for 0.4 s longer.
    "silence_has_the_longer_patience": Planted(
        "a silent safety stage is waited for at least, not at most, `command_timeout_s`",
        (
            Patch(
                StagedVehicleSide,
                "safety_is_silent",
                edited(
                    (
                        "min(patience_s, p.command_timeout_s)",
                        "max(patience_s, p.command_timeout_s)",
                    )
                ),
            ),
        ),
        composition="processes",
    ),
    # extras/stages/staged_vehicle.py:49. "The platform stage dies: its reports, which it repeats at
    # least every 0.05 s"; "no report from the vehicle for `link_lost_s`" (1 s) ends autonomy. Shows
    # where the vehicle does not report for half a second: autonomy ends, because
    # "platform_interface is silent".
    "stale_report_is_not_repeated": Planted(
        "the stage before the vehicle repeats its latest report only while that is fresh",
        (
            Patch(
                StagedVehicleSide,
                "repeated_feedback",
                edited(("if self.report is None or", "if not self.is_reporting or")),
            ),
        ),
        composition="processes",
    ),
    # extras/stages/safety_stage.py:67. "`give_back` at standstill resets it; a second `give_back`
    # lets autonomy drive, and a person may drive." Shows after an emergency stop of a car that was
    # driven: what the filter sends is never used again, and nobody engages.
    "override_of_the_stages_stays": Planted(
        "after an emergency stop the results of the stages before stay out for ever",
        (
            Patch(
                SafetyStage,
                "on_command",
                edited(("self._is_overridden = False\n        ", "")),
            ),
        ),
        composition="processes",
    ),
    # Two computers.
    # arbitration/sources.py:64. "Main drives again once it has sent for `recover_s` (1 s in this
    # file) without a gap." Shows where main is silent in motion for more than 0.1 s and sends
    # again: sub drives on for ever.
    "recovery_counts_the_last_command": Planted(
        "a source that was lost in motion recovers by the age of its last command",
        (
            Patch(
                Source,
                "recovered",
                edited(
                    (
                        "now - self.alive_since >= recover_s",
                        "now - self.received_at >= recover_s",
                    )
                ),
            ),
        ),
        composition="two_computers",
    ),
}
