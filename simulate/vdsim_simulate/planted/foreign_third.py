"""Twenty more defects by a third examiner, who has read the product and none of the oracles.

Each is a change of a line or two, as a careless edit would make it: a wrong comparison, a sign, an
argument of another name, a state that is not reset. The comment above each says where, which
sentence of the pages it breaks, and in which situation that shows.
"""

from __future__ import annotations

import importlib

from vdsim_can.platform.platform import CanPlatform
from vdsim_interface.arbitration.give_back import GiveBack
from vdsim_interface.controller.controller import VelocityController
from vdsim_interface.extras.stages.staged_vehicle import StagedVehicleSide
from vdsim_interface.guard.guard import Guard
from vdsim_interface.longitudinal.acceleration_loop import AccelerationLoop
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.safety.composer import Composer
from vdsim_interface.safety.engagement import Engagement
from vdsim_interface.teleop.gamepad import Gamepad
from vdsim_plant.realtime.failsafe import FailsafePolicy

from vdsim_simulate.planted.patches import Patch, Planted, edited, in_rule

# The modules in which a name is looked up; a package's attribute may be the function of that name.
SAFE_STOP = importlib.import_module("vdsim_interface.arbitration.safe_stop")


_NO_FASTER = edited(("min(abs(command.velocity_mps), abs(", "max(abs(command.velocity_mps), abs("))

FOREIGN_THIRD: dict[str, Planted] = {
    # Motion and stops.
    # safety/rules.py:133. "Limit v^2 * curvature, the lateral acceleration that the wheel angles
    # would cause." Shows where the stack asks for a bend that is too tight for the speed.
    "bend_is_limited_by_the_speed": Planted(
        "the limit of the lateral acceleration counts the speed, not its square",
        (in_rule("lateral_accel", ("speed_mps * speed_mps or TINY", "abs(speed_mps) or TINY")),),
    ),
    # safety/rules.py:114. "Limit every channel to the range of the car", `decel_max_mps2` "largest
    # deceleration". Shows where the stack brakes with more than 3 m/s2: the car brakes with 3.
    "range_is_swapped": Planted(
        "the range of the car takes the largest acceleration for the largest deceleration",
        (
            in_rule(
                "in_range",
                (
                    "-limits.decel_max_mps2 <= drive <= limits.accel_max_mps2",
                    "-limits.accel_max_mps2 <= drive <= limits.decel_max_mps2",
                ),
                (
                    "max(drive, -limits.decel_max_mps2), limits.accel_max_mps2",
                    "max(drive, -limits.accel_max_mps2), limits.decel_max_mps2",
                ),
            ),
        ),
    ),
    # safety/rules.py:182. "The jerk limit does not apply to the release, so a start has no delay."
    # Shows at each start: the holding brake goes by the jerk, which takes 0.2 s.
    "start_is_delayed": Planted(
        "at rest the jerk limit counts from the holding brake, not from zero",
        (in_rule("rate", ("min(drive, max(drive_before, 0.0) + ", "min(drive, drive_before + ")),),
    ),
    # longitudinal/acceleration_loop.py:437. "a start on a hill does not roll back, and one that
    # cannot hold is refused". Shows at a start uphill: the brake goes before the drive has come.
    "start_lets_go_uphill": Planted(
        "in a start the weight of the car on its slope has the wrong sign",
        (
            Patch(
                AccelerationLoop,
                "_starting",
                edited(("max(-slope - self._observer", "max(slope - self._observer")),
            ),
        ),
    ),
    # longitudinal/acceleration_loop.py:201. "The deceleration is that of the car itself, on any
    # slope", and "the acceleration loop compensates slope, load and pedals". Shows on a slope in
    # REVERSE: what helps is added, and what is to be added is taken away.
    "slope_of_the_other_gear": Planted(
        "in reverse the reported slope counts as it does forwards",
        (
            Patch(
                AccelerationLoop,
                "step",
                edited(("    slope = direction * self._slope_x", "    slope = self._slope_x")),
            ),
        ),
    ),
    # controller/controller.py:217. "A zero velocity brakes to standstill without creeping and
    # without throttle." Shows at high level at the end of a drive in REVERSE, below 1 m/s.
    "reverse_ends_in_creeping": Planted(
        "the final deceleration of a stop in reverse has the sign of one that drives forwards",
        (
            Patch(
                VelocityController,
                "_slow_down",
                edited((" if speed > 0.0 else max(output, least)", "")),
            ),
        ),
    ),
    # arbitration/safe_stop.py:90. "With a reaction time t between the loss and the brake, a car at
    # speed v stops within v (t + 0.125 s) + ..." Shows at high level where the source in control
    # is lost or lets go while the car still speeds up: it speeds up on before it brakes.
    "stop_begins_at_what_was_asked": Planted(
        "a stop of the arbiter begins at the commanded speed where that is the larger one",
        (Patch(SAFE_STOP, "_no_faster_mps", _NO_FASTER),),
    ),
    # arbitration/safe_stop.py:143. "the deceleration ramps up to 2.5 m/s2 and tapers off near
    # standstill". Shows at vehicle level in each stop of the arbiter below 5 m/s: the car takes
    # several seconds more to stop.
    "taper_is_upside_down": Planted(
        "a stop tapers off with the speed times the taper's time, not over it",
        (Patch(SAFE_STOP, "_braking_accel", edited(("speed / _TAPER_S", "speed * _TAPER_S"))),),
    ),
    # Authority and people.
    # teleop/gamepad.py:139. "a throttle that was already pressed when the dead-man button was
    # pressed counts only after it was released once." Shows where a person pulls the trigger first.
    "trigger_first_drives_off": Planted(
        "a dead-man button that is let go frees a throttle that is still pressed",
        (
            Patch(
                Gamepad,
                "_check_neutral",
                edited(("_throttle_was_free = throttle == 0.0", "_throttle_was_free = True")),
            ),
        ),
    ),
    # arbitration/give_back.py:117. "`give_back` at standstill resets it, and nothing moves; a
    # second `give_back` lets autonomy drive." Shows after an emergency stop while the stack sends.
    "reset_lets_autonomy_drive": Planted(
        "the give_back that resets an emergency stop gives control back, too",
        (
            Patch(
                GiveBack,
                "apply",
                edited(('"the emergency stop was reset" if self._waiting else ""', '""')),
            ),
        ),
    ),
    # arbitration/give_back.py:74. "until `false`; autonomy waits for `give_back`" (a lock of
    # autonomy). Shows where the lock of the stack's own priority is released: the car drives off.
    "lock_of_its_own_priority": Planted(
        "a lock of exactly the stack's priority is forgotten with its release",
        (
            Patch(
                GiveBack,
                "watch",
                edited(("source.priority <= priority", "source.priority < priority")),
            ),
        ),
    ),
    # safety/engagement.py:274. "*hold until a person acts*: the same, until a person uses pedal,
    # wheel, gear lever or switch." Shows after an end of autonomy that holds the car, on a rig
    # with a driver: the driver's act does not free it.
    "hold_outlasts_the_person": Planted(
        "what a person does counts only while autonomy drives",
        (
            Patch(
                Engagement,
                "handle",
                edited(
                    (
                        "before is Mode.AUTONOMOUS or event in PERSONS_ACTS:",
                        "before is Mode.AUTONOMOUS:",
                    )
                ),
            ),
        ),
    ),
    # Stages, guard, restarts.
    # pipeline/vehicle_side.py:488. "a person uses pedal, wheel, gear lever or switch | silent", and
    # "*silent*: nothing". Shows where the safety stage ends while a person drives: the vehicle side
    # brakes the person's car.
    "dead_safety_stage_brakes_a_person": Planted(
        "the vehicle side's own stop is sent, too, where nothing was sent before",
        (
            Patch(
                StagedVehicleSide,
                "_stop",
                edited(("SILENT if last.command.authority is SILENT else ", "")),
            ),
        ),
        composition="processes",
    ),
    # arbitration/give_back.py:56. "It also keeps [...] an emergency stop or a wait for
    # `give_back`." Shows where a person had control, the shell crashes, and somebody engages again.
    "new_process_waits_for_nobody": Planted(
        "a process that starts again does not know that the stack waits for give_back",
        (
            Patch(
                GiveBack,
                "restore",
                edited(('latches.waits_because if self._waiting else ""', '""')),
            ),
        ),
        composition="guarded",
    ),
    # guard/guard.py:298. "comes back with the same parameters | continues with the vehicle as it
    # is". Shows where the shell ends, and comes back while the guard still stops the car: brake at
    # once, no packets, and a stop that begins again.
    "same_shell_is_another_one": Planted(
        "a shell that comes back is compared with the session that it brings",
        (Patch(Guard, "_on_activate", edited(("setup._replace(session=None)", "setup"))),),
        composition="guarded",
    ),
    # CAN.
    # safety/composer.py:153. "The wheel angle stays at the last command, the hazard lamps flash."
    # Shows in a safe stop of a silent stack: those behind see no lamp.
    "hazard_lamps_need_both": Planted(
        "the hazard lamps flash only where command and report are both stale",
        (
            Patch(
                Composer,
                "compose",
                edited(("not (command_fresh and link_fresh)", "not (command_fresh or link_fresh)")),
            ),
        ),
        platform="can",
    ),
    # vdsim_can platform/platform.py:143. "The first row is the state in which nobody drives through
    # the interface." Shows where autonomy has ended silently, and somebody engages again: it ends
    # at once, because the car has ended drive-by-wire meanwhile.
    "handshake_goes_on_in_silence": Planted(
        "a handshake that was complete stays so while nothing is sent",
        (
            Patch(
                CanPlatform,
                "encode",
                edited(
                    (
                        "        self._handshake.leave()\n        self.limiter.restart()\n",
                        "        self.limiter.restart()\n",
                    )
                ),
            ),
        ),
        platform="can",
    ),
    # vdsim_can platform/platform.py:365. "any other message | autonomy ends when it is stale, with
    # message, age and reason". Shows where the status, the pedals or the wheels do not come.
    "stale_message_is_no_fault": Planted(
        "messages count as complete as long as there are as many as carry gear and hand brake",
        (
            Patch(
                CanPlatform,
                "_report",
                edited(("len(fresh) == len(self._car.receive)", "len(fresh) >= len(self._owned)")),
            ),
        ),
        platform="can",
    ),
    # The wire and the plant.
    # platforms/vds1/platform.py:173. "PARK is accepted only at standstill", and "The hand brake is
    # refused while the car moves." VDS1 reports no gear, and carries PARK as the hand brake. Shows
    # where the interface starts, or starts again after a crash, while the car rolls backwards.
    "rolls_backwards_in_park": Planted(
        "a car that rolls backwards when the interface starts counts as one in PARK",
        (
            Patch(
                Vds1Platform,
                "receive",
                edited(("if abs(state.vx_mps) > ROLLING_MPS", "if state.vx_mps > ROLLING_MPS")),
            ),
        ),
    ),
    # realtime/failsafe.py:32. "throttle 0, brake 0.3, the steering **held**, the gear kept". Shows
    # where the interface ends, or is cut off, while the car speeds up.
    "fail_safe_keeps_the_throttle": Planted(
        "the plant's fail-safe adds its brake to the throttle of the last command",
        (Patch(FailsafePolicy, "input_after", edited((" throttle=0.0,", ""))),),
    ),
}
