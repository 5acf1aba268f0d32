"""The faults of the campaign, as data: how each is injected, and what must hold.

A row names an injector (injectors.py), its fixed values, and ranges from which the seed of a cell
draws the others. `expect` says what must hold; `invariants` of checks.py hold in every cell. Names
are stable: pages and the safety case refer to them. Nothing here imports ROS or opens a socket.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vdsim_campaign.roads import FLAT, HILLS, SLIPPERY, SPLIT

COMPOSITIONS = ("single", "guarded", "container", "processes")
PROCESSES = {
    "single": ("vehicle_interface",),
    "guarded": ("vehicle_guard", "guarded_interface"),
    "container": ("component_container",),
    "processes": (
        "velocity_controller",
        "low_pass_filter",
        "safety_state_machine",
        "platform_interface",
    ),
}
"""The interface's processes in each composition, in the order of their start."""
COMMAND_TIMEOUT_S = 0.5
REPORT_TIMEOUT_S = 0.1
LINK_LOST_S = 1.0
FOLLOWING_LOST_S = 2.22
"""tracking.lost_s, found at one check and ended at another: they come every 0.11 s."""
PLANT_TIMEOUT_S = 0.1
LAG_WINDOW_S = 10.5
"""So long a report is compared with the earlier ones: pipeline/link_health.py."""
CYCLE_S = 0.01
INTERFACE, VEHICLE = "interface", "vehicle"
"""Whose stop: the soft one of the interface, or the fail-safe of the vehicle."""


@dataclass(frozen=True, kw_only=True)
class Expect:
    """What must hold, beside the invariants."""

    drives_on: bool = False
    """The speed stays in its band, and autonomy does not end."""
    brakes_within_s: float | None = None
    """Time-out of what stops the car; a cycle is added. None: nothing has to stop it."""
    stop: str = ""
    """Whose stop brings the car to rest while the fault lasts; empty: it may end before."""
    ends_autonomy: bool | None = False
    """Whether a person must engage afterwards; None: both are right."""
    reason: str = ""
    """Regular expression that a notice, a diagnostic or a log line of the fault matches."""
    counts: str = ""
    """A count of injected faults that a process must report (counts.py)."""
    at_the_cruise: bool = False
    """Whether time and end of autonomy are stated for a cruise alone: where the car is slower, or
    its pedals move, the check has another threshold (docs/plausibility.md)."""
    recovers_within_s: float = 6.0
    """From the end of the fault until the car drives again."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One row."""

    name: str
    family: str
    text: str
    inject: str
    expect: Expect
    given: Mapping[str, float | str] = field(default_factory=dict)
    draws: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lasts_s: tuple[float, float] = (1.0, 2.0)
    compositions: tuple[str, ...] = COMPOSITIONS
    processes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Composition -> the processes that are its target; one cell for each."""
    road: str = FLAT
    needs: str = ""
    """A Python package that the fault needs; its cells run where a Python has it (peers.py)."""
    quick: tuple[str, ...] = ()
    """The cells that run in `./ws test`: a composition, or COMPOSITION.PROCESS."""


DRIVES_ON = Expect(drives_on=True)
LINK_TIMEOUT = "no report from the vehicle|the vehicle does not report"
FAIL_SAFE = "fail-safe"


def _link(name: str, text: str, expect: Expect, direction: str, **more: object) -> Fault:
    quick = more.pop("quick", ())
    lasts_s = more.pop("lasts_s", (1.0, 2.0))
    draws = {key: value for key, value in more.items() if isinstance(value, tuple)}
    given = {key: value for key, value in more.items() if isinstance(value, float)}
    return Fault(
        name=name, family="link", text=text, inject="link", expect=expect,
        given={"direction": direction, **given}, draws=draws,
        lasts_s=lasts_s, quick=quick,  # type: ignore[arg-type]
    )  # fmt: skip


LINK = (
    _link(
        "command_link_silent", "no CMD reaches the vehicle, until it stands",
        Expect(brakes_within_s=PLANT_TIMEOUT_S, stop=VEHICLE, ends_autonomy=None, reason=FAIL_SAFE),
        "command", loss=1.0, lasts_s=(2.5, 3.0), quick=("single",),
    ),
    _link(
        "command_link_interrupted", "no CMD reaches the vehicle for a moment",
        Expect(brakes_within_s=PLANT_TIMEOUT_S, reason=FAIL_SAFE, ends_autonomy=False),
        "command", loss=1.0, lasts_s=(0.3, 0.9),
    ),
    _link(
        "state_link_interrupted", "no STATE reaches the interface for a moment",
        Expect(brakes_within_s=REPORT_TIMEOUT_S, reason=LINK_TIMEOUT),
        "state", loss=1.0, lasts_s=(0.4, 0.8),
    ),
    _link(
        "state_link_lost", "no STATE reaches the interface, until autonomy ends and the car stands",
        Expect(
            brakes_within_s=REPORT_TIMEOUT_S, stop=INTERFACE, ends_autonomy=True,
            reason=LINK_TIMEOUT,
        ),
        "state", loss=1.0, lasts_s=(3.5, 4.0), quick=("guarded",),
    ),
    _link(
        "both_links_silent", "nothing passes in either direction",
        Expect(
            brakes_within_s=PLANT_TIMEOUT_S, stop=VEHICLE, ends_autonomy=True,
            reason=f"{FAIL_SAFE}|{LINK_TIMEOUT}",
        ),
        "both", loss=1.0, lasts_s=(2.5, 3.0),
    ),
    _link("command_loss", "CMD packets are lost at random", DRIVES_ON, "command",
          loss=(0.02, 0.3)),
    _link("state_loss", "STATE packets are lost at random", DRIVES_ON, "state",
          loss=(0.02, 0.4)),
    _link("command_delay", "CMD packets are late", DRIVES_ON, "command", delay_s=(0.01, 0.05)),
    _link("state_delay", "STATE packets are late", DRIVES_ON, "state", delay_s=(0.01, 0.04)),
    _link("command_jitter", "CMD packets are late by a time that varies", DRIVES_ON, "command",
          jitter_s=(0.005, 0.04)),
    _link("state_jitter", "STATE packets are late by a time that varies", DRIVES_ON, "state",
          jitter_s=(0.005, 0.04)),
    _link("command_duplicates", "CMD packets arrive twice",
          Expect(drives_on=True, counts="command_duplicates"), "command",
          duplicate=(0.1, 0.9)),
    _link("state_duplicates", "STATE packets arrive twice",
          Expect(drives_on=True, counts="state_duplicates"), "state", duplicate=(0.1, 0.9)),
    _link("command_reordered", "CMD packets overtake each other", DRIVES_ON, "command",
          reorder=(0.05, 0.3)),
    _link("state_reordered", "STATE packets overtake each other", DRIVES_ON, "state",
          reorder=(0.05, 0.3)),
    _link("command_bit_flips", "a bit of a CMD packet is inverted",
          Expect(drives_on=True, counts="command_damaged"), "command",
          bit_flip=(0.05, 0.3)),
    _link("state_bit_flips", "a bit of a STATE packet is inverted",
          Expect(drives_on=True, counts="state_damaged"), "state",
          bit_flip=(0.05, 0.4), quick=("single",)),
    _link("command_truncated", "CMD packets lose their end",
          Expect(drives_on=True, counts="command_damaged"), "command", truncate=(0.05, 0.3)),
    _link("state_truncated", "STATE packets lose their end",
          Expect(drives_on=True, counts="state_damaged"), "state", truncate=(0.05, 0.4)),
    _link("everything_at_once", "loss, jitter, duplicates, reordering and damage together",
          DRIVES_ON, "both", loss=(0.01, 0.1), jitter_s=(0.0, 0.02), duplicate=(0.0, 0.2),
          reorder=(0.0, 0.1), bit_flip=(0.0, 0.1), truncate=(0.0, 0.05), quick=("single",)),
)  # fmt: skip

CLOCKS = (
    Fault(
        name="command_stamps_wrong", family="clocks",
        text="the stamps of the stack's commands lie in the past or the future",
        inject="command_stamps", draws={"offset_s": (-1e4, 1e4)}, expect=DRIVES_ON,
        quick=("single",),
    ),
    Fault(
        name="command_clock_skew", family="clocks", text="the clock of the CMD sender runs wrong",
        inject="link", given={"direction": "command"}, draws={"clock_skew_ppm": (-500.0, 500.0)},
        expect=DRIVES_ON,
    ),
    Fault(
        name="state_clock_skew", family="clocks", text="the clock of the vehicle runs wrong",
        inject="link", given={"direction": "state"}, draws={"clock_skew_ppm": (-500.0, 500.0)},
        expect=DRIVES_ON,
    ),
)  # fmt: skip

_LEAVES_STOP_TO_THE_CAR = {
    "single": ("vehicle_interface",),
    "guarded": ("vehicle_guard",),
    "container": ("component_container",),
    "processes": ("platform_interface",),
}
"""The process that sends to the vehicle: without it the vehicle's fail-safe stops the car."""
_SHELL = {"guarded": ("guarded_interface",)}
_FRONT_STAGES = {"processes": ("velocity_controller", "low_pass_filter")}
_SAFETY_STAGE = {"processes": ("safety_state_machine",)}

PROCESS = (
    Fault(
        name="sender_killed", family="process",
        text="the process that sends to the vehicle is killed, and started again at rest",
        inject="kill", lasts_s=(2.4, 2.8), processes=_LEAVES_STOP_TO_THE_CAR,
        expect=Expect(
            brakes_within_s=PLANT_TIMEOUT_S, stop=VEHICLE, ends_autonomy=None, reason=FAIL_SAFE,
            recovers_within_s=20.0,
        ),
        quick=("guarded.vehicle_guard",),
    ),
    Fault(
        name="sender_frozen", family="process",
        text="the process that sends to the vehicle is frozen until the car stands",
        inject="freeze", lasts_s=(2.4, 2.8), processes=_LEAVES_STOP_TO_THE_CAR,
        expect=Expect(
            brakes_within_s=PLANT_TIMEOUT_S, stop=VEHICLE, ends_autonomy=None, reason=FAIL_SAFE,
        ),
        quick=("single.vehicle_interface",),
    ),
    Fault(
        name="sender_terminated", family="process",
        text="the process that sends to the vehicle gets SIGTERM: its last packet brakes",
        inject="terminate", lasts_s=(2.8, 3.2), processes=_LEAVES_STOP_TO_THE_CAR,
        expect=Expect(
            brakes_within_s=COMMAND_TIMEOUT_S, ends_autonomy=None, reason=FAIL_SAFE,
            recovers_within_s=20.0,
        ),
    ),
    Fault(
        name="process_stalled", family="process",
        text="a process of the interface does not run for less than any time-out",
        inject="freeze", lasts_s=(0.01, 0.04), processes=PROCESSES, expect=DRIVES_ON,
    ),
    Fault(
        name="shell_killed", family="process",
        text="the ROS shell is killed: the guard stops the car",
        inject="kill", lasts_s=(3.5, 4.0), processes=_SHELL, compositions=("guarded",),
        expect=Expect(
            brakes_within_s=0.0, stop=INTERFACE, ends_autonomy=True, reason="ROS shell has ended",
            recovers_within_s=20.0,
        ),
        quick=("guarded.guarded_interface",),
    ),
    Fault(
        name="shell_frozen", family="process",
        text="the ROS shell is frozen: the guard stops the car",
        inject="freeze", lasts_s=(3.5, 4.0), processes=_SHELL, compositions=("guarded",),
        expect=Expect(
            brakes_within_s=COMMAND_TIMEOUT_S, stop=INTERFACE, ends_autonomy=True,
            reason="ROS shell does not send",
        ),
        quick=("guarded.guarded_interface",),
    ),
    Fault(
        name="front_stage_killed", family="process",
        text="a stage before the safety stage is killed",
        inject="kill", lasts_s=(3.5, 4.0), processes=_FRONT_STAGES, compositions=("processes",),
        expect=Expect(
            brakes_within_s=COMMAND_TIMEOUT_S, stop=INTERFACE, ends_autonomy=None,
            reason="command", recovers_within_s=20.0,
        ),
    ),
    Fault(
        name="front_stage_frozen", family="process",
        text="a stage before the safety stage is frozen",
        inject="freeze", lasts_s=(3.5, 4.0), processes=_FRONT_STAGES, compositions=("processes",),
        expect=Expect(
            brakes_within_s=COMMAND_TIMEOUT_S, stop=INTERFACE, ends_autonomy=None, reason="command",
        ),
    ),
    Fault(
        name="safety_stage_killed", family="process",
        text="the safety stage is killed: the vehicle side stops the car",
        inject="kill", lasts_s=(3.0, 3.5), processes=_SAFETY_STAGE, compositions=("processes",),
        expect=Expect(
            brakes_within_s=REPORT_TIMEOUT_S, stop=INTERFACE, ends_autonomy=None,
            reason="safe command|safety stage", recovers_within_s=20.0,
        ),
    ),
    Fault(
        name="safety_stage_frozen", family="process",
        text="the safety stage is frozen: the vehicle side stops the car",
        inject="freeze", lasts_s=(3.0, 3.5), processes=_SAFETY_STAGE, compositions=("processes",),
        expect=Expect(
            brakes_within_s=REPORT_TIMEOUT_S, stop=INTERFACE, ends_autonomy=None,
            reason="safe command|safety stage",
        ),
    ),
    Fault(
        name="restarted_in_any_order", family="process",
        text="all processes, the plant too, are killed and started again in any order",
        inject="restart_all", lasts_s=(0.5, 1.5), processes={},
        expect=Expect(ends_autonomy=None, recovers_within_s=40.0),
    ),
    Fault(
        name="planner_silent", family="process",
        text="the stack stops to publish, and publishes again after a second",
        inject="planner_silent", lasts_s=(1.2, 2.0),
        expect=Expect(brakes_within_s=COMMAND_TIMEOUT_S, reason="no fresh command|command_timeout"),
        quick=("single",),
    ),
    Fault(
        name="planner_gone", family="process",
        text="the stack stops to publish until autonomy ends at rest",
        inject="planner_silent", lasts_s=(6.0, 6.5),
        expect=Expect(
            brakes_within_s=COMMAND_TIMEOUT_S, stop=INTERFACE, ends_autonomy=True,
            reason="no command",
        ),
    ),
    Fault(
        name="planner_slow", family="process",
        text="the stack publishes every 0.2 to 0.4 s only", inject="planner_slow",
        draws={"period_s": (0.2, 0.4)}, lasts_s=(1.5, 2.5), expect=DRIVES_ON,
    ),
    Fault(
        name="plant_frozen", family="process", text="the vehicle does not run for a moment",
        inject="freeze", lasts_s=(0.3, 0.8),
        processes=dict.fromkeys(COMPOSITIONS, ("plant",)),
        # Its stamps stay behind by the pause, as after a delay that lasts: late for the window.
        expect=Expect(
            reason=LINK_TIMEOUT, ends_autonomy=None, recovers_within_s=LAG_WINDOW_S + 6.0
        ),
    ),
    Fault(
        name="plant_killed", family="process",
        text="the vehicle's process is killed, and started again",
        inject="kill", lasts_s=(1.5, 2.0),
        processes=dict.fromkeys(COMPOSITIONS, ("plant",)),
        expect=Expect(reason=LINK_TIMEOUT, ends_autonomy=None, recovers_within_s=20.0),
    ),
)  # fmt: skip

FLOODS = (
    Fault(
        name="command_flood", family="floods", text="the stack publishes 500 to 1000 commands/s",
        inject="command_flood", draws={"rate_hz": (500.0, 1000.0)}, expect=DRIVES_ON,
        quick=("single",),
    ),
    Fault(
        name="state_command_flood", family="floods", text="hundreds of state commands a second",
        inject="state_command_flood", draws={"rate_hz": (200.0, 500.0)}, expect=DRIVES_ON,
    ),
    Fault(
        name="parameter_flood", family="floods", text="requests to list and read parameters",
        inject="parameter_flood", draws={"rate_hz": (20.0, 100.0)}, expect=DRIVES_ON,
        quick=("guarded",),
    ),
    Fault(
        name="engage_flood", family="floods", text="engagement is requested again and again",
        inject="engage_flood", draws={"rate_hz": (20.0, 100.0)}, expect=DRIVES_ON,
    ),
    Fault(
        name="junk_at_command_port", family="floods", text="junk datagrams at the vehicle's port",
        inject="junk", given={"port": "command"}, draws={"rate_hz": (200.0, 1000.0)},
        expect=Expect(drives_on=True, counts="command_junk"), quick=("single",),
    ),
    Fault(
        name="junk_at_state_port", family="floods", text="junk datagrams at the interface's port",
        inject="junk", given={"port": "state"}, draws={"rate_hz": (200.0, 1000.0)},
        expect=Expect(drives_on=True, counts="state_junk"), quick=("guarded",),
    ),
)  # fmt: skip

STRANGERS = (
    Fault(
        name="second_command_sender", family="strangers",
        text="another program sends valid CMD with full throttle, numbers far ahead",
        inject="stranger_commands", draws={"rate_hz": (15.0, 200.0)},
        expect=Expect(drives_on=True, counts="stranger_commands"), quick=("guarded",),
    ),
    Fault(
        name="stranger_during_silence", family="strangers",
        text="another program sends valid CMD while the owner is silent",
        inject="stranger_in_silence", draws={"rate_hz": (50.0, 200.0)}, lasts_s=(2.5, 3.5),
        expect=Expect(
            brakes_within_s=PLANT_TIMEOUT_S, stop=VEHICLE, ends_autonomy=None, reason=FAIL_SAFE,
        ),
    ),
    Fault(
        name="forged_state", family="strangers",
        text="another program sends valid STATE that says the car stands",
        inject="forged_state", draws={"rate_hz": (50.0, 400.0)},
        expect=Expect(drives_on=True, counts="state_strangers"), quick=("single",),
    ),
    Fault(
        name="replayed_commands", family="strangers",
        text="packets that were sent before are sent again from another port",
        inject="replay", draws={"rate_hz": (50.0, 200.0)},
        expect=Expect(drives_on=True, counts="stranger_commands"),
    ),
    Fault(
        name="second_publisher", family="strangers",
        text="a second node publishes commands on the same topic",
        inject="second_publisher", draws={"velocity_mps": (0.0, 3.0)},
        expect=Expect(ends_autonomy=None, reason="publishers"), lasts_s=(2.5, 3.0),
    ),
    Fault(
        name="second_shell", family="strangers", text="another process connects to the guard",
        inject="second_shell", compositions=("guarded",),
        expect=Expect(drives_on=True, reason="second ROS shell"),
    ),
    Fault(
        name="foreign_requests", family="strangers",
        text="a DDS peer of another vendor sends requests that are misread as lists",
        inject="foreign_requests", given={"requests": 300.0}, compositions=("guarded",),
        expect=Expect(ends_autonomy=None, recovers_within_s=25.0), needs="cyclonedds",
        lasts_s=(4.0, 5.0),
    ),
)  # fmt: skip

DISK = (
    Fault(
        name="recording_disk_full", family="disk", text="the disk of the plant's recorder is full",
        inject="nothing", road="full disk", expect=Expect(drives_on=True, reason="recording"),
    ),
    Fault(
        name="recording_folder_removed", family="disk",
        text="the folder of the plant's recording is removed while it records",
        inject="remove_folder", expect=DRIVES_ON,
    ),
)  # fmt: skip


def _on_road(name: str, text: str, road: str) -> Fault:
    return Fault(
        name=name, family="roads", text=text, inject="planner_silent", road=road,
        lasts_s=(4.5, 5.0),
        expect=Expect(
            brakes_within_s=COMMAND_TIMEOUT_S, stop=INTERFACE, ends_autonomy=None,
            reason="no fresh command|command_timeout|no command", recovers_within_s=10.0,
        ),
    )  # fmt: skip


ROADS = (
    *(
        _on_road(f"planner_silent_{name}", f"the stack is silent on a slope of {grade:+.0%}", name)
        for name, grade in HILLS.items()
    ),
    _on_road("planner_silent_on_ice", "the stack is silent on friction 0.3", SLIPPERY),
    _on_road("planner_silent_on_split", "the stack is silent with ice on one side", SPLIT),
)  # fmt: skip


def _lie(name: str, text: str, expect: Expect, **given: float | str) -> Fault:
    return Fault(
        name=name, family="sensors", text=text, inject="lie", given=given, expect=expect,
        lasts_s=(3.5, 4.0),
    )  # fmt: skip


def _expect_at_speed(reason: str, within_s: float) -> Expect:
    return Expect(brakes_within_s=within_s, ends_autonomy=True, reason=reason, at_the_cruise=True)


SENSORS = (
    _lie("state_not_finite", "STATE carries NaN, with a valid CRC",
         Expect(brakes_within_s=REPORT_TIMEOUT_S, reason=LINK_TIMEOUT, ends_autonomy=None),
         lie="nan"),
    _lie("state_numbers_frozen", "STATE repeats one packet again and again",
         Expect(brakes_within_s=REPORT_TIMEOUT_S, reason=LINK_TIMEOUT, ends_autonomy=None),
         lie="repeat"),
    _lie("speed_reads_zero", "STATE says speed 0 while the wheels turn",
         _expect_at_speed("speed|wheel", 1.0), lie="zero_speed"),
    _lie("speed_reads_double", "STATE says twice the speed; the wheels say the truth",
         _expect_at_speed("speed|wheel", 1.0), lie="double_speed"),
    _lie("pedals_not_as_sent", "STATE says that the throttle is half open, which it is not",
         _expect_at_speed("does not follow", FOLLOWING_LOST_S), lie="half_throttle"),
    _lie("stamp_frozen", "the stamp of STATE does not move, its numbers do",
         Expect(brakes_within_s=1.0, ends_autonomy=True, reason="stamp stands still"), lie="stamp"),
)  # fmt: skip

FAULTS: tuple[Fault, ...] = (
    *LINK, *CLOCKS, *PROCESS, *FLOODS, *STRANGERS, *DISK, *ROADS, *SENSORS,
)  # fmt: skip
