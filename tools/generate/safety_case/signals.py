"""FMEA by signal: every field of every command and report message, and of both VDS1 packets.

A name is `Message.field`; CMD and STATE are the packets, HEADER what both begin with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vdsim_protocol.vds1 import messages as wire
from vdsim_protocol.wire import fields_of

from generate.paths import ROOT
from generate.safety_case.rows import Row

_FOLDER = ROOT / "src" / "vdsim_msgs"
MESSAGES = (
    "msg/RawControlCommand",
    "msg/VehicleControlCommand",
    "msg/HighLevelControlCommand",
    "msg/VehicleStateCommand",
    "msg/AuxiliaryCommand",
    "msg/CabinState",
    "srv/ChangeMode",
    "msg/ModeRequest",
    "msg/ModeAnswer",
    "msg/SafeCommand",
    "msg/PlatformReport",
    "msg/VehicleOdometry",
    "msg/VehicleStateReport",
    "msg/SafetyStatus",
    "msg/WheelSpeeds",
    "msg/TyreStates",
    "msg/Capabilities",
    "msg/Capability",
)
"""What arrives from the stack and goes to it, and what stages send to each other. VdsState, MORAI's
whole status, the trace, the link and the mux's status are for people: nobody drives by them."""
AUTOHYU = (
    *("gripped_steer.data", "gripped_torque.data", "gripped_accel.data"),
    *("VehicleCAN.operation_mode", "VehicleCAN.steering_state"),
)
"""What AutoHYU's stack sends, and what its controllers stop for."""
_FIELD = re.compile(r"[\w/]+(?:\[\d*\])? +(\w+)")


def signals() -> Iterator[str]:
    """Every signal, from the definitions."""
    for path in MESSAGES:
        kind, name = path.split("/")
        text = (_FOLDER / kind / f"{name}.{kind}").read_text(encoding="utf-8")
        lines = (line.partition("#")[0].strip() for line in text.splitlines())
        declared = (_FIELD.match(line) for line in lines if "=" not in line)
        yield from (f"{name}.{match[1]}" for match in declared if match)
    yield "driver_override.data"
    yield from AUTOHYU
    for packet, table in (("HEADER", "HeaderTable"), ("CMD", "Command"), ("STATE", "State")):
        yield from (f"{packet}.{field.name}" for field in fields_of(getattr(wire, table)))


_BY_PHYSICS = "a value that is wrong, finite and plausible is followed"
SIGNALS = (
    Row(
        "gripped_steer.data",
        "not finite, absent, wrong",
        "steering that nobody asked for; straight wheels in a bend",
        ("extras.autohyu.rules:steer_not_finite", "extras.autohyu.rules:command_stale"),
        (
            "test_bridge.py::test_a_bad_steer_holds_the_steering_for_the_time_out_then_brakes",
            "test_autohyu_stack.py::"
            "test_one_bad_steer_in_a_bend_does_not_move_the_car_off_its_path",
        ),
        f"{_BY_PHYSICS}: the bridge has no limits, like the transmitter of the real vehicle",
    ),
    Row(
        "gripped_torque.data",
        "not finite, absent, wrong",
        "unasked acceleration or braking",
        ("extras.autohyu.rules:torque_not_finite", "extras.autohyu.rules:command_stale"),
        ("test_bridge.py::test_a_bad_torque_brakes_and_marks_the_mode",),
        f"{_BY_PHYSICS}, as far as the torque map and the brake polynomial go",
    ),
    Row(
        "gripped_accel.data",
        "any",
        "advisory: passed on in CMD; none of our programs drives the car by it",
    ),
    Row(
        "VehicleCAN.operation_mode VehicleCAN.steering_state",
        "wrong",
        "AutoHYU drives on over a stale vehicle, or never drives above 5 km/h",
        ("extras.autohyu.vehicle_state:bus_state",),
        (
            "test_bridge.py::test_stale_state_shows_in_the_mode_and_the_old_stamp",
            "test_autohyu_stack.py::test_they_hold_12_mps_on_a_circle_of_60_m",
        ),
    ),
    Row(
        "RawControlCommand.throttle RawControlCommand.brake RawControlCommand.front_steer "
        "RawControlCommand.rear_steer",
        "wrong, huge, absent",
        "direct access to the hardware: it acts as commanded",
        ("safety.stops:standing_stops",),
        ("test_stage_raw.py::test_raw_stops_when_it_must",),
        "the value itself is not limited, by design: blocked as a whole or passed as a whole",
    ),
    Row(
        "VehicleControlCommand.long_accel_mps2",
        "not finite, out of range, steps, oscillates, frozen",
        "unasked acceleration or braking",
        ("safety.rules:in_range", "safety.rules:rate", "safety.rules:high_frequency"),
        (
            "test_safety_rules.py::test_rule",
            "test_pipeline.py::test_a_huge_but_finite_command_is_bounded",
        ),
        f"frozen content with a fresh message looks like a constant command; {_BY_PHYSICS}",
    ),
    Row(
        "VehicleControlCommand.front_wheel_angle_rad VehicleControlCommand.rear_wheel_angle_rad",
        "not finite, out of range, steps, oscillates, frozen",
        "unasked steering",
        ("safety.rules:lateral_accel", "safety.rules:steer_lead", "safety.rules:rate"),
        (
            "test_safety_rules.py::test_rule",
            "test_safety_rules.py::test_steer_rate_by_lateral_jerk",
        ),
        f"lateral acceleration is limited without knowledge of the friction; {_BY_PHYSICS}",
    ),
    Row(
        "HighLevelControlCommand.velocity_mps HighLevelControlCommand.curvature",
        "not finite, huge, steps, frozen",
        "unasked speed or path",
        ("pipeline.safety_side:SafetySide.on_command", "controller.controller:SpeedPid"),
        (
            "test_pid.py::test_the_output_is_bounded_by_direction",
            "test_pipeline.py::test_no_command_whatever_it_is_gives_a_non_finite_output",
        ),
        _BY_PHYSICS,
    ),
    Row(
        "RawControlCommand.stamp VehicleControlCommand.stamp HighLevelControlCommand.stamp "
        "VehicleStateCommand.stamp AuxiliaryCommand.stamp CabinState.stamp",
        "of another clock, in the past, in the future",
        "none: ages count from the receipt",
        ("safety.inputs:LatestCommand",),
        ("test_guard.py::test_a_command_from_the_future_ages_as_one_of_now",),
        "a command that was delayed before its receipt counts as new",
    ),
    Row(
        "VehicleStateCommand.gear",
        "PARK or a direction at speed, undefined number, repeated",
        "blocked wheels, damage, motion in the other direction",
        ("safety.gearbox:refusal", "pipeline.state_messages:StateMessageReader"),
        (
            "test_gear.py::test_interlocks_over_all_gears_and_speeds",
            "test_requests.py::test_undefined_numbers_are_ignored_and_reported_once",
        ),
        "rests on the reported speed",
    ),
    Row(
        "VehicleStateCommand.hand_brake",
        "set at speed, released on a slope",
        "rear wheels lock; the car rolls",
        ("safety.body:hand_brake_refusal", "safety.rules:standstill_hold"),
        ("test_stage_body.py::test_the_hand_brake_is_refused_while_the_car_moves",),
    ),
    Row(
        "VehicleStateCommand.blinker VehicleStateCommand.headlight VehicleStateCommand.wiper "
        "VehicleStateCommand.horn",
        "wrong, undefined number",
        "lamps, wipers or horn as asked",
        ("safety.body:commanded_body",),
        (
            "test_body.py::test_wiping_needs_headlights",
            "test_body.py::test_a_safe_stop_flashes_the_hazard_lamps",
        ),
    ),
    Row(
        "VehicleStateCommand.mode VehicleStateCommand.autonomous ChangeMode.request "
        "ModeRequest.request",
        "engage unasked, repeated, late",
        "autonomy starts unasked",
        ("safety.inputs:unmet_preconditions", "pipeline.state_messages:StateMessageReader"),
        (
            "test_requests.py::test_mode_and_autonomous_ask_for_nothing_by_default",
            "test_guard.py::test_an_old_request_ends_autonomy_but_does_not_begin_it",
        ),
        "any ROS node may ask; only the network limits who that is (who-may-command.md)",
    ),
    Row(
        "ChangeMode.check ModeRequest.check ModeRequest.client ModeRequest.sequence",
        "wrong: another DDS vendor's frame read as a request; repeated, late",
        "autonomy starts unasked",
        ("arbitration.mode_twin:ModeTwin", "ros.modes.change_mode:answer_change_mode"),
        (
            "test_mode_requests.py::test_engaging_needs_the_check_and_disengaging_does_not",
            "test_mode_twin.py::test_a_delayed_request_does_not_act",
            "test_mode_twin.py::test_ending_autonomy_acts_whatever_it_holds",
        ),
    ),
    Row(
        "ChangeMode.success ChangeMode.mode ChangeMode.reason ModeAnswer.client "
        "ModeAnswer.sequence ModeAnswer.success ModeAnswer.mode ModeAnswer.reason ModeAnswer.stamp",
        "wrong, absent",
        "the client is misinformed; no command depends on it",
        ("safety.safety:Safety.on_change_mode",),
        ("test_stage_engaging.py::test_a_refusal_says_why_and_changes_nothing",),
    ),
    Row(
        "AuxiliaryCommand.names AuxiliaryCommand.values",
        "wrong, old, while a person drives",
        "advisory on VDS1: the plant may use it",
        ("platforms.vds1.platform:Vds1Platform",),
        ("test_vds1.py::test_auxiliary_targets_are_blocked_with_every_other_command",),
    ),
    Row(
        "CabinState.doors_closed CabinState.belts_fastened CabinState.load_secured",
        "absent, frozen, wrong",
        "the car drives with an open cabin",
        ("safety.stops:standing_stops", "safety.inputs:RequiredInput"),
        ("test_required_input.py::test_without_it_nothing_engages",),
        "only with `safety.cabin_required`, which is off by default",
    ),
    Row(
        "driver_override.data",
        "absent, stuck at false; stuck at true",
        "the switch does not work; autonomy ends and stays off until a message with false",
        (
            "safety.inputs:RequiredInput",
            "pipeline.safety_side:SafetySide.on_driver_override",
        ),
        ("test_required_input.py::test_its_loss_is_a_safe_stop_with_that_reason",),
        "only with `safety.driver_switch_required`; a pedal or the wheel still takes over",
    ),
    Row(
        "SafeCommand.authority SafeCommand.mode SafeCommand.vehicle SafeCommand.meaning "
        "SafeCommand.body SafeCommand.has_raw SafeCommand.raw SafeCommand.trace",
        "absent, late, undefined number (processes)",
        "the platform drives on the last command",
        ("extras.stages.staged_vehicle:StagedVehicleSide.safety_is_silent",),
        (
            "test_bad_numbers.py::test_a_safe_command_with_an_undefined_number",
            "test_platform_node.py::test_a_silent_safety_stage_is_brake_in_reverse_gear_too",
        ),
        "a topic without counter and checksum; the guard's frames have both",
    ),
    Row(
        "PlatformReport.odometry PlatformReport.body PlatformReport.driver_pedal "
        "PlatformReport.driver_wheel PlatformReport.driver_gear_lever PlatformReport.driver_switch "
        "PlatformReport.ready PlatformReport.fault PlatformReport.doubt "
        "PlatformReport.driver_accelerator "
        "PlatformReport.wheel_speed_mps PlatformReport.hand_brake_ours PlatformReport.park_ours "
        "PlatformReport.gear_before_park PlatformReport.holds_parking",
        "absent, undefined number (processes)",
        "the safety stage does not see the car or the person",
        ("safety.stops:standing_stops", "safety.modes:MODE_TABLE"),
        ("test_bad_numbers.py::test_nothing_is_taken_of_a_report_with_an_undefined_number",),
        "as SafeCommand",
    ),
    Row(
        "VehicleOdometry.stamp VehicleOdometry.velocity_mps VehicleOdometry.front_wheel_angle_rad "
        "VehicleOdometry.rear_wheel_angle_rad",
        "stale",
        "the stack plans with an old motion",
        ("pipeline.link_health:LinkHealth",),
        ("test_pipeline.py::test_a_stale_link_stops_publishing_and_comes_back",),
        "best effort: a receiver must judge the age itself",
    ),
    Row(
        "VehicleStateReport.stamp VehicleStateReport.fuel VehicleStateReport.blinker "
        "VehicleStateReport.headlight VehicleStateReport.wiper VehicleStateReport.gear "
        "VehicleStateReport.mode VehicleStateReport.hand_brake VehicleStateReport.horn",
        "stale, or not reported by the vehicle",
        "the stack assumes a wrong mode or gear",
        ("pipeline.link_health:LinkHealth", "values.vehicle:state_report"),
        ("test_pipeline.py::test_body_functions_are_commanded_and_reported",),
        "a value that is not on the wire is reported as commanded; Capabilities names these",
    ),
    Row(
        "WheelSpeeds.header WheelSpeeds.front_left_radps WheelSpeeds.front_right_radps "
        "WheelSpeeds.rear_left_radps WheelSpeeds.rear_right_radps WheelSpeeds.radius_m "
        "TyreStates.header TyreStates.longitudinal_force_n TyreStates.lateral_force_n "
        "TyreStates.vertical_force_n TyreStates.slip_ratio TyreStates.slip_angle_rad "
        "TyreStates.cornering_stiffness_nprad TyreStates.compression_m",
        "not finite, stale, of another vehicle",
        "localisation or slip estimate of the stack assume a motion that is not there",
        ("sensors.message_form:MessageForm", "sensors.feed:SensorFeed"),
        (
            "test_message_form.py::test_whatever_is_given_is_a_message_that_can_be_sent_or_the_error",
            "test_sensor_feed.py::test_what_cannot_be_used_is_counted_by_its_reason",
        ),
        "a value that is wrong and finite is published; plausibility compares wheels and speed",
    ),
    Row(
        "Capabilities.stamp Capabilities.platform Capabilities.wire Capabilities.commands "
        "Capabilities.states Capabilities.sensors Capability.name Capability.source "
        "Capability.topic",
        "wrong",
        "the stack takes an echoed command for a state of the vehicle, or the other way round",
        ("platforms.sources:table_of",),
        (
            "test_capability_sources.py::test_no_wire_carries_lights_wipers_or_horn",
            "test_sensor_contract.py::test_a_reading_that_is_declared_and_not_there",
        ),
        "the declarations of a user's platform about its body are believed",
    ),
    Row(
        "SafetyStatus.stamp SafetyStatus.mode SafetyStatus.engage_pending "
        "SafetyStatus.last_disengage_reason SafetyStatus.last_disengage_stamp "
        "SafetyStatus.last_refusal_reason SafetyStatus.last_refusal_stamp "
        "SafetyStatus.interventions SafetyStatus.command_age_s SafetyStatus.command_timed_out "
        "SafetyStatus.vehicle_link_ok SafetyStatus.vehicle_link_reason "
        "SafetyStatus.disabled_rules SafetyStatus.parameters_hash",
        "stale, wrong",
        "people are misinformed; no command depends on it",
        ("safety.safety:Safety.status",),
        ("test_safety_topic.py::test_it_is_told_at_its_rate",),
        "latched: its stamp says how old it is",
    ),
    Row(
        "HEADER.magic HEADER.version HEADER.msg_type",
        "corrupted, another protocol",
        "other bytes are taken for values",
        ("vdsim_protocol.vds1.receiver:Receiver", "vdsim_protocol.vds1.codec:make_decoder"),
        (
            "test_vds1_receiver.py::test_every_reason_is_provoked_counted_and_changes_nothing",
            "test_server_robust.py::test_a_thousand_bad_packets_change_their_counter_only",
        ),
        "the CRC finds faults, not an attacker",
    ),
    Row(
        "SafeCommand.engage_wanted",
        "lost; stuck at true",
        "a silent vehicle is not asked for STATE; or it is asked without end, with brake 0.3",
        (
            "platforms.vds1.wire_version:WireVersion",
            "safety.engagement:Engagement.is_wanted",
        ),
        (
            "test_wire_version.py::test_what_asks_is_the_fail_safe_command_in_each_version",
            "test_wire_version.py::test_the_version_never_changes_while_autonomy_drives",
            "test_wire_version.py::test_nothing_takes_the_place_of_a_stop_when_the_link_is_lost",
            "test_wire_version.py::test_a_moving_car_is_not_braked_to_be_kept_reporting",
            "test_wire_version_nodes.py::test_the_car_drives",
        ),
        "after a request to engage, it brakes a silent car that a person may be driving",
    ),
    Row(
        "SafeCommand.engagement SafeCommand.emergency_n",
        "lost; jumps; stuck",
        "the car drives off after its cabin was open at rest, or an emergency stop ends by itself",
        ("gate.gate:gate",),
        (
            "test_gate_drive.py::test_a_stop_that_held_the_car_passes_no_drive_until_a_later_engagement",
            "test_gate_emergency.py::test_a_count_that_falls_releases_nothing",
        ),
        "a count that is stuck keeps the car where it is",
    ),
    Row(
        "SafeCommand.holder SafeCommand.may_release SafeCommand.takes_gear "
        "SafeCommand.takes_hand_brake",
        "lost; stuck",
        "the brake alone holds the car; hand brake and PARK stay, or are released while it stands",
        ("standstill.parking:Parking", "pipeline.vehicle_side:VehicleSide.encode"),
        (
            "test_hold_parks.py::test_a_hold_without_autonomy_ends_with_hand_brake_and_park",
            "test_hold_parks.py::test_a_person_who_takes_over_gets_a_silent_interface",
        ),
        "pedal, wheel, gear lever or switch end the hold of a rig with a driver",
    ),
    Row(
        "HEADER.seq HEADER.timestamp_s",
        "lost, repeated, reordered, delayed, restarted",
        "an old packet is used as a new one",
        (
            "vdsim_protocol.vds1.sequence:SequenceTracker",
            "pipeline.link_health:ReportLag",
            "plausibility.watch:PlausibilityWatch",
        ),
        (
            "test_stalls.py::test_reports_that_come_late_are_a_stop_with_that_reason",
            "test_vds1_sequence.py::test_agrees_with_a_set_of_accepted_numbers",
            "test_server_robust.py::test_a_thousand_overtaken_packets",
        ),
    ),
    Row(
        "HEADER.vehicle_id",
        "of another vehicle",
        "one car drives by another's packets",
        ("vdsim_protocol.vds1.receiver:Receiver",),
        ("test_vds1_receiver.py::test_each_vehicle_has_its_own_sequence",),
    ),
    Row(
        "CMD.steering_tire_angle_rad CMD.throttle CMD.brake",
        "lost, not finite, out of range, of a stranger, not applied",
        "the car does not do what the interface commands",
        ("vdsim_protocol.vds1.ownership:Ownership", "pipeline.vehicle_watch:FollowingWatch"),
        (
            "test_vds1_receiver.py::test_what_drives_must_be_finite",
            "test_server_owner.py::test_a_stranger_never_moves_a_driven_car",
            "test_following_watch.py::test_autonomy_ends_with_what_is_not_followed",
        ),
        "pedals are compared only where STATE reports them (wire version 5)",
    ),
    Row(
        "CMD.gear CMD.handbrake",
        "lost, undefined number",
        "another gear than commanded",
        ("safety.gearbox:Gearbox", "vdsim_protocol.vds1.receiver:Receiver"),
        (
            "test_gear.py::test_a_shift_takes_its_time_and_the_vehicles_answer",
            "test_server_drive.py::test_gears_and_hand_brake_act",
        ),
        "STATE carries no gear: what was commanded counts as reported",
    ),
    Row(
        "CMD.aux_accel_target_mps2 CMD.aux_speed_target_mps",
        "not finite, old",
        "advisory",
        ("vdsim_protocol.vds1.receiver:Receiver",),
        ("test_vds1_receiver.py::test_an_advisory_target_that_is_not_finite_is_unused",),
    ),
    Row(
        "STATE.vx_mps",
        "stale, frozen, jumps, wrong sign, not finite",
        "a standing car is taken for a moving one, or the reverse: PARK at speed, no stop",
        ("plausibility.watch:PlausibilityWatch", "values.vehicle:wheels_stand"),
        (
            "test_plausibility.py::test_a_lie_is_found_in_time",
            "test_plausibility.py::test_a_speed_of_zero_alone_unlocks_nothing",
        ),
        "wheel speeds and speed with the same error are believed",
    ),
    Row(
        "STATE.steering_tire_angle_applied_rad",
        "stale, frozen, wrong",
        "the limits are computed for a wrong angle",
        ("plausibility.watch:PlausibilityWatch", "pipeline.vehicle_watch:FollowingWatch"),
        (
            "test_plausibility.py::test_a_lie_is_found_in_time",
            "test_following_watch.py::test_a_frozen_report_is_found_after_the_window_and_the_time",
        ),
        "a wrong sign on a straight road shows nothing",
    ),
    Row(
        "STATE.pitch_rad STATE.wheel_spin_radps STATE.wheel_radius_nominal_m STATE.yaw_rate_radps",
        "frozen, wrong",
        "the acceleration loop compensates a slope or slip that is not there",
        (
            "plausibility.watch:PlausibilityWatch",
            "longitudinal.slip_cap:SlipCap",
        ),
        (
            "test_plausibility.py::test_a_lie_is_found_in_time",
            "test_slip_cap.py::test_a_wheel_sensor_that_dies_does_not_release_the_brake_for_long",
            "test_acceleration_loop.py::test_what_is_asked_for_is_got_on_any_slope",
        ),
        "the estimate is bounded by acceleration.estimate_max_mps2",
    ),
    Row(
        "STATE.throttle_applied STATE.brake_applied",
        "frozen, wrong",
        "a vehicle that follows is taken for one that does not, or the reverse",
        ("pipeline.vehicle_watch:FollowingWatch",),
        ("test_following_watch.py::test_each_channel_is_compared",),
    ),
    Row(
        "STATE.x_world_m STATE.y_world_m STATE.z_world_m STATE.roll_rad STATE.yaw_rad STATE.vy_mps "
        "STATE.vz_mps STATE.roll_rate_radps STATE.pitch_rate_radps STATE.ax_body_mps2 "
        "STATE.ay_body_mps2 STATE.tire_fz_n STATE.rack_torque_nm STATE.slip_ratio "
        "STATE.slip_angle_rad STATE.susp_compression_m STATE.m_ax_mps2 STATE.m_ay_mps2 "
        "STATE.m_yaw_rate_radps STATE.m_steer_rad STATE.m_gnss_x_m STATE.m_gnss_y_m "
        "STATE.tire_fx_n STATE.tire_fy_n",
        "wrong, frozen",
        "published as received; no command depends on it",
        ("vdsim_protocol.vds1.receiver:Receiver",),
        ("test_vds1_receiver.py::test_every_value_of_a_state_must_be_finite",),
        "the stack must judge it",
    ),
)
