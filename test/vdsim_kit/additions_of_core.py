"""Additions to the core of the interface, to its pages, the simulator and the campaign."""

from __future__ import annotations

from vdsim_kit.additions import INTERFACE, Addition, Put

_SPEEDS = f"{INTERFACE}/values/speeds.py"
_SAFETY = f"{INTERFACE}/safety"
_SAFETY_TESTS = "src/vdsim_interface/test/safety"
_CAR = "src/vdsim_can/vdsim_can/car/checks.py"
_CAR_TESTS = "src/vdsim_can/test/test_car_file.py"
_CAN = "src/vdsim_can/vdsim_can/platform"
_WHY = "src/vdsim_protocol/vdsim_protocol/why/causes.py"
_WHY_TESTS = "src/vdsim_protocol/test/test_why.py"
_TASKS = "src/vdsim_plant/vdsim_plant/study/tasks/catalogue.py"
_REPORTS = "src/vdsim_interface/test/pipeline/test_reports.py"
_LIVE = "src/vdsim_interface/test/pipeline/test_live_parameters.py"
_LIVE_TEST = f"{_LIVE}::test_a_change_while_active_is_as_good_as_one_before"
_YAML = "src/vdsim_interface/config/vehicle_interface.yaml"
_EVENTS = f"{INTERFACE}/extras/events"
_EVENT_TESTS = "src/vdsim_interface/test/extras/events/test_event_log.py"
_STOP_TESTS = "src/vdsim_interface/test/teleop/test_stop_inputs.py"
_CAMPAIGN = "campaign/vdsim_campaign"


OF_CORE = (
    Addition(
        "a safety rule",
        (
            Put(f"{_SAFETY}/rules.py", "NoticeKind, RawCommand, Severity", "Gear, "),
            Put(
                f"{_SAFETY}/rules.py",
                "def no_throttle(",
                "def gentle_reverse(motion: MotionCommand, context: RuleContext, limits: Limits) "
                "-> MotionCommand:\n"
                '    """Drive backwards with a small acceleration."""\n'
                "    most = 0.5 * limits.accel_max_mps2\n"
                "    gentle = context.gear is not Gear.REVERSE or motion.drive_mps2 <= most\n"
                "    return motion if gentle else motion._replace(drive_mps2=most)\n\n\n",
            ),
            Put(
                f"{_SAFETY}/rules.py",
                '    Rule(\n        NoticeKind("hand_brake_set"',
                '    Rule(\n        NoticeKind("gentle_reverse", _INFO, "it is limited"),\n'
                '        gentle_reverse,\n        off="it gains speed as forwards",\n'
                "    ),\n",
            ),
            Put(
                f"{_SAFETY_TESTS}/test_safety_rules.py",
                '        "hand_brake_set",\n        "gear_no_drive",\n',
                '        "gentle_reverse",\n',
            ),
            Put(
                f"{_SAFETY_TESTS}/test_switches.py",
                "SCENES: dict[str",
                "def backwards(bench: Bench) -> None:\n"
                "    bench.request(gear=Gear.REVERSE)\n"
                "    bench.step(VehicleCommand(0.0, 0.0), 100)\n"
                "    bench.step(VehicleCommand(0.0, -3.0), 100)\n\n\n",
            ),
            Put(
                f"{_SAFETY_TESTS}/test_switches.py",
                '    "hand_brake_set": hand_brake,\n',
                '    "gentle_reverse": backwards,\n',
            ),
            Put(
                _REPORTS,
                "def hand_brake_set() -> Drive:\n",
                "def backwards() -> Drive:\n"
                '    drive = Drive("vehicle").engaged()\n'
                "    request(drive, gear=Gear.REVERSE)\n"
                "    drive.run(1.0, VehicleCommand(0.0, 0.0, 0.0, 0.0))\n"
                "    drive.run(1.0, VehicleCommand(0.0, -3.0, 0.0, 0.0))\n"
                "    return drive\n\n\n",
            ),
            Put(
                _REPORTS,
                '    "hand_brake_set": hand_brake_set,\n',
                '    "gentle_reverse": backwards,\n',
            ),
        ),
        {"docs/safety.md": "Drive backwards with a small acceleration"},
        (
            f"{_SAFETY_TESTS}/test_safety_rules.py",
            f"{_SAFETY_TESTS}/test_switches.py",
            f"{_REPORTS}::test_there_is_a_scene_for_every_kind",
            f"{_REPORTS}::test_every_kind_is_issued[gentle_reverse]",
        ),
    ),
    Addition(
        "a limit for it",
        (
            Put(
                f"{_SAFETY}/limits.py",
                "    gear_change_speed_mps: float = real(\n",
                "    reverse_accel_max_mps2: float = real(\n"
                '        1.5, "acceleration backwards [m/s2]", above=0, at_most=10\n    )\n',
            ),
            Put(
                f"{_SAFETY}/rules.py",
                "    gentle = context.gear is not Gear.REVERSE",
                "    most = min(most, limits.reverse_accel_max_mps2)\n",
            ),
            Put(
                _LIVE,
                "DRIVES: dict[str",
                "def backwards(drive: Drive) -> None:\n"
                '    """Ask for more than is allowed, backwards."""\n'
                "    push(drive, 1.0, 0.0)\n"
                "    side = drive.pipeline.safety_side\n"
                "    side.on_state_command(StateCommand(gear=Gear.REVERSE), drive.now)\n"
                "    push(drive, 1.0, 0.0)\n    push(drive, 3.0, -9.0)\n\n\n",
            ),
            Put(_LIVE, '    "safety.oscillation": shaken,\n', '    "safety.reverse": backwards,\n'),
            Put(
                "tools/generate/safety_case/parameters.py",
                '    Row(\n        "safety.standstill_hold_mps2",\n',
                '    Row(\n        "safety.reverse_accel_max_mps2",\n        "too large",\n'
                '        "the car is fast backwards",\n        left="nobody looks back",\n'
                "    ),\n",
            ),
        ),
        {_YAML: "reverse_accel_max_mps2", "docs/safety-case.md": "nobody looks back"},
        (
            "test/test_safety_case.py::test_nothing_is_left_out",
            "test/test_parameter_fields.py",
            f"{_LIVE_TEST}[safety.reverse_accel_max_mps2]",
        ),
    ),
    Addition(
        "a speed that means stands, creeps or moves",
        (
            Put(
                _SPEEDS,
                "STARTED_MPS = ",
                'HUMS_MPS = 0.4\n"""creeps: the motor hums"""\n',
            ),
            Put(
                f"{INTERFACE}/sensors/standard.py",
                "from vdsim_interface.values",
                "from vdsim_interface.values.speeds import HUMS_MPS as HUMS_MPS\n",
            ),
        ),
        {"docs/safety.md": "the motor hums"},
        ("test/test_speed_table.py",),
        (f"{INTERFACE}/sensors/standard.py",),
    ),
    Addition(
        "a check of a car file",
        (
            Put(
                _CAR,
                "CHECKS: tuple[",
                "def the_car_has_a_horn(car: CarFile) -> Iterator[Problem]:\n"
                '    """Nobody should drive without one."""\n'
                '    if all(row.field != "horn" for row in car.reports):\n'
                '        yield Problem(1, "reports: horn is missing")\n\n\n',
            ),
            Put(_CAR, "    known_fields,\n    handshake_problems,\n", "    the_car_has_a_horn,\n"),
            Put(
                _CAR_TESTS,
                '    ("for_ms: 50}", "for_ms: 5}"',
                '    ("  horn: {signal: DBW_BODY.HORN}\\n", "", "", "reports: horn is missing"),\n',
            ),
        ),
        {},
        (f"{_CAR_TESTS}::test_rows_that_contradict_each_other_are_named",),
    ),
    Addition(
        'a cause of "why does it not do what I asked"',
        (
            Put(
                _WHY,
                "CAUSES: tuple[",
                "def in_reverse(evidence: Evidence) -> Answer | None:\n"
                '    """The gear drives the other way."""\n'
                '    if evidence.gear != "REVERSE" or not evidence.speed_mps:\n'
                "        return None\n"
                "    return Answer(\n"
                '        cause="in_reverse",\n        level=Level.NOTE,\n        title="Reverse",\n'
                '        sentence="the car drives backwards",\n        evidence="its gear",\n'
                '        action="Ask for DRIVE",\n    )\n\n\n',
            ),
            Put(_WHY, "    asks_for_rest,\n    drives,\n", "    in_reverse,\n"),
            Put(
                _WHY_TESTS,
                '    "drives": HEALTHY,\n',
                '    "in_reverse": replace(HEALTHY, gear="REVERSE", speed_mps=-1.0),\n',
            ),
        ),
        {},
        (_WHY_TESTS,),
        ("src/vdsim_protocol/vdsim_protocol/why/evidence.py",),
    ),
    Addition(
        "a driving task to learn",
        (
            Put(
                _TASKS,
                "TASKS: dict[str",
                "def slow_lane() -> Task:\n"
                '    """Return the straight lane, slowly."""\n'
                "    return Task(\n"
                '        name="SlowLane",\n'
                '        about="keep to the middle of a straight lane at 5 m/s",\n'
                "        line=StraightLine(),\n        speed_mps=5.0,\n    )\n\n\n",
            ),
            Put(_TASKS, '    "LaneKeeping": lane_keeping,\n', '    "SlowLane": slow_lane,\n'),
        ),
        {},
        ("src/vdsim_plant/test/study/tasks/test_tasks.py::test_what_is_seen_is_what_the_cars_do",),
        ("src/vdsim_plant/vdsim_plant/study/tasks/task.py",),
    ),
    Addition(
        "a page",
        (
            Put("docs/weather.md", "", "# Weather\n\nIt rains on nobody: the road is dry.\n"),
            Put(
                "docs/README.md",
                "| the plant beside a measured car |",
                "| weather | [weather.md](weather.md) |\n",
            ),
            Put("tools/site_build/plan.py", '"changelog", "history",', '"weather", '),
            Put(
                "tools/site_build/page_words.json",
                '"who-may-command":',
                '"weather": "rain snow ice wind fog sun storm cloud",\n  ',
            ),
        ),
        {},
        (
            "test/workspace/test_site_plan.py::test_every_page_of_the_docs_stands_once_in_the_site",
            "test/workspace/test_site_plan.py::"
            "test_every_page_has_words_of_people_who_have_not_read_it",
            "test/test_docs.py::test_links_between_pages_lead_somewhere",
            "test/test_english.py::test_sentences_end_before_the_reader_is_tired",
        ),
        ("test/test_docs.py",),
    ),
    Addition(
        "a fault or an oracle of the simulator",
        (
            Put(
                "simulate/vdsim_simulate/faults.py",
                '@fault("somebody asks to disengage")\n',
                '@fault("a door opens for a moment")\n'
                "def door_rattles(world: World) -> None:\n"
                '    """A door opens, and closes at once."""\n'
                "    world.people.door(is_open=True)\n"
                "    world.agenda.after(0.2, lambda: world.people.door(is_open=False))\n\n\n",
            ),
        ),
        {"docs/simulate.md": "a door opens for a moment"},
        ("simulate/test/test_world_faults.py::test_a_fault_runs_and_is_told[door_rattles]",),
        ("simulate/vdsim_simulate/oracles",),
    ),
    Addition(
        "a way in: a port, a topic, a service, a page, a library",
        (
            Put(
                "tools/generate/threats/rows.py",
                '    Entry(\n        "recordings and captures",\n',
                '    Entry(\n        "a key on a stick",\n        "a file that the user names",\n'
                '        "its writer",\n        "its length",\n        "who has the stick",\n'
                '        (),\n        ("lane:cluster",),\n    ),\n',
            ),
        ),
        {"docs/threats.md": "a key on a stick"},
        ("test/test_threats.py",),
    ),
    Addition(
        "a time-out",
        (
            Put(
                f"{INTERFACE}/arbitration/parameters.py",
                "    needs_give_back: bool = flag(\n",
                '    spare_timeout_s: float = real(0.5, "age that nothing needs [s]", above=0)\n',
            ),
            Put(
                "tools/generate/timeout_table.py",
                '    Timeout(\n        Vds1Parameters(),\n        "silence_s",\n',
                '    Timeout(\n        DEFAULT_SOURCES["autonomy"],\n        "spare_timeout_s",\n'
                '        "SOURCE.spare_timeout_s",\n        "`arbitration/sources.py`",\n'
                '        "nothing",\n    ),\n',
            ),
        ),
        {"docs/architecture.md": "SOURCE.spare_timeout_s"},
        (),
        (f"{INTERFACE}/arbitration/parameters.py",),
    ),
    Addition(
        "a parameter of the controller",
        (
            Put(
                f"{INTERFACE}/controller/parameters.py",
                "    output_max_mps2: float = real(\n",
                "    slowing_gain: float = real(\n"
                '        1.0, "gain of decel_max_mps2 [-]", at_least=0.1, at_most=2\n    )\n',
            ),
            Put(
                f"{INTERFACE}/controller/controller.py",
                "        step = target_mps - before\n",
                "        largest *= p.slowing_gain if slowing else 1.0\n",
            ),
        ),
        {_YAML: "slowing_gain"},
        (f"{_LIVE_TEST}[controller.slowing_gain]",),
        (_LIVE,),
    ),
    Addition(
        "a kind of notice",
        (
            Put(
                f"{INTERFACE}/values/notice_kinds.py",
                "VEHICLE_NEWS = NoticeKind(",
                'BEGUN_AGAIN = NoticeKind("begun_again", _INFO, "nothing from before counts")\n',
            ),
            Put(
                f"{INTERFACE}/pipeline/pipeline.py",
                "self.safety_side.restart()\n",
                '(Notice(notice_kinds.BEGUN_AGAIN, "it begins again"),) + ',
            ),
            Put(_REPORTS, '    "clock_step": clock_step,\n', '    "begun_again": time_jump,\n'),
        ),
        {"docs/safety.md": "nothing from before counts"},
        (
            f"{_REPORTS}::test_there_is_a_scene_for_every_kind",
            f"{_REPORTS}::test_every_kind_is_issued[begun_again]",
        ),
        (
            f"{INTERFACE}/pipeline/pipeline.py",
            f"{INTERFACE}/arbitration/mux_notices.py",
            f"{INTERFACE}/teleop/teleop_notices.py",
        ),
    ),
    Addition(
        "a kind of the event log",
        (
            Put(f"{_EVENTS}/occurrences.py", "BEGIN, END =", 'STALL = "stall"\n'),
            Put(
                f"{_EVENTS}/occurrences.py",
                "    if kind.is_refusal:\n",
                "    if kind is notice_kinds.TICK_OVERRUN:\n        return STALL\n",
            ),
            Put(
                _EVENT_TESTS,
                "def test_the_stages_write_their_parts(",
                "def test_a_stall_has_a_kind_of_its_own(driving: Logged) -> None:\n"
                "    driving.drive.pipeline.safety_side.on_stall(0.2)\n"
                '    assert (occurrences.STALL, "tick_overrun", "") in driving.kinds()\n\n\n',
            ),
            Put(
                "docs/events.md",
                "| `refused_request` |",
                "| `stall` | the process did not run for a while | the notice |\n",
            ),
        ),
        {},
        (_EVENT_TESTS,),
        (f"{_EVENTS}/watch.py",),
    ),
    Addition(
        "an input that can carry a stop",
        (
            Put(
                "tools/generate/stop_inputs.py",
                '    StopInput(\n        "a lock of autonomy, `LOCK/lock`"',
                '    StopInput(\n        "a lock of the page",\n        "",\n        ("plant",),\n'
                '        "one `true`",\n        "until `false`",\n        _LOCK,\n'
                "        is_emergency=False,\n    ),\n",
            ),
            Put(
                _STOP_TESTS,
                "def test_a_held_stop_is_reported_once() -> None:\n",
                "def test_a_lock_stops_what_commands_to_drive() -> None:\n"
                "    parameters, level = ArbitrationParameters(), ControlLevel.HIGH_LEVEL\n"
                "    intake = Intake(parameters, DASHBOARD, level=level, wheelbase_m=2.97)\n"
                "    drives = HighLevelCommand(1.0, 5.0, 0.0)\n"
                "    assert intake.on_stack(drives, 1.0).command == drives\n"
                '    intake.on_lock("stop_all", True, 1.0)\n'
                "    assert intake.on_stack(drives, 1.0).command != drives\n\n\n",
            ),
        ),
        {"docs/teleop.md": "a lock of the page"},
        (f"{_STOP_TESTS}::test_a_lock_stops_what_commands_to_drive",),
    ),
    Addition(
        "a fault of the campaign",
        (
            Put(
                f"{_CAMPAIGN}/faults.py",
                '    Fault(\n        name="state_clock_skew"',
                '    Fault(\n        name="state_clock_slow", family="clocks",\n'
                '        text="the clock of the vehicle runs slow",\n        inject="link",\n'
                '        given={"direction": "state"}, draws={"clock_skew_ppm": (-900.0, 0.0)},\n'
                "        expect=DRIVES_ON,\n    ),\n",
            ),
        ),
        {"docs/campaign.md": "the clock of the vehicle runs slow"},
        ("campaign/test/test_cells.py::test_a_row_names_what_is_there[state_clock_slow]",),
        (f"{_CAMPAIGN}/injectors.py", f"{_CAMPAIGN}/counts.py"),
    ),
    Addition(
        "a field that a car on CAN carries",
        (
            Put(
                "src/vdsim_can/vdsim_can/car/fields.py",
                '    Field("sequence", "", "number of the command',
                '    Field("effort_mps2", "m/s2", "what the pedals give on level ground"),\n',
            ),
            Put(
                f"{_CAN}/command_values.py",
                '        "motion_valid": _switch(commands),\n',
                '        "effort_mps2": motion.effort_mps2,\n',
            ),
            Put(
                "src/vdsim_can/test/test_can_fields.py",
                "def test_every_part_of_the_body_can_be_carried_by_a_signal(",
                "def test_the_effort_is_that_of_the_pedals() -> None:\n"
                "    from vdsim_can.platform.command_values import Motion, motion_values\n"
                "    from vdsim_interface.values import Authority\n\n"
                "    motion = Motion(0.0, 0.3, -1.6, 0.0, 0.0, -1.5)\n"
                "    values = motion_values(motion, 5.0, Authority.COMMAND)\n"
                '    assert values["effort_mps2"] == -1.5\n'
                "    assert {*values} <= {*COMMAND_FIELDS}\n\n\n",
            ),
        ),
        {"docs/can-reference.md": "what the pedals give on level ground"},
        ("src/vdsim_can/test/test_can_fields.py",),
        (f"{_CAN}/vehicle_reports.py",),
    ),
)
