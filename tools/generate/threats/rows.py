"""Every way in: who may use it, what is checked, what is not protected, and the tests.

One row an entry. `where`: modules that open it, by file below src/<package>/ without `.py`; a test
finds every module that opens one and refuses it without a row. `tests`: `file.py::function`, names
of test files are unique, or `lane:NAME`. `attacks`: the kinds of an attack run that try it, with
counts in attacks.json.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A way in."""

    name: str
    listens: str
    who: str
    checked: str
    not_protected: str
    where: tuple[str, ...]
    tests: tuple[str, ...]
    attacks: tuple[str, ...] = ()


_LOOPBACK = "loopback, unless an option names another address"
_DOMAIN = (
    "this machine alone with `ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST`: 127.0.0.1 on Fast DDS, a "
    "filter on Cyclone DDS"
)
_NO_PROOF = "no proof of the source address: who forges it on the same network is not told apart"
_NO_WALL = (
    "; a flood from the owner's own address and port is read, as one at a port without an owner"
)
_ANYBODY = "every participant of the domain"

DATAGRAMS = (
    Entry(
        "CMD of VDS1, UDP 7001 (the plant)",
        _LOOPBACK,
        "the address that opened the session, or those of `allow_from`",
        "length, magic, version, type, CRC, source, vehicle, sequence, stamp, every value finite; "
        "limited to the car's range; the owner keeps the car until it is silent and the car "
        "stands; in a flood the kernel discards what is not the owner's",
        _NO_PROOF + _NO_WALL,
        ("vdsim_plant_node/live/udp_sockets",),
        (
            "test_vds1_golden.py::test_every_single_bit_flip_is_rejected",
            "test_vds1_receiver.py::test_every_reason_is_provoked_counted_and_changes_nothing",
            "test_server_owner.py::test_a_stranger_never_moves_a_driven_car",
            "test_server_owner.py::test_a_stranger_buys_no_states",
            "test_server_robust.py::test_a_flood_does_not_stop_the_car",
            "test_flood_watch.py::test_the_same_packets_are_accepted_with_the_wall_as_without",
            "test_server_owner.py"
            "::test_a_flood_of_strangers_is_discarded_unread_while_the_owner_drives",
        ),
        ("plant-datagrams", "floods"),
    ),
    Entry(
        "the vehicle's reports: STATE of VDS1 (UDP 7002), MORAI's status, AutoHYU's plant",
        _LOOPBACK,
        "`plant_host`, from one port at a time",
        "as CMD; then plausibility against physics and the other reports",
        _NO_PROOF
        + _NO_WALL
        + " and at MORAI's ports; MORAI's messages have no checksum, counter or stamp that is "
        "checked",
        ("vdsim_interface/platforms/endpoints",),
        (
            "test_vds1_receiver.py::test_source_is_checked_after_the_crc_and_before_the_vehicle",
            "test_vds1_sequence.py::test_the_stamp_tells_a_late_zero_from_a_restart",
            "test_morai_tables.py::test_decode_never_raises",
            "test_addresses.py::test_only_a_packet_that_is_accepted_is_published",
            "test_endpoints.py"
            "::test_a_flood_of_others_is_discarded_unread_until_the_peer_is_silent",
            "test_guard_loop.py"
            "::test_a_flood_that_is_discarded_does_not_hide_that_the_peer_is_silent",
        ),
        ("interface-datagrams", "floods"),
    ),
    Entry(
        "the fault relay (`vdsim_chaos`), data and control",
        _LOOPBACK,
        "every sender that reaches it",
        "orders are JSON of known keys within their ranges; the answer goes to the sender",
        "everything else: it is a tool for tests, and for the plant all senders are one",
        ("vdsim_protocol/cli/chaos",),
        (
            "test_relay.py::test_bad_requests_are_answered_with_the_error",
            "test_chaos_command.py::test_an_order_that_cannot_be_answered_stops_nothing",
        ),
    ),
    Entry(
        "the MORAI emulator",
        _LOOPBACK,
        "every sender that reaches it",
        "length, marks and values of each message",
        "everything else: it is a tool for tests",
        ("vdsim_plant_node/morai/emulator",),
        ("test_world.py::test_no_datagram_stops_it_or_what_it_says",),
    ),
)
ROS = (
    Entry(
        "discovery and the middleware's sockets",
        _DOMAIN + "; else every address",
        _ANYBODY,
        "by the middleware alone; where it has security, certificates and permissions of "
        "[`./ws secure`](secure.md)",
        "a participant is not asked who it is ([where the middleware has no security]"
        "(secure.md#where-the-middleware-has-none)); a request of another vendor may be misread, "
        "and allocate up to `process.data_growth_mb`; programs that are not ours are open on all "
        "addresses on Cyclone DDS",
        (),
        (
            "test_loopback_range.py::"
            "test_a_peer_on_another_host_neither_hears_nor_reaches_a_node_on_loopback",
            "test_loopback_range.py::"
            "test_a_users_node_with_all_defaults_drives_a_node_of_ours_on_loopback",
            "test_loopback_range.py::"
            "test_a_filtered_socket_hears_this_machine_by_every_address_and_no_other",
            "lane:vendors",
            "lane:secure",
            "test_loopback.py::test_every_socket_that_a_node_opens_has_the_filter",
            "test_loopback.py::test_an_address_that_others_reach_is_said",
            "test_memory_limit.py::"
            "test_a_request_that_takes_the_memory_stops_the_car_and_keeps_it_stopped",
        ),
    ),
    Entry(
        "command topics of the interface, its mux, adapters and stages",
        _DOMAIN,
        "every publisher; two on one topic are named in /diagnostics",
        "size before decoding, every value finite and within limits, age by arrival, level; then "
        "the safety rules and the gate, on whatever is sent",
        "who publishes: a participant of the domain drives the car within its limits",
        (
            "vdsim_interface/extras/mux/nodes/command_mux",
            "vdsim_interface/nodes/interface_node",
            "vdsim_interface/extras/stages/nodes/low_pass_filter",
            "vdsim_interface/extras/stages/nodes/platform_interface",
            "vdsim_interface/extras/stages/nodes/safety_state_machine",
            "vdsim_interface/extras/stages/nodes/velocity_controller",
            "vdsim_interface/extras/adapters/ros/node",
            "vdsim_interface/extras/redundancy/ros/switcher",
            "vdsim_interface/ros/command_topics",
            "vdsim_interface/extras/stages/ros/front_stage_node",
            "vdsim_interface/ros/modes/twin",
            "vdsim_interface/ros/stage_node",
        ),
        (
            "test_hostile_messages.py::"
            "test_a_list_of_many_texts_is_discarded_and_the_next_message_is_heard",
            "test_gate.py::"
            "test_what_is_sent_is_finite_in_range_and_without_drive_where_none_is_allowed",
        ),
        ("messages",),
    ),
    Entry(
        "stops: `emergency_stop`, locks, Joy",
        _DOMAIN,
        "every publisher may stop the car; none resets a stop",
        "a stop acts whatever else its message holds or is followed by; a gamepad that cannot be "
        "read lets go of the car",
        "who stops the car again and again keeps it from driving",
        (
            "vdsim_interface/extras/teleop/nodes/gamepad_teleop",
            "vdsim_interface/extras/teleop/nodes/keyboard_teleop",
            "vdsim_interface/extras/teleop/ros/teleop_node",
        ),
        (
            "test_hostile_messages.py::test_a_stop_is_heard_among_what_cannot_be_read",
            "test_gamepad_node.py::test_a_pad_that_cannot_be_read_stops_the_car",
            "test_stops_by_topic.py::test_one_true_acts_among_the_false_messages_of_another_sender",
            "test_stop_inputs.py::test_the_stop_button_of_a_gamepad_acts_in_every_message",
        ),
    ),
    Entry(
        "requests of a mode: `change_mode`, `give_back`, the lifecycle",
        _DOMAIN,
        "every caller",
        "`check` of each request; engaging has conditions; `give_back` only at standstill",
        "who calls",
        (
            "vdsim_interface/ros/intake_port",
            "vdsim_interface/ros/safety_port",
        ),
        ("test_request_checks.py::test_check_is_first_and_has_the_default_that_counts",),
    ),
    Entry(
        "parameter services",
        _DOMAIN + "; off where the process sends to a vehicle ([guard.md](guard.md))",
        "every caller",
        "counts, lengths and types before anything is converted; ranges of every parameter; what "
        "is safety's is frozen while active",
        "who calls: limits may be changed within their ranges while the car is not active",
        (),
        (
            "test_every_node.py::test_a_program_offers_what_the_table_says_and_survives_a_stranger",
            "test_parameter_requests.py::test_whatever_a_hook_raises_is_an_answer",
            "test_parameter_limits.py::"
            "test_what_is_too_small_or_too_large_is_refused_with_the_rule",
        ),
        ("parameters",),
    ),
    Entry(
        "components: `load_node` of `component_container`",
        "off unless `process.component_services`",
        "every caller",
        "installed packages with an entry point alone; not while autonomy drives",
        "a component is code of the installation: in its process it may do everything",
        ("vdsim_interface/extras/stages/ros/container_node",),
        (
            "test_component_container.py::test_without_the_argument_there_is_no_service",
            "test_components.py::test_a_hostile_request_is_one_short_line_and_leaves_no_node",
        ),
    ),
    Entry(
        "Autoware's topics and services",
        _DOMAIN,
        _ANYBODY,
        "every value finite; stamps of requests; a rate; then as the interface's commands",
        "who publishes",
        (
            "vdsim_autoware/nodes/planning_simulator",
            "vdsim_autoware/nodes/autoware_interface",
            "vdsim_autoware/adapter/ros/actuation",
            "vdsim_autoware/adapter/ros/deferred_service",
            "vdsim_autoware/adapter/ros/emergency",
        ),
        (
            "test_every_node.py::test_a_program_offers_what_the_table_says_and_survives_a_stranger",
            "test_autoware_adapter.py::test_a_number_that_is_not_finite_is_discarded_and_reported",
            "test_autoware_emergency.py::test_among_whatever_else_arrives_it_acts",
        ),
    ),
    Entry(
        "AutoHYU's topics, MORAI's services, the simulated localization",
        _DOMAIN,
        _ANYBODY,
        "every value finite; the bridge brakes when a topic is silent",
        "who publishes or calls",
        (
            "vdsim_interface/extras/autohyu/nodes/autohyu_bridge",
            "vdsim_interface/extras/morai/nodes/morai_bridge",
            "vdsim_autoware/nodes/simulated_localization",
        ),
        ("test_autohyu_stack.py::test_one_bad_steer_in_a_bend_does_not_move_the_car_off_its_path",),
    ),
    Entry(
        "the plant's services, `set_fault` of `link_faults`",
        _DOMAIN,
        "every caller",
        "values and names; they move a simulated car alone",
        "who calls: the simulated car may be reset while it is driven",
        ("vdsim_interface/extras/link_faults/nodes/link_faults", "vdsim_plant_node/ros/node"),
        ("test_every_node.py::test_a_program_offers_what_the_table_says_and_survives_a_stranger",),
    ),
    Entry(
        "what the plant's page shows of the vehicle interface",
        _DOMAIN,
        _ANYBODY,
        "it is shown as text; the page's requests are judged by the interface itself",
        "a participant may show the page anything, and a confirmation of a stop that is none",
        ("vdsim_plant_node/ros/interface_link",),
        (
            "test_plant_node_http.py::"
            "test_the_page_hears_the_interface_stops_it_and_passes_requests_on",
        ),
    ),
    Entry(
        "what `vdsim_autoware_conformance` listens to",
        _DOMAIN,
        _ANYBODY,
        "it judges what it sees; it drives the car that it is started for, as Autoware does",
        "a participant may show it anything; whoever may start it may drive the car",
        ("vdsim_autoware/conformance/ros/driver",),
        ("test_conformance_node.py::test_a_sound_vehicle_interface_on_a_real_graph_has_no_fault",),
    ),
    Entry(
        "what `vdsim_doctor` and `vdsim_why` listen to",
        _DOMAIN,
        _ANYBODY,
        "they show, and command nothing",
        "a participant may show them anything",
        (
            "vdsim_interface/extras/explain/cli/explain",
            "vdsim_interface/extras/doctor/ros/hearing",
            "vdsim_interface/extras/doctor/ros/observer",
        ),
        ("test_live_doctor_command.py::test_a_car_that_nobody_commands",),
    ),
    Entry(
        "the tape of the interface: a local socket of `vdsim_record`",
        "a Unix socket in a folder of this user",
        "processes of this user, and root",
        "the folder's owner and mode; packets are kept as they came, and decoded by a replay alone",
        "a process of this user may write a tape of its own",
        ("vdsim_record/tape/receiving",),
        ("test_tape_socket.py::test_what_a_process_writes_arrives_in_order",),
    ),
    Entry(
        "the event log (`event_log:=`)",
        "a file of this user, mode 600",
        "its writer, and root",
        "each line has the hash of the line before; a file of another kind is left as it is",
        "who may write the file may replace all of it, or cut off its end",
        (),
        (
            "test_event_log.py::test_a_chain_that_was_changed_is_told_by_line",
            "test_event_log.py::test_a_file_of_another_kind_is_refused",
        ),
    ),
    Entry(
        "what `vdsim_record` records",
        _DOMAIN,
        _ANYBODY,
        "bytes are kept as they came; the recorder decodes none and publishes nothing",
        "a participant may fill the disk, and messages that cannot be read are in the file",
        ("vdsim_record/ros/recorder",),
        ("test_recorder.py::test_what_is_published_is_in_the_file",),
    ),
)
PAGES = (
    Entry(
        "the data port: HTTP",
        "loopback; elsewhere only with a token",
        "whoever reaches it and has the token, while no CMD packet is fresh",
        "Host, Origin and Sec-Fetch-Site, token, length before reading, JSON by schema, rate, 128 "
        "connections",
        "no TLS: on another address the token is readable on the way",
        (
            "vdsim_plant_node/dataport/app",
            "vdsim_plant_node/dataport/front",
            "vdsim_plant_node/dataport/service",
        ),
        (
            "test_admission.py::test_a_foreign_origin_is_refused",
            "test_admission.py::test_without_the_token_nothing_is_served",
            "test_rude_requests.py::test_silent_connections_keep_nobody_out",
            "test_http.py::test_a_flood_is_slowed_down_and_the_plant_goes_on",
        ),
        ("http",),
    ),
    Entry(
        "the data port: WebSocket of the page that drives",
        "as HTTP",
        "one page at a time; every page stops the car",
        "as HTTP; length, fields and rate of each message; silence lets go of the car",
        "as HTTP",
        (),
        (
            "test_drive_socket.py::test_strangers_are_not_let_in",
            "test_drive_socket.py::test_a_flood_of_commands_is_cut_off",
            "test_drive_socket.py::test_what_is_wrong_is_named_and_does_not_drive",
        ),
        ("websocket",),
    ),
    Entry(
        "the page: the emergency stop (`POST /api/stop`)",
        "as HTTP",
        "whoever sees the page, driving or not, whoever drives",
        "as HTTP; nothing in its body is judged but the vehicle's number; a rate of its own, so "
        "that no flood of other requests takes it away",
        "who stops: a program of this machine, or one with the token, can keep the car standing",
        (),
        (
            "test_interface_http.py::test_a_stop_acts_whatever_is_in_its_body",
            "test_interface_http.py::test_a_stop_from_a_foreign_page_is_refused",
            "test_interface_http.py::test_a_flood_of_other_requests_takes_no_stop_away",
            "test_page_interface.py::test_who_only_watches_stops_by_a_tap_of_backspace",
        ),
    ),
    Entry(
        "the page: engage, disengage, give back (`POST /api/interface`)",
        "as HTTP",
        "on loopback every program of this machine, elsewhere whoever has the token",
        "as HTTP; the request by name; the interface decides, as for its services",
        "who asks: whoever may drive from the page may engage",
        (),
        (
            "test_interface_http.py::test_a_wrong_request_reaches_nobody",
            "test_interface_http.py::"
            "test_a_port_with_a_token_engages_and_stops_for_nobody_without_it",
        ),
    ),
    Entry(
        "the page of a replay",
        "loopback",
        "whoever reaches it",
        "as HTTP; it reads, and moves nothing",
        "the recording is shown to every user of the machine",
        ("vdsim_plant_node/replay/app",),
        ("test_replay_page.py::test_the_run_is_described_and_strangers_are_not_let_in",),
    ),
)
MACHINE = (
    Entry(
        "the guard's socket",
        "a Unix socket, mode 600 in a folder of mode 700",
        "one shell of the same user",
        "the user at the other end, one peer, version, counter, age, CRC, every value",
        "another process of the same user, and root",
        ("vdsim_interface/guard/local_socket",),
        (
            "test_guard_process.py::test_a_folder_that_others_can_enter_is_refused",
            "test_guard_process.py::test_a_second_shell_is_refused_while_the_first_sends",
            "test_frames.py::test_no_bytes_raise",
        ),
        ("guard",),
    ),
    Entry(
        "an FMU as the car (`--fmu`)",
        "a file that the user names on the command line",
        "the user of the server; neither a recording, a scenario nor the page can name one",
        "size and number of its members, encryption, compression, names inside the folder, "
        "description; a library that is truncated is not loaded, one that crashes ends its own "
        "process, one that does not return is ended with it",
        "a library is code: it may do what the user may",
        ("vdsim_plant/fmu_import/binding",),
        (
            "test_hostile_fmus.py::test_a_hostile_fmu_is_one_line_and_leaves_nothing",
            "test_hostile_fmus.py::test_a_truncated_library_is_named_before_it_is_loaded",
            "test_hostile_fmus.py::test_a_library_that_ends_its_process_ends_no_other",
            "test_hostile_fmus.py::test_a_library_that_does_not_return_is_ended_with_its_process",
            "test_foreign_fmu.py::test_files_stay_inside_the_folder_and_the_folder_goes",
            "test_imported_car.py::test_the_dashboard_cannot_name_one",
        ),
    ),
    Entry(
        "files: cars, roads, scenarios, sweeps, settings, parameters, mappings, logs, maps",
        "files that the user names",
        "their writer",
        "regular file, size before reading, depth, types, names and ranges; one line names the "
        "file, the key and the value",
        "a file decides what the car is: read it before you use one of somebody else",
        (),
        (
            "test_file_readers.py::test_no_module_reads_a_file_of_a_user_in_another_way",
            "test_file_readers.py::test_no_file_makes_a_traceback",
            "test_file_readers.py::test_what_never_ends_is_refused_at_once",
            "test_hostile_files.py::test_a_hostile_file_is_one_line_that_names_it",
        ),
        ("files",),
    ),
    Entry(
        "recordings and captures",
        "files that the user names",
        "their writer",
        "length and CRC of each record, metadata",
        "a recording proves its bits by a hash, not its author",
        (),
        (
            "test_replay.py::test_records_of_nonsense_with_a_right_crc_are_one_line",
            "test_capture.py::test_rubbish_in_a_capture_never_raises_anything_else",
        ),
    ),
    Entry(
        "compiled code of the plant (the cache of numba)",
        "a folder of the user",
        "the user",
        "owner and permissions of the folder and of those above",
        "another process of the same user, and root",
        (),
        ("test_code_cache.py::test_a_folder_that_everybody_may_write_to_is_not_used",),
    ),
    Entry(
        "the cluster of a sweep (Dask)",
        "loopback, with TLS and a certificate of the run's own",
        "its own workers",
        "certificates at both ends",
        "`--scheduler` uses a cluster of the user's, which runs code of whoever reaches it",
        ("vdsim_plant/study/sweep/cluster",),
        ("lane:cluster", "test_sweep_runs.py::test_a_wrong_option_is_one_line"),
    ),
)
GROUPS = {
    "datagram entries": DATAGRAMS,
    "ROS entries": ROS,
    "page entries": PAGES,
    "machine entries": MACHINE,
}
"""The tables of the page."""
NO_ENTRY = {
    "vdsim_protocol/checked_node": "the base through which every subscription of ours goes",
    "vdsim_protocol/contract_ports": "holds port numbers for a moment, and receives nothing",
    "vdsim_record/cli/killing/drives": "finds free port numbers, and receives nothing",
}
"""Modules that open a socket which is no way in, with the reason."""
