"""The tables and the mode diagram of docs/safety.md, from the safety core's own tables."""

from __future__ import annotations

from vdsim_interface.safety.authority import (
    AUTHORITY_TABLE,
    Entry,
    Rig,
    may_engage_by_itself,
)
from vdsim_interface.safety.modes import EVENT_WORDS, MODE_TABLE, ModeEvent
from vdsim_interface.safety.rules import ALWAYS_ON, NOTICE_KINDS, RULES, SWITCHABLE, Rule
from vdsim_interface.values import Mode

from generate import speed_rows
from generate.tables import table


def speed_table() -> str:
    """Every speed that means stands, creeps or moves, the slowest first."""
    rows = [
        (
            f"{row.value_mps:g}",
            row.means,
            f"`{row.name}`",
            row.why,
            ", ".join(f"`{user}.py`" for user in row.users),
        )
        for row in sorted(speed_rows.rows(), key=lambda row: row.value_mps)
    ]
    return table(["m/s", "the car", "name", "why", "used by"], rows)


def mode_diagram() -> str:
    """The mode table as a Mermaid state diagram; events that change nothing are left out."""
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> MANUAL"]
    for (mode, event), after in MODE_TABLE.items():
        if after is not mode:
            lines.append(f"    {mode.name} --> {after.name}: {event.value}")
    return "\n".join([*lines, "```"])


def mode_table() -> str:
    """The mode table in full."""
    rows = []
    for event in ModeEvent:
        after = [(mode, MODE_TABLE[mode, event]) for mode in Mode]
        cells = ["·" if new is mode else new.name for mode, new in after]
        rows.append((f"`{event.value}`", *cells, EVENT_WORDS[event]))
    return table(["event", *(mode.name for mode in Mode), "when"], rows)


def authority_table() -> str:
    """What is sent without autonomy."""
    rows = []
    for entry in Entry:
        cells = [AUTHORITY_TABLE[entry, rig].value for rig in Rig]
        by_itself = [may_engage_by_itself(entry, rig) for rig in Rig]
        words = {(True, True): "yes", (False, False): "no", (False, True): "driverless only"}
        rows.append((entry.words, *cells, words[by_itself[0], by_itself[1]]))
    rigs = [f"`rig: {rig.value}`" for rig in Rig]
    return table(["how autonomy ended", *rigs, "`auto_engage` may engage"], rows)


def _does(rule: Rule) -> str:
    """What a rule does; where rows share a function the reason tells them apart."""
    words = (rule.apply.__doc__ or "").partition("\n")[0]
    is_shared = len({row.kind for row in RULES if row.apply is rule.apply}) > 1
    return f"{words.removesuffix('.')}: {rule.kind.why}." if is_shared else words


def rule_table() -> str:
    """The motion rules in the order in which they are applied."""
    rows = [
        (
            number,
            f"`{rule.kind}`",
            _does(rule),
            "stays" if rule.stays else "off",
        )
        for number, rule in enumerate(RULES, start=1)
    ]
    return table(["", "rule", "what it does", "with `safety.enabled: false`"], rows)


def switch_table() -> str:
    """The rules that may be off, and those that stay."""
    off = [(f"`{name}`", "may be off", effect) for name, effect in SWITCHABLE.items()]
    on = [(f"`{name}`", "stays on", reason) for name, reason in ALWAYS_ON.items()]
    return table(["rule", "`safety.disabled_rules`", "while it is off, or why it stays"], off + on)


def notice_table() -> str:
    """Every kind of notice."""
    rows = [(f"`{kind}`", kind.severity.name, kind.why) for kind in NOTICE_KINDS]
    return table(["kind", "severity", "reason given for a change"], rows)


PARTS = {
    "mode diagram": mode_diagram,
    "mode table": mode_table,
    "authority table": authority_table,
    "rule table": rule_table,
    "switch table": switch_table,
    "notice table": notice_table,
    "speed table": speed_table,
}
