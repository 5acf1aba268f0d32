"""Twenty more defects by an outside examiner, who has read the product and none of the oracles.

Each is a change of a line or two, as a careless edit would make it: a condition that is left out, a
sign, a time-out of another name, two lines in the other order. The comment above each says where,
which sentence of the pages it breaks, and in which situation that shows.
"""

from __future__ import annotations

import importlib
from typing import Any

from vdsim_can.platform.driver_watch import OverrideWatch
from vdsim_interface.arbitration.mux import CommandMux
from vdsim_interface.arbitration.sources import Source
from vdsim_interface.controller.curvature_trim import CurvatureTrim
from vdsim_interface.extras.stages.staged_vehicle import StagedVehicleSide
from vdsim_interface.guard.frames import OverrideReceived
from vdsim_interface.guard.setup import Sides
from vdsim_interface.longitudinal.acceleration_loop import AccelerationLoop
from vdsim_interface.longitudinal.slip_cap import SlipCap
from vdsim_interface.safety.authority import LastDriver
from vdsim_interface.safety.composer import Composer
from vdsim_interface.safety.gearbox import AutomaticGear
from vdsim_interface.standstill.parking import Parking
from vdsim_interface.teleop.gamepad import Gamepad
from vdsim_interface.values import NOT_STANDING, Standing
from vdsim_plant.realtime.failsafe import FailsafePolicy
from vdsim_plant_node.live.wire_vehicle import WireVehicle

from vdsim_simulate.planted.patches import Patch, Planted, edited, in_rule

# The modules in which a name is looked up; a package's attribute may be the function of that name.
GATE = importlib.import_module("vdsim_interface.gate.gate")
GUARD = importlib.import_module("vdsim_interface.guard.guard")
SESSION = importlib.import_module("vdsim_interface.guard.session")
STAGED_VEHICLE = importlib.import_module("vdsim_interface.extras.stages.staged_vehicle")


def _and_the_switch(before: tuple[type, ...]) -> tuple[type, ...]:
    return (*before, OverrideReceived)


def _held_by_nobody(before: Standing) -> Standing:
    return NOT_STANDING


def _forgets_who_drove(before: Any) -> Any:
    def activated(setup: Any, previous: Sides | None) -> Sides:
        session = setup.session
        if session is not None:
            setup = setup._replace(session=session._replace(last_driver=LastDriver.UNKNOWN.value))
        made: Sides = before(setup, previous)
        return made

    return activated


FOREIGN_SECOND: dict[str, Planted] = {
    # Safety.
    # safety/gearbox.py:138. "The command that stopped the car keeps it stopped [...] So braking
    # never ends in reverse." Shows at vehicle level, where a sender coasts in motion, then brakes
    # to rest and holds the car with its brake: the car shifts to R and drives backwards.
    "braking_ends_in_reverse": Planted(
        "coasting in motion lets the brake that follows choose REVERSE at rest",
        (
            Patch(
                AutomaticGear,
                "choose",
                edited(
                    (
                        "self._starts = False, self._starts and not drive_direction(current)",
                        "self._starts = self._armed or abs(accel_mps2) <= deadzone_mps2, False",
                    )
                ),
            ),
        ),
    ),
    # guard/session.py:33. "It obeys the end of autonomy, the driver's switch and the state of the
    # cabin at any age." Shows where the guard does not run for longer than `command_timeout_s`, and
    # the switch is set meanwhile: the shell names it once, and a later engage is accepted.
    "stalled_guard_misses_the_switch": Planted(
        "the driver's switch that waited while the guard did not run is dropped as too old",
        (Patch(SESSION, "_AGES", _and_the_switch),),
        composition="guarded",
    ),
    # safety/stops.py:66. "`link_timeout` | Stop smoothly and hold the steering when the vehicle's
    # report is stale." Shows where reports end and the stack goes on to send another angle.
    "blind_car_steers_on": Planted(
        "in a stop without reports the car is still steered as commanded",
        (in_rule("stopped", ("if commands and context.link_fresh:", "if commands:")),),
    ),
    # safety/composer.py:240. "The mode stays AUTONOMOUS while the car rolls: when commands arrive
    # again, it follows them from its present state." Shows where the stack is silent for longer
    # than `command_lost_s` at a speed from which the stop takes longer than that.
    "silence_ends_autonomy_in_motion": Planted(
        "silence of the stack ends autonomy after its time, although the car still rolls",
        (
            Patch(
                Composer,
                "_count_silence",
                edited(("if rests and not context.blocked", "if not context.blocked")),
            ),
        ),
    ),
    # Gate.
    # gate/gate.py:315. "`emergency` [...] ends when `give_back`, at standstill", and "`give_back`
    # at standstill resets it". Shows where give_back comes while the gate has no fresh report of a
    # car at rest (the link is lost): only another give_back releases the car.
    "release_is_lost_at_the_gate": Planted(
        "a give_back for which the gate does not know the car at rest is forgotten, not kept",
        (
            Patch(
                GATE,
                "_latched",
                edited(
                    (
                        "        else:  # the release waits: the count stays behind, and is new"
                        " again in the next packet\n            emergency_n = state.emergency_n\n",
                        "",
                    )
                ),
            ),
        ),
        composition="guarded",
    ),
    # gate/gate.py:409. "D or R only when the car does not move against that direction." Shows where
    # a sender asks for NEUTRAL and then for DRIVE, or for LOW, while the car rolls forwards: the
    # packets stay in the old gear.
    "gear_that_fits_is_refused": Planted(
        "the gate takes motion in the direction of a gear for motion against it",
        (
            Patch(
                GATE,
                "_gear_may_be_set",
                edited(("else -drive_direction(gear)", "else drive_direction(gear)")),
            ),
        ),
    ),
    # gate/gate.py:318. "It also brakes while a person drives and the interface would send nothing,
    # unless the vehicle reports that the person used the controls within the last second." Shows
    # where a person has taken over, lets the car roll for some seconds, and then somebody requests
    # the emergency stop: nothing is sent.
    "person_of_before_has_the_stop": Planted(
        "a person who ever used the controls keeps an emergency stop from braking",
        (
            Patch(
                GATE,
                "_latched",
                edited(("and now - person_s <= PERSON_S", "and person_s > NEVER_S")),
            ),
        ),
        platform="can",
    ),
    # Standstill.
    # standstill/parking.py:140. "It also happens while the stack itself holds the car, with
    # commands that do not request to drive, after `hold_park_after_s` (3 min; 0: never)." Shows
    # wherever the stack lets the car stand for longer than a second.
    "stack_is_parked_at_a_light": Planted(
        "a car that the stack holds is parked after the time of a stop of ours",
        (
            Patch(
                Parking,
                "_is_due",
                edited(
                    (
                        "limits.stop_park_after_s if holder is OURS else limits.hold_park_after_s",
                        "limits.stop_park_after_s",
                    )
                ),
            ),
        ),
    ),
    # pipeline/vehicle_side.py:504. "`platform_interface` brakes by itself [...] and holds the car:
    # with hand brake and PARK once it has stood for `stop_park_after_s`." Shows where the safety
    # stage ends and does not come back before the car has stood for a second.
    "dead_safety_stage_never_parks": Planted(
        "in the vehicle side's own stop nobody counts as the one who holds the car",
        (Patch(STAGED_VEHICLE, "HELD_BY_US", _held_by_nobody),),
        composition="processes",
    ),
    # Longitudinal, controller.
    # controller/curvature_trim.py:100. "What is still missing shows in the yaw rate: a slow
    # correction of at most a quarter of the angle closes it." Shows at high level in a steady bend
    # in reverse at 2 m/s or more: the correction grows to its bound, and the car turns tighter.
    "trim_grows_in_reverse": Planted(
        "in reverse the yaw rate of a bend is compared with that of the other direction",
        (
            Patch(
                CurvatureTrim,
                "_learn",
                edited(("yaw_rate / (speed * curvature)", "yaw_rate / (abs(speed) * curvature)")),
            ),
        ),
    ),
    # longitudinal/acceleration_loop.py:413. "The deceleration is that of the car itself, on any
    # slope and with any brakes. When the car does not slow, the acceleration loop brakes harder."
    # Shows in a stop of a loaded car, with weak brakes, or on a slope that nobody reports.
    "stop_trusts_the_pedal_map": Planted(
        "in a stop the estimate of load and weak brakes does not count",
        (
            Patch(
                AccelerationLoop,
                "_moving",
                edited(
                    (
                        "effort = self._by_map - self._observer.disturbance_mps2",
                        "effort = self._by_map - (0.0 if stops else "
                        "self._observer.disturbance_mps2)",
                    )
                ),
            ),
        ),
    ),
    # longitudinal/slip_cap.py:89. "Where the vehicle reports its wheels, drive and brake are
    # reduced before a wheel spins or locks." Shows in a tight bend, where the front wheels turn
    # faster than the car moves without any slip: the drive is cut, and the car hardly moves.
    "bend_looks_like_spin": Planted(
        "what steered wheels roll faster than the car by its yaw rate has the wrong sign",
        (
            Patch(
                SlipCap,
                "steered_lead_mps",
                edited(("+ side_mps * sin(angle_rad)", "- side_mps * sin(angle_rad)")),
            ),
        ),
    ),
    # Arbitration.
    # arbitration/sources.py:55. "The dead-man button (a driving key) takes over again at any time",
    # and "a higher one takes over with its first command". Shows where a person gives control back
    # on the move and later wants it again: the time since the last command is always 0.
    "who_gave_back_cannot_take_over": Planted(
        "a source that gave control back on the move never gets it again",
        (
            Patch(
                Source,
                "on_command",
                edited(
                    (
                        "    self.yielded &= gap_s <= self.pause_s\n",
                        "    gap_s = 0.0\n    self.yielded &= gap_s <= self.pause_s\n",
                    )
                ),
            ),
        ),
    ),
    # teleop/gamepad.py:94. "A Joy message that is 0.3 s old, out of range or too short counts as a
    # released dead-man button." Shows where a page that drives freezes or loses its connection.
    "frozen_page_drives_on": Planted(
        "a pad that is silent counts as held for two seconds",
        (
            Patch(
                Gamepad,
                "tick",
                edited(("age_s <= self._parameters.joy_timeout_s", "age_s <= 2.0")),
            ),
        ),
    ),
    # arbitration/mux.py:346. "When it is silent for `timeout_s` (0.1 s), sub drives on within the
    # next cycle, without a stop and without a jump of the command." Shows where main is lost, or
    # another one is selected, while the two computers command something else.
    "fail_over_jumps": Planted(
        "a source that takes over from one that was lost begins without a hand-over",
        (
            Patch(
                CommandMux,
                "_take_over",
                edited(
                    (
                        "    self.hand_over.start(",
                        "    if not why:\n        self.hand_over.start(",
                    )
                ),
            ),
        ),
        composition="two_computers",
    ),
    # Stages and guard.
    # pipeline/vehicle_side.py:480. "the safety side is silent | `stop_decel_mps2` at once | it
    # sends again | held" (the steering). Shows where the safety stage ends in a bend.
    "dead_safety_stage_straightens_the_wheels": Planted(
        "the vehicle side's own stop turns the wheels straight",
        (
            Patch(
                StagedVehicleSide,
                "_stop",
                edited(("self._gate.front_rad, self._gate.rear_rad", "0.0, 0.0")),
            ),
        ),
        composition="processes",
    ),
    # guard/guard.py:302, guard/setup.py:69. "The shell then activates the new guard, and passes on
    # who drove, the cabin and the driver's switch." Shows where the guard ends while autonomy
    # drives: the new one is silent on a rig with a driver, where the car is to be held, and
    # `auto_engage` drives off.
    "new_guard_forgets_who_drove": Planted(
        "a guard that starts again does not know who drove",
        (Patch(GUARD, "activated", _forgets_who_drove),),
        composition="guarded",
    ),
    # The plant's server.
    # realtime/failsafe.py:31. "its fail-safe (the plant: steering held, brake 0.3)". Shows where
    # the interface ends, or is cut off, in a bend.
    "fail_safe_straightens": Planted(
        "the plant's fail-safe turns the wheels straight where it is to hold them",
        (
            Patch(
                FailsafePolicy,
                "input_after",
                edited(('self.steer == "hold"', 'self.steer == "straight"')),
            ),
        ),
    ),
    # live/wire_vehicle.py:112. "After `--session-release` (2 s) without a valid packet, and once
    # the car stands, another address may open a session." Shows where the owner is silent for that
    # long, the car still rolls in its fail-safe, and somebody else sends CMD.
    "rolling_car_is_free": Planted(
        "a car that rolls in its fail-safe may be taken by another sender",
        (
            Patch(
                WireVehicle,
                "is_moving",
                edited(("self.drive is not Drive.WAITING", "self.drive is Drive.COMMANDED")),
            ),
        ),
    ),
    # CAN.
    # platform/driver_watch.py:31. "a person uses a control [...] the person drives at once, and
    # frames stop". Shows where the driver turns the wheel to the right: that torque is negative.
    "right_hand_is_not_felt": Planted(
        "a driver who turns the wheel to the right is not noticed",
        (Patch(OverrideWatch, "update", edited(("size = abs(value)", "size = value"))),),
        platform="can",
    ),
}
