"""FMEA by process: what the crash, the freeze and the stall of each does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generate.paths import ROOT
from generate.safety_case.rows import Row

_ENTRY = re.compile(r'^ +"(\w+) = [\w.]+:\w+",$', re.MULTILINE)


def processes() -> Iterator[str]:
    """Every program that the packages install, from their setup.py."""
    for setup in sorted((ROOT / "src").glob("*/setup.py")):
        _, _, scripts = setup.read_text(encoding="utf-8").partition('"console_scripts"')
        yield from _ENTRY.findall(scripts.partition("]")[0])


_STALE = "safety.stops:standing_stops"
PROCESSES = (
    Row(
        "vehicle_guard",
        "crash, freeze",
        "no more packets",
        (
            "vdsim_plant.realtime.failsafe:FailsafePolicy",
            "ros.process.session_record:SessionRecord",
        ),
        (
            "test_guard_process.py::test_a_killed_guard_is_reported_and_its_successor_is_set_up_by_the_shell",
            "test_server_drive.py::test_drive_silence_failsafe_resume",
        ),
        "the vehicle's own fail-safe is blind: a fixed brake, on any slope and friction",
    ),
    Row(
        "guarded_interface",
        "crash, freeze, garbage, memory",
        "the guard receives no fresh commands",
        ("guard.session:ShellSession",),
        (
            "test_guard_process.py::test_a_killed_shell_is_stopped_for_and_its_successor_engages_again",
            "test_guard_process.py::test_a_frozen_shell_is_a_stale_command",
        ),
    ),
    Row(
        "vehicle_interface component_container",
        "crash, freeze, memory",
        "no more packets; safety shares process and interpreter with ROS",
        (
            "vdsim_plant.realtime.failsafe:FailsafePolicy",
            "ros.process.limits:ProcessParameters",
            "extras.stages.ros.container:Container",
        ),
        (
            "test_restarts.py::test_killed_processes_are_started_again_while_the_plant_lives",
            "test_process_limits.py::test_an_allocation_beyond_the_limit_fails_and_the_process_goes_on",
            "test_component_container.py::test_a_callback_that_fails_ends_the_process_with_a_safe_command",
        ),
        "no freedom from interference, least with components of other packages: use "
        "`composition:=guarded` for a real vehicle",
    ),
    Row(
        "velocity_controller low_pass_filter",
        "crash, freeze",
        "the safety stage receives no commands",
        (_STALE,),
        ("test_compositions.py::test_every_composition_closes_the_same_loops",),
    ),
    Row(
        "safety_state_machine",
        "crash, freeze",
        "no more safe commands",
        ("extras.stages.staged_vehicle:StagedVehicleSide.safety_is_silent",),
        ("test_platform_node.py::test_a_silent_safety_stage_is_brake_in_reverse_gear_too",),
        "the car stops at full deceleration at once, steering held; the brake alone holds it "
        "until a restarted stage adds hand brake and PARK, and a frozen stage is not restarted",
    ),
    Row(
        "platform_interface morai_bridge",
        "crash, freeze",
        "no more packets",
        ("vdsim_plant.realtime.failsafe:FailsafePolicy",),
        ("test_server_drive.py::test_drive_silence_failsafe_resume",),
        "MORAI SIM has no documented fail-safe of its own",
    ),
    Row(
        "command_mux",
        "crash, freeze, a source dies",
        "no command, or the next source's",
        (_STALE, "arbitration.mux:CommandMux"),
        ("test_mux.py::test_when_the_last_source_dies_the_mux_stops_the_car_and_holds_it",),
    ),
    Row(
        "gamepad_teleop keyboard_teleop joy_device",
        "crash, freeze, device unplugged, terminal lost",
        "no more commands of the person",
        (
            _STALE,
            "pipeline.intake:Intake",
            "arbitration.give_back:GiveBack",
            "teleop.driver:Driver",
        ),
        (
            "test_give_back.py::test_autonomy_waits_after_a_person_drove_and_let_go",
            "test_intake.py::test_a_joy_that_is_no_joy_is_a_released_dead_man_button",
            "test_gamepad.py::test_unplugging_stops_at_once_and_lets_go_of_the_horn",
            "test_keyboard.py::test_losing_the_terminal_stops_the_car_and_then_the_node_may_end",
        ),
    ),
    Row(
        "autohyu_bridge vdsim_autohyu_ros1",
        "crash, freeze, a topic is stale",
        "no more commands",
        ("extras.autohyu.bridge:AutohyuBridge",),
        (
            "test_bridge.py::test_a_stale_topic_brakes_moderately_and_holds_the_steering",
            "test_autohyu_ros1.py::test_silent_topics_brake_and_mark_the_mode",
        ),
    ),
    Row(
        "autoware_interface",
        "crash, freeze, Autoware is silent",
        "no more commands",
        (_STALE,),
        ("test_autoware_adapter.py::test_a_silent_stack_is_left_to_the_interfaces_time_out",),
    ),
    Row(
        "twist_adapter ackermann_adapter",
        "crash, freeze, the stack is silent, numbers that no car can follow",
        "no more commands, or one within the limits",
        (_STALE, "extras.adapters.motion:MotionAdapter"),
        (
            "test_motion_adapter.py::test_whatever_arrives_the_command_is_within_the_limits",
            "test_motion_adapter.py::test_turning_on_the_spot_is_refused_and_the_car_stands",
        ),
    ),
    Row(
        "simulated_localization",
        "any",
        "no pose for Autoware, whose commands end then; the interface does not use that pose",
        (_STALE,),
        ("test_autoware_adapter.py::test_a_silent_stack_is_left_to_the_interfaces_time_out",),
        "stands in for a localization stack beside the simulated car",
    ),
    Row(
        "planning_simulator",
        "any",
        "Autoware's simulated car is gone, with its interface; no real vehicle is behind it",
        ("vdsim_autoware.simulator:PlanningSimulator",),
        ("test_planning_simulator.py::test_commands_that_end_stop_the_car_which_stays_engaged",),
    ),
    Row(
        "link_faults vdsim_chaos",
        "crash, freeze",
        "the link through the relay is cut, as when it is lost",
        ("safety.stops:standing_stops",),
        ("test_link_faults_node.py::test_a_relay_that_is_gone_is_said",),
        "for tests of the link, not for a car",
    ),
    Row(
        "vdsim_realtime plant morai_emulator vdsim_can_car",
        "crash, freeze, stall",
        "no more reports, like a silent vehicle",
        ("safety.stops:standing_stops", "safety.modes:MODE_TABLE"),
        ("test_stage_watchdogs.py::test_the_link_goes_stale_then_counts_as_lost",),
    ),
    Row(
        "vdsim_calibrate vdsim_platform vdsim_why vdsim_status vdsim_explain vdsim_doctor "
        "vdsim_gamepad "
        "vdsim_replay vdsim_plot vdsim_vehicle vdsim_manoeuvre vdsim_pedal_sweep vdsim_torque_map "
        "vdsim_acceptance vdsim_dump vdsim_fmu vdsim_identify vdsim_sweep "
        "vdsim_autoware_conformance vdsim_facts vdsim_can vdsim_record vdsim_record_kills",
        "any",
        "none: people run these programs, no drive depends on them",
    ),
)
