"""Unsafe control actions, in the way of STPA: what is done, in which context, what must hold there.

Rows name properties: oracles of the simulator, which see bytes and motion, and formulas of the
exhaustive exploration. Seeds are those that found a defect of that property; the figure is that of
the goal. Each action has each of the four ways, or a sentence why that way harms nobody.
"""

from __future__ import annotations

from typing import NamedTuple

MISSING, GIVEN, MISTIMED, TOO_LONG = "missing", "given", "too early or late", "too long or weak"
WAYS = (MISSING, GIVEN, MISTIMED, TOO_LONG)
NO_HARM = ""


class Action(NamedTuple):
    """A control action: who gives it to whom."""

    name: str
    giver: str
    receiver: str
    feedback: str


class Unsafe(NamedTuple):
    """An action that harms in a context, and the properties that rule it out.

    `oracles` and `formulas` separated by blanks and commas; `goal` empty where the action harms
    nobody, and `context` says why.
    """

    action: str
    way: str
    context: str
    goal: str
    oracles: str = ""
    formulas: str = ""


ACTIONS = (
    Action("drive", "last gate", "vehicle", "speed, slip, applied pedals"),
    Action("brake", "last gate", "vehicle", "speed, slip, applied pedals"),
    Action("steer", "last gate", "vehicle", "wheel angle, yaw rate"),
    Action("gear and hand brake", "last gate", "vehicle", "reported gear, hand brake"),
    Action("send", "vehicle side or guard", "vehicle", "its reports"),
    Action("emergency stop", "person", "interface", "status, control source"),
    Action("engage", "person or stack", "interface", "mode, refusals with reasons"),
    Action("disengage", "person", "interface", "mode, refusals with reasons"),
    Action("show", "interface", "person and stack", "none"),
)

UNSAFE = (
    # ---- drive -----------------------------------------------------------------------------------
    Unsafe(
        "drive", MISSING, "all is healthy again, a person has engaged, the stack asks", "G21",
        "drives_again a_start_is_made_in_time who_may_drive_drives", "no dead end",
    ),
    Unsafe(
        "drive", TOO_LONG, "undisturbed, another speed or another jerk than what is asked for",
        "G21", "the_speed_is_the_one_that_is_asked_for it_stops_and_starts_without_a_jolt",
    ),
    Unsafe(
        "drive", GIVEN, "a stop stands: command or report stale, cabin open, emergency", "G3",
        "no_drive_in_a_stop", "no throttle in a stop, no throttle unsecured",
    ),
    Unsafe(
        "drive", GIVEN, "something ended the engagement, and nobody has engaged since", "G19",
        "no_drive_without_an_engagement",
    ),
    Unsafe(
        "drive", GIVEN, "a person or an emergency stop had the car, and it was not given back",
        "G18", "the_stack_waits_for_give_back a_lock_keeps_the_stack_out",
    ),
    Unsafe(
        "drive", GIVEN, "the vehicle's reports arrive late, for as long as they do", "G3",
        "late_reports_are_no_reports",
    ),
    Unsafe(
        "drive", GIVEN, "a packet or a report that was overtaken says so", "G15",
        "the_car_does_what_the_newest_packet_says an_overtaken_report_is_not_used",
    ),
    Unsafe("drive", GIVEN, "nobody asks to move", "G8", "", "no throttle unasked"),
    Unsafe(
        "drive", GIVEN, "a source that is not in command asks, or a stranger sends", "G15",
        "nobody_else_drives_the_car",
    ),
    Unsafe(
        "drive", GIVEN, "a source was lost in motion, or a page's button was held all the time",
        "G18", "after_a_loss_in_motion_lower_sources_wait a_button_that_was_held_moves_nothing",
    ),
    Unsafe(
        "drive", GIVEN, "a throttle was pressed before the dead-man button", "G18",
        "a_throttle_that_was_pressed_first_moves_nothing",
    ),
    Unsafe(
        "drive", GIVEN, "the selected one of two computers is dead", "G15",
        "nobody_drives_for_a_dead_computer",
    ),
    Unsafe(
        "drive", GIVEN, "another one of two computers is selected, and sends", "G15",
        "the_selected_computer_drives",
    ),
    Unsafe(
        "drive", GIVEN, "the frames on the CAN bus have not enabled the car", "G19",
        "without_enable_a_frame_asks_for_nothing",
    ),
    Unsafe(
        "drive", GIVEN, "the command is not finite or beyond the vehicle's ranges", "G2",
        "packets_are_in_range",
    ),
    Unsafe(
        "drive", GIVEN, "no gear to drive is engaged, or the hand brake is set", "G10",
        "no_drive_without_a_gear", "no throttle without drive",
    ),
    Unsafe("drive", GIVEN, "the car moves, and is braked", "G21", "no_two_pedals_in_motion"),
    Unsafe(
        "drive", GIVEN, "the owner of the car has fallen silent, and somebody else sends", "G15",
        "the_fail_safe_brakes_and_holds_the_wheels",
    ),
    Unsafe(
        "drive", TOO_LONG, "another acceleration than what is asked for, or a jolt", "G21",
        "the_acceleration_is_the_one_that_is_asked_for acceleration_rises_with_its_jerk",
    ),
    Unsafe(
        "drive", GIVEN, "raw pedals pass while a watchdog or an interlock blocks", "G6",
        "a_raw_command_passes_whole_or_not", "raw is blocked as a whole",
    ),
    Unsafe(
        "drive", GIVEN, "other pedals or wheels than those of the raw command", "G21",
        "raw_commands_drive_the_car a_raw_command_passes_whole_or_not",
    ),
    Unsafe(
        "drive", MISTIMED, "the safety stage has fallen silent", "G13", "a_silent_decider_is_a_stop"
    ),
    Unsafe(
        "drive", MISTIMED, "the shell before the guard has ended", "G13",
        "a_shell_that_ends_ends_autonomy_at_once",
    ),
    Unsafe(
        "drive", TOO_LONG, "commands stopped while the car stood, and come back", "G8",
        "silence_at_rest_ends_autonomy", "silence at rest",
    ),
    # ---- brake -----------------------------------------------------------------------------------
    Unsafe("brake", MISSING, "a stop stands and the car moves", "G1", "", "a stop brakes"),
    Unsafe(
        "brake", MISSING, "the stack asks to stand, in a drive forward or in reverse", "G11",
        "a_stop_that_is_asked_for_ends_at_rest",
    ),
    Unsafe(
        "brake", MISSING, "who drove by hand has fallen silent, or has let go", "G18",
        "a_source_that_is_lost_stops_the_car",
    ),
    Unsafe(
        "brake", MISSING, "the car stands or starts on a hill that tyres can hold", "G11",
        "the_car_does_not_roll_back",
    ),
    Unsafe(
        "brake", MISSING, "tyres cannot hold the car on the hill, and an emergency stop stands",
        "G18", "beyond_what_tyres_hold_it_brakes",
    ),
    Unsafe(
        "brake", TOO_LONG, "a stop, with load, on a slope or with weak brakes", "G1",
        "a_stop_reaches_its_deceleration",
    ),
    Unsafe(
        "brake", MISTIMED, "a stop for silence or an open door begins with a jolt", "G21",
        "a_safe_stop_grows_with_its_jerk",
    ),
    Unsafe(
        "brake", GIVEN, "in a stop, harder than the road allows without locked wheels", "G16",
        "a_stop_locks_no_wheel",
    ),
    Unsafe(
        "brake", GIVEN, "a stop for silence brakes harder than promised", "G21",
        "a_safe_stop_is_soft",
    ),
    Unsafe(
        "brake", MISTIMED, "a stop begins to brake later than the limit of jerk allows", "G1",
        "a_stop_begins_to_brake_in_time",
    ),
    Unsafe(
        "brake", TOO_LONG, "the car braked harder when the stop began", "G20", "no_stop_brakes_less"
    ),
    Unsafe(
        "brake", TOO_LONG, "a stop for silence or an open door ends before the car rests", "G6",
        "a_safe_stop_ends_at_rest",
    ),
    # ---- steer -----------------------------------------------------------------------------------
    Unsafe(
        "steer", MISSING, "a stop in a bend", "G1", "a_stop_keeps_the_wheels",
        "a stop holds the steering",
    ),
    Unsafe(
        "steer", GIVEN, "curvature trim or acceleration loop ask for more than the limits", "G23",
        "steering_keeps_its_rate",
    ),
    Unsafe(
        "steer", GIVEN, "to the opposite side of what the stack asks: a wrong sign", "G23",
        "the_car_turns_to_the_side_that_is_asked",
    ),
    Unsafe(
        "steer", GIVEN, "another angle than the one asked for, in an emergency stop too", "G23",
        "the_wheels_have_the_angle_that_is_asked",
    ),
    Unsafe(
        "steer", GIVEN, "a correction by the yaw rate of another direction", "G23",
        "a_bend_has_the_curvature_that_is_asked",
    ),
    Unsafe(
        "steer", GIVEN, "an angle that the wheels do not reach, further and further", "G23",
        "the_wheels_are_not_led_too_far",
    ),
    Unsafe(
        "steer", MISSING, "no command reaches the car in a bend", "G14",
        "the_fail_safe_brakes_and_holds_the_wheels",
    ),
    Unsafe(
        "steer", TOO_LONG, "an angle for which the car has become too fast", "G23",
        "lateral_acceleration_keeps_its_limit",
    ),
    Unsafe(
        "steer", MISTIMED, "the first packet after a stall, silence or an engagement", "G23",
        "no_packet_steers_a_step",
    ),
    Unsafe(
        "steer", MISTIMED, "another computer takes over in a bend", "G23",
        "a_hand_over_does_not_jump",
    ),
    Unsafe(
        "steer", TOO_LONG, "reports are stale, and the angle held is not the last one sent", "G3",
        "steering_keeps_its_rate",
    ),
    # ---- gear and hand brake ---------------------------------------------------------------------
    Unsafe(
        "gear and hand brake", MISSING, "a stop has held the car at rest", "G11", "",
        "a hold parks",
    ),
    Unsafe(
        "gear and hand brake", MISSING, "a stop has held the car at rest, and nobody acts", "G11",
        "a_stop_that_holds_the_car_parks_it whoever_holds_the_car_parks_it",
    ),
    Unsafe(
        "gear and hand brake", MISSING, "a gear that fits, or the hand brake, is asked for",
        "G21", "a_gear_that_is_asked_for_is_taken a_hand_brake_that_is_asked_for_is_set",
    ),
    Unsafe(
        "gear and hand brake", GIVEN, "a sender brakes, and asks for no other direction", "G10",
        "braking_never_ends_in_reverse no_gear_is_left_without_a_request",
    ),
    Unsafe(
        "gear and hand brake", TOO_LONG, "the hold ends before somebody asks to drive", "G11",
        "a_hand_brake_is_released_to_drive",
    ),
    Unsafe(
        "gear and hand brake", MISTIMED, "the gear has changed just now", "G10",
        "shifts_keep_their_time",
    ),
    Unsafe(
        "gear and hand brake", MISTIMED, "the car has come to rest just now, or not yet", "G10",
        "parked_only_after_a_rest",
    ),
    Unsafe(
        "gear and hand brake", GIVEN, "the car rolls", "G10", "no_hand_brake_at_speed",
        "gear interlocks",
    ),
    Unsafe(
        "gear and hand brake", MISTIMED, "a start before the hand brake is released or D engaged",
        "G10", "", "no throttle without drive",
    ),
    Unsafe(
        "gear and hand brake", TOO_LONG, "the stage that now drives does not release it",
        "G21", "drives_again",
    ),
    # ---- send ------------------------------------------------------------------------------------
    Unsafe(
        "send", MISSING, "the interface is gone: the vehicle's own fail-safe brakes", "G14",
        "the_car_brakes_without_packets the_fail_safe_begins_in_time",
    ),
    Unsafe(
        "send", MISTIMED, "the packet after a person's act is still of the command before", "G5",
        "the_next_packet_obeys",
    ),
    Unsafe(
        "send", MISSING, "autonomy ended without a person, or nobody is aboard", "G11",
        "a_hold_lasts_until_a_person_acts",
    ),
    Unsafe(
        "send", MISSING, "AUTONOMOUS is shown", "G4", "autonomous_means_that_packets_leave",
    ),
    Unsafe(
        "send", MISSING, "the process that drove has ended, and another has started", "G14",
        "a_new_process_holds_what_autonomy_drove",
    ),
    Unsafe(
        "send", GIVEN, "a person has the car (rig driver)", "G5",
        "a_person_who_has_the_car_has_it_alone a_new_process_leaves_a_person_alone", "silent rows",
    ),
    Unsafe(
        "send", GIVEN, "a stranger sends one of our messages on the CAN bus", "G15",
        "nobody_sends_beside_a_stranger",
    ),
    Unsafe(
        "send", GIVEN, "a frame that the car's checks reject: counter, checksum", "G4",
        "frames_count_and_are_protected",
    ),
    Unsafe(
        "send", MISTIMED, "the link is lost, and autonomy goes on", "G4",
        "a_lost_link_ends_autonomy", "link lost",
    ),
    Unsafe(
        "send", GIVEN, "our controller is off the CAN bus", "G4", "nothing_is_sent_off_the_bus",
    ),
    Unsafe(
        "send", TOO_LONG, "the bus or the car has a fault, and frames still drive", "G4",
        "a_fault_on_the_bus_ends_autonomy",
    ),
    Unsafe(
        "send", TOO_LONG, "for hours, until data kept for each message fills the memory", "G12",
        "memory_does_not_grow",
    ),
    Unsafe(
        "send", GIVEN, "nobody has asked for anything yet, and a driver is aboard", "G5",
        "nothing_is_sent_before_anybody_asks",
    ),
    Unsafe(
        "send", GIVEN, "a car on CAN that is not known to be the one of the file", "G4",
        "nothing_is_sent_to_a_car_that_is_not_known",
    ),
    Unsafe(
        "send", GIVEN, "packets that the vehicle rejects: number, stamp, version", "G15",
        "each_packet_has_the_next_number commands_have_the_version_of_the_reports",
    ),
    Unsafe(
        "send", MISTIMED, "frames more often or more rarely than their cycle", "G4",
        "frames_keep_their_cycle",
    ),
    Unsafe(
        "send", MISTIMED, "the vehicle's report is of another motion than its own", "G4",
        "reports_tell_the_motion",
    ),
    # ---- emergency stop --------------------------------------------------------------------------
    Unsafe(
        "emergency stop", MISSING, "asked for, in any mode, whoever else sends", "G17",
        "an_emergency_stop_brakes_hard",
    ),
    Unsafe(
        "emergency stop", MISSING, "asked for after a person used the controls of a car on CAN",
        "G17", "an_emergency_stop_is_sent",
    ),
    Unsafe(
        "emergency stop", GIVEN, "a stop that nobody needed: whoever sees the car may ask for one",
        NO_HARM,
    ),
    Unsafe(
        "emergency stop", MISTIMED, "asked for at speed", "G17", "a_stop_begins_to_brake_in_time"
    ),
    Unsafe(
        "emergency stop", TOO_LONG, "ended by anything but a release at rest", "G18",
        "an_emergency_stop_stands an_emergency_stop_ends_at_rest "
        "an_emergency_stop_is_reset_at_rest_only",
    ),
    # ---- engage ----------------------------------------------------------------------------------
    Unsafe(
        "engage", MISSING, "refused, and the person is not told why", "G21",
        "every_refusal_has_a_reason what_the_page_asks_is_answered",
    ),
    Unsafe(
        "engage", MISSING, "refused, or `give_back` without effect, and nothing forbids it", "G21",
        "engaging_is_refused_for_a_reason_that_is_there an_accepted_request_leads_to_autonomy "
        "giving_back_is_refused_for_a_reason_that_is_there",
    ),
    Unsafe(
        "engage", MISTIMED, "`auto_engage` tries again at once, or when a door closes", "G19",
        "auto_engage_engages_where_it_may a_door_that_closes_is_no_request_to_drive",
    ),
    Unsafe(
        "engage", GIVEN, "a precondition is missing, or nobody has asked", "G6", "",
        "preconditions, only when asked",
    ),
    Unsafe(
        "engage", GIVEN, "an emergency stop, an open door, no reports, a person at the switch, or "
        "a request that waited in a process that did not run", "G18",
        "nobody_engages_against_what_forbids_it",
    ),
    Unsafe(
        "engage", MISTIMED, "the cause of a stop has just gone", "G19",
        "no_drive_without_an_engagement",
    ),
    Unsafe(
        "engage", MISTIMED, "autonomy begins before the vehicle answers, or without a command",
        "G8", "a_handshake_ends_and_needs_both_sides",
    ),
    Unsafe(
        "engage", TOO_LONG, "a person has taken over, and an old request still stands", "G5", "",
        "a person keeps the car",
    ),
    Unsafe(
        "engage", MISTIMED, "a car on CAN is enabled before its override is cleared", "G5",
        "the_car_is_enabled_in_two_frames",
    ),
    # ---- disengage -------------------------------------------------------------------------------
    Unsafe(
        "disengage", MISSING, "a person uses pedal, wheel or switch", "G5",
        "a_person_at_the_controls_drives", "a person at once",
    ),
    Unsafe(
        "disengage", MISSING, "a car on CAN has ended automatic driving by itself", "G5",
        "autonomous_means_that_the_car_is_driven",
    ),
    Unsafe(
        "disengage", GIVEN, "what happened lasts less long than what ends autonomy", "G21",
        "autonomy_ends_for_a_reason",
    ),
    Unsafe(
        "disengage", MISSING, "a door is open, and the car stands", "G6",
        "an_open_door_at_rest_ends_autonomy",
    ),
    Unsafe(
        "disengage", GIVEN, "an emergency stop stands", "G18", "an_emergency_stop_stands"
    ),
    Unsafe(
        "disengage", GIVEN, "a car on CAN is given up although nothing is wrong", "G21",
        "the_car_is_let_go_for_a_reason",
    ),
    Unsafe(
        "disengage", MISTIMED, "at speed: what is shown and what is sent differ for a while", "G5",
        "shown_is_what_is_done", "commands pass in autonomy only",
    ),
    Unsafe(
        "disengage", TOO_LONG, "it lasts until somebody engages, which is what was asked for",
        NO_HARM,
    ),
    # ---- show ------------------------------------------------------------------------------------
    Unsafe(
        "show", MISSING, "a refusal without words leaves a person to try again", "G21",
        "every_refusal_has_a_reason",
    ),
    Unsafe(
        "show", MISSING, "a stop or a stall whose cause nobody is told", "G21", "each_stop_is_told",
    ),
    Unsafe(
        "show", MISSING, "the event log lacks a change of mode, or a line of it was altered", "G22",
        "each_transition_is_one_record the_event_log_is_one_chain who_commands_is_in_the_event_log",
    ),
    Unsafe(
        "show", MISTIMED, "a packet leaves before the event log explains it", "G22",
        "no_packet_is_ahead_of_the_event_log",
    ),
    Unsafe(
        "show", GIVEN, "a source is shown in command that has long been silent", "G22",
        "who_is_shown_to_command_sends who_has_fallen_silent_commands_no_more",
    ),
    Unsafe(
        "show", GIVEN, "another source than the highest one that sends is in command", "G22",
        "the_highest_source_commands",
    ),
    Unsafe(
        "show", TOO_LONG, "AUTONOMOUS after its end, and nobody has engaged", "G5",
        "autonomy_is_shown_only_after_an_engagement",
    ),
    Unsafe(
        "show", MISTIMED, "AUTONOMOUS after the vehicle's reports have ended", "G4",
        "a_lost_link_ends_autonomy",
    ),
    Unsafe(
        "show", MISSING, "the car stops for missing commands, and its hazard lamps are dark", "G22",
        "hazard_lamps_flash_in_a_stop",
    ),
    Unsafe(
        "show", TOO_LONG, "hazard lamps flash, and autonomy drives on", "G22",
        "hazard_lamps_end_with_the_stop",
    ),
    Unsafe(
        "show", MISSING, "a turn signal that is asked for, after a stop too", "G22",
        "the_turn_signal_is_the_one_that_is_asked",
    ),
    Unsafe(
        "show", GIVEN, "another mode than the one that follows by the table", "G22",
        "each_mode_follows_as_the_table_says",
    ),
    Unsafe(
        "show", GIVEN, "the event log names what has not happened, or lacks an emergency stop",
        "G22", "what_ended_autonomy_is_in_the_event_log an_emergency_stop_is_in_the_event_log",
    ),
    Unsafe(
        "show", TOO_LONG, "a mode without driving is shown while packets drive", "G5",
        "shown_is_what_is_done the_status_says_no_mode_that_is_over",
    ),
)  # fmt: skip
