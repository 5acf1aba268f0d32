"""The faults of the FTTI table, as data: which time-out answers each, and the cycle behind it."""

from __future__ import annotations

from typing import NamedTuple

CYCLE_S = 0.01
VEHICLE_CYCLE_S = 0.01
"""Two ticks of the plant: a command counts from the next tick, and so does its absence."""
COMMAND_TIMEOUT_S = 0.5
REPORT_TIMEOUT_S = 0.1
FOLLOWING_LOST_S = 2.0
CHECK_S = 0.11
"""What is applied is compared every 0.1 s, in whole periods: one check finds it, one ends it."""
SOURCE_PERIOD_S = 0.1


class TimedFault(NamedTuple):
    """One row."""

    name: str
    text: str
    world: str
    """The class in which it is measured."""
    stated: str
    """The parameter or rule that answers it."""
    stated_s: float
    cycle_s: float = CYCLE_S

    @property
    def allowed_s(self) -> float:
        """The stated time and one cycle."""
        return self.stated_s + self.cycle_s


PIPELINE, SAFETY, GUARD = "PipelineWorld", "SafetySilentWorld", "GuardWorld"
PLANT, MUX, BRIDGE = "PlantWorld", "MuxWorld", "BridgeWorld"

FAULTS = (
    TimedFault("command_silent", "the stack sends no command", PIPELINE, "`command_timeout_s`",
               COMMAND_TIMEOUT_S),
    TimedFault("command_not_finite", "the stack sends NaN", PIPELINE, "`command_timeout_s`",
               COMMAND_TIMEOUT_S),
    TimedFault("command_of_another_level", "the stack sends commands of another level", PIPELINE,
               "`command_timeout_s`", COMMAND_TIMEOUT_S),
    TimedFault("report_silent", "the vehicle sends no STATE", PIPELINE,
               "`safety.report_timeout_s`", REPORT_TIMEOUT_S),
    TimedFault("report_damaged", "every STATE has a wrong bit", PIPELINE,
               "`safety.report_timeout_s`", REPORT_TIMEOUT_S),
    TimedFault("report_not_finite", "STATE carries NaN with a CRC that fits", PIPELINE,
               "`safety.report_timeout_s`", REPORT_TIMEOUT_S),
    TimedFault("report_of_a_stranger", "STATE comes from another port only", PIPELINE,
               "`safety.report_timeout_s`", REPORT_TIMEOUT_S),
    TimedFault("report_repeated", "one STATE is repeated", PIPELINE, "`safety.report_timeout_s`",
               REPORT_TIMEOUT_S),
    TimedFault("driver_switch", "the driver's switch, driverless rig", PIPELINE, "at once", 0.0),
    TimedFault("disengage_requested", "autonomy is ended by request", PIPELINE, "at once", 0.0),
    TimedFault("cabin_unsecured", "a door opens, a belt is undone", PIPELINE, "at once", 0.0),
    TimedFault("cabin_source_silent", "the cabin's source at 10 Hz is silent", PIPELINE,
               "3 of its periods", 3.0 * SOURCE_PERIOD_S),
    TimedFault("switch_source_silent", "the switch's source at 10 Hz is silent", PIPELINE,
               "3 of its periods", 3.0 * SOURCE_PERIOD_S),
    TimedFault("time_jumped_back", "time jumps back", PIPELINE, "at once", 0.0),
    TimedFault("deactivated", "the node is deactivated", PIPELINE, "at once", 0.0),
    TimedFault("vehicle_does_not_follow", "STATE says that nothing is applied", PIPELINE,
               "`tracking.lost_s`, checked every 0.1 s", FOLLOWING_LOST_S + 2.0 * CHECK_S),
    TimedFault("safety_stage_silent", "the safety stage does not send (processes)", SAFETY,
               "5 periods, at least `safety.report_timeout_s`", REPORT_TIMEOUT_S),
    TimedFault("shell_ends", "the ROS shell is killed (guarded)", GUARD, "at once", 0.0),
    TimedFault("shell_silent", "the ROS shell is frozen (guarded)", GUARD, "`command_timeout_s`",
               COMMAND_TIMEOUT_S),
    TimedFault("shell_sends_garbage", "every frame of the shell is damaged", GUARD,
               "`command_timeout_s`", COMMAND_TIMEOUT_S),
    TimedFault("shell_frames_late", "the shell repeats frames of one time", GUARD,
               "`command_timeout_s`", COMMAND_TIMEOUT_S),
    TimedFault("vehicle_hears_nothing", "no CMD reaches the vehicle", PLANT, "`cmd_timeout`", 0.1,
               VEHICLE_CYCLE_S),
    TimedFault("vehicle_gets_damaged_commands", "every CMD has a wrong bit", PLANT,
               "`cmd_timeout`", 0.1, VEHICLE_CYCLE_S),
    TimedFault("vehicle_gets_nan", "CMD carries NaN with a CRC that fits", PLANT, "`cmd_timeout`",
               0.1, VEHICLE_CYCLE_S),
    TimedFault("vehicle_gets_a_stranger", "CMD comes from another port only", PLANT,
               "`cmd_timeout`", 0.1, VEHICLE_CYCLE_S),
    TimedFault("vehicle_gets_old_packets", "one CMD is repeated", PLANT, "`cmd_timeout`", 0.1,
               VEHICLE_CYCLE_S),
    TimedFault("mux_source_silent", "the source of the mux is silent", MUX, "`SOURCE.timeout_s`",
               0.5),
    TimedFault("mux_source_not_finite", "the source of the mux sends NaN", MUX,
               "`SOURCE.timeout_s`", 0.5),
    TimedFault("bridge_steering_silent", "the AutoHYU stack sends no steering", BRIDGE,
               "`failsafe.command_timeout_s`", 0.2),
    TimedFault("bridge_torque_silent", "the AutoHYU stack sends no torque", BRIDGE,
               "`failsafe.command_timeout_s`", 0.2),
    TimedFault("bridge_state_silent", "the AutoHYU bridge gets no STATE", BRIDGE,
               "`failsafe.state_timeout_s`", 0.1),
)  # fmt: skip
