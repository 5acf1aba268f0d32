"""Every input that can carry a stop: the table of docs/safety.md, and what tests walk.

test/test_stops_by_topic.py holds each row on the programs; test/test_every_node.py finds a program
that subscribes to such a topic without a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_INTERFACE = (
    *("vehicle_interface", "guarded_interface", "component_container", "safety_state_machine"),
)


@dataclass(frozen=True)
class StopInput:
    """One input. `topic`: below the node's namespace; empty where it is none.

    `acts`: what is enough; `until`: how long, and how it ends; `shown`: where it is seen.
    """

    name: str
    topic: str
    programs: tuple[str, ...]
    acts: str
    until: str
    shown: str
    is_emergency: bool = True


_LATCHED = "latched; `give_back` at standstill"
_LOCK = "`active_locks` and `reason` of `control_source`"
_RELAYED = "sent again in each period until `control_source` confirms it, for 2 s"
STOP_INPUTS = (
    StopInput(
        "the topic `emergency_stop`",
        "emergency_stop",
        (*_INTERFACE, "command_mux"),
        "one `true`, of any sender, among any number of `false`",
        _LATCHED,
        _LOCK,
    ),
    StopInput(
        "a gamepad's Joy",
        "joy",
        ("gamepad_teleop",),
        "the mapped button, in every message that is long enough for it; no axis is judged, "
        "no other button, no earlier message",
        f"{_RELAYED}; then as above",
        f"{_LOCK}; `emergency_stop_not_confirmed` where nobody does",
    ),
    StopInput(
        "the page's and its pad's Joy",
        "dashboard/joy",
        _INTERFACE,
        "as a gamepad's, by the layout of `game_controller.yaml`",
        _LATCHED,
        _LOCK,
    ),
    StopInput(
        "a message of the page",
        "",
        ("plant",),
        "any JSON with the stop button, also of a page that does not drive, above the rate, or "
        "with fields that are refused",
        "passed on at once as Joy",
        "the page's own alarm, by `control_source`",
    ),
    StopInput(
        "the page's button and Backspace",
        "",
        ("plant",),
        "`POST /api/stop` of every page that is let in, driving or not, whatever its body holds",
        "published on `emergency_stop` again until `control_source` confirms it, for 2 s, and "
        "requested again by the page; then as above",
        f"{_LOCK}, and the page",
    ),
    StopInput(
        "Backspace in a terminal",
        "",
        ("keyboard_teleop",),
        "the key, after any other keys",
        f"{_RELAYED}; then as above",
        f"{_LOCK}, and the panel",
    ),
    StopInput(
        "Autoware's `emergency_cmd`",
        "/control/command/emergency_cmd",
        ("autoware_interface",),
        "one `true`, of any sender, whatever else arrives or does not",
        "a `false`, when no `true` has come for 0.5 s: Autoware's own rule; silence does not end "
        "it",
        "a warning, and the line `control_cmd` of `/diagnostics`",
    ),
    StopInput(
        "a lock, `LOCK/lock`",
        "stop_all/lock",
        (*_INTERFACE, "command_mux"),
        "one `true`, of any sender",
        "until `false`; autonomy waits for `give_back`",
        _LOCK,
        is_emergency=False,
    ),
    StopInput(
        "a lock of autonomy, `LOCK/lock`",
        "hold_autonomy/lock",
        (*_INTERFACE, "command_mux"),
        "one `true`, of any sender",
        "until `false`; autonomy waits for `give_back`",
        _LOCK,
        is_emergency=False,
    ),
)


def stop_input_table() -> str:
    """The table, in Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "| input | received by | acts with | until | shown in |"
    yield "|---|---|---|---|---|"
    for row in STOP_INPUTS:
        programs = ", ".join(f"`{name}`" for name in row.programs)
        kind = "" if row.is_emergency else " (a stop, no emergency stop)"
        yield f"| {row.name}{kind} | {programs} | {row.acts} | {row.until} | {row.shown} |"


PARTS = {"stop inputs": stop_input_table}
