"""FMEA by parameter: what a wrong value of each parameter that safety depends on does."""

from __future__ import annotations

from collections.abc import Iterator

from vdsim_interface.longitudinal.parameters import AccelerationParameters
from vdsim_interface.parameters.fields import Parameters
from vdsim_interface.parameters.flat import Declaration, declarations
from vdsim_interface.parameters.guard import GuardParameters
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.vehicle_watch import TrackingParameters
from vdsim_interface.safety import SafetyParameters

from generate.safety_case.rows import Row

OWN = ("control_command", "platform", "platform_path", "rate_hz", "command_timeout_s")
GROUPS: tuple[type[Parameters], ...] = (
    SafetyParameters,
    VehicleGeometry,
    AccelerationParameters,
    TrackingParameters,
    GuardParameters,
)
"""Those of controller and filter are left out: what they make passes through the rules."""


def declared() -> dict[str, Declaration]:
    """Every parameter, from its declaration."""
    return {item.name: item for item in _declared()}


def _declared() -> Iterator[Declaration]:
    prefixes = tuple(f"{group.PREFIX}." for group in GROUPS)
    for item in (*declarations(InterfaceParameters()), *declarations(GuardParameters())):
        if "." not in item.name or item.name.startswith(prefixes):
            yield item


PARAMETERS = (
    Row(
        "control_command",
        "not the level that was meant",
        "commands of the configured level are used, others are refused and counted",
    ),
    Row(
        "platform platform_path",
        "not the vehicle that was meant",
        "packets that the vehicle refuses; read at the start only",
    ),
    Row(
        "rate_hz",
        "too low",
        "limits and stops act once a period: up to 0.1 s late at the smallest rate, 10 Hz",
    ),
    Row("command_timeout_s", "too long", "a silent stack is followed longer: up to 10 s"),
    Row(
        "safety.enabled",
        "false",
        "no limits and interlocks; the watchdogs and the manual block stay",
        left="the operator's decision; safety_status and /diagnostics name the rules that are off",
    ),
    Row(
        "safety.disabled_rules",
        "a rule that the vehicle needs",
        "what that rule prevents (docs/safety.md names it for each); no watchdog can be off",
        ("safety.parameters:SafetyParameters.check_together",),
        ("test_switches.py::test_what_stays_on_is_refused_with_its_reason",),
        left="the integrator's decision; safety_status and /diagnostics name the rules",
    ),
    Row(
        "safety.driver_override",
        "ignored with a person at the controls",
        "the car drives against that person (H4); refused unless safety.rig is driverless",
        ("safety.parameters:SafetyParameters.check_together",),
        ("test_stage_manual.py::test_a_person_at_the_controls_cannot_be_ignored",),
        left="ignored: nobody in the car can end autonomy; change_mode and the vehicle itself do",
    ),
    Row(
        "safety.auto_engage",
        "true with a person in the car",
        "a command engages; never after a person has taken over",
    ),
    Row(
        "safety.rig",
        "driverless with a driver",
        "the interface holds the car against the person's pedals until an engage",
    ),
    Row(
        "safety.cabin_required safety.driver_switch_required",
        "false",
        "a dead monitor is not noticed",
    ),
    Row("safety.engage_timeout_s", "too long", "autonomy starts late after the request"),
    Row(
        "safety.engage_hold_off_s",
        "too long / 0",
        "autonomy starts late by itself / a start that fails is tried again without end",
    ),
    Row(
        "safety.report_timeout_s",
        "too long / too short",
        "driving blind up to 10 s / jitter causes stops",
    ),
    Row(
        "safety.link_lost_s",
        "too long",
        "autonomy goes on after a long gap; report_timeout_s decides when the car stops",
    ),
    Row(
        "safety.contradiction_ends_autonomy",
        "false",
        "reports that contradict each other cause a notice only, and are still used",
    ),
    Row("safety.command_lost_s", "too long", "the car drives off when a stream reappears"),
    Row(
        "safety.stop_decel_mps2 safety.stop_jerk_mps3",
        "too small",
        "the stop is long or late",
        left="the integrator checks the stopping distance",
    ),
    Row(
        "safety.stop_park_after_s safety.hold_park_after_s",
        "too long / too short",
        "the brake alone holds the car / a start takes one gear change longer",
    ),
    Row(
        "safety.accel_max_mps2 safety.decel_max_mps2 safety.jerk_max_mps3 "
        "safety.brake_jerk_max_mps3",
        "too large / too small",
        "harsh commands pass / braking is weak",
    ),
    Row(
        "safety.lateral_accel_max_mps2 safety.lateral_jerk_max_mps3",
        "too large",
        "the car leaves the lane or tips",
        left="the friction of the road is not known",
    ),
    Row(
        "safety.steer_rate_speeds_mps safety.steer_rate_max_radps safety.steer_lead_max_rad",
        "too large",
        "steering faster than the car can follow",
    ),
    Row(
        "safety.oscillation_reversals safety.oscillation_window_s safety.oscillation_accel_mps2 "
        "safety.oscillation_angle_rad safety.oscillation_cutoff_hz",
        "too wide",
        "an oscillation passes",
        left="2 to 3 Hz pass by design",
    ),
    Row(
        "safety.standstill_speed_mps safety.gear_change_speed_mps",
        "too large",
        "PARK or a change of direction while rolling: at most 1 and 3 m/s",
    ),
    Row(
        "safety.standstill_hold_mps2",
        "too small",
        "the car rolls on a slope",
        left="the hand brake follows after one second at rest",
    ),
    Row(
        "safety.shift_time_s safety.auto_gear safety.auto_gear_deadzone_mps2",
        "wrong",
        "shifts too fast, or at rest into the wrong direction",
    ),
    Row(
        "vehicle.wheelbase_m vehicle.understeer_gradient_rad_s2pm",
        "wrong",
        "curvature and the limit of lateral acceleration are wrong in proportion",
    ),
    Row(
        "vehicle.front_wheel_angle_max_rad vehicle.rear_wheel_angle_max_rad",
        "too large",
        "commands beyond the mechanics; the vehicle clamps",
    ),
    Row(
        "vehicle.curvature_correction",
        "true with a wrong yaw rate",
        "a slow, bounded error of the wheel angle",
    ),
    Row(
        "acceleration.vehicle_commands",
        "wrong meaning",
        "the slope is compensated twice or not at all",
    ),
    Row(
        "acceleration.estimate_1ps acceleration.estimate_max_mps2 acceleration.response_s",
        "wrong",
        "slow or oscillating compensation; bounded by estimate_max_mps2",
    ),
    Row("acceleration.slip_max", "too large", "wheels lock or spin: at most 0.15"),
    Row("acceleration.rise_max_mps3", "too large", "a harsh start"),
    Row(
        "tracking.window_s tracking.lost_s tracking.delay_max_s tracking.angle_error_rad "
        "tracking.accel_error_mps2",
        "too wide / too narrow",
        "a vehicle that does not follow is noticed late / autonomy ends without need",
    ),
    Row(
        "guard.socket",
        "that of another guard",
        "refused: a guard serves one ROS process, of the same user",
    ),
    Row(
        "guard.start_timeout_s guard.answer_timeout_s",
        "too short",
        "the ROS process gives up; the guard keeps the car",
    ),
    Row(
        "guard.lock_memory guard.fifo_priority",
        "not permitted",
        "one line in the log; packets are late on a busy machine",
    ),
)
