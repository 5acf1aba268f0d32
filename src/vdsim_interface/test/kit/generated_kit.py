"""Files and parts of documents that are made from the code; tests compare, this writes them.

./ws python src/vdsim_interface/test/kit/generated_kit.py
"""

import re
from collections.abc import Callable
from pathlib import Path

from vdsim_interface.interface_parameters import InterfaceParameters
from vdsim_interface.nodes.output_parameters import OutputParameters
from vdsim_interface.parameters import Declaration, Parameters, declarations
from vdsim_interface.platforms.discovery import discover
from vdsim_interface.safety.modes import EVENT_WORDS, MODE_TABLE, ModeEvent
from vdsim_interface.safety.rules import RULES, WATCHDOGS
from vdsim_interface.sentences import WHY
from vdsim_interface.values import Mode, ReportKind, severity

ROOT = Path(__file__).resolve().parents[4]
COMMAND = "./ws python src/vdsim_interface/test/kit/generated_kit.py"
LINE = 100


# ---- config/vehicle_interface.yaml ---------------------------------------------------------------


def _yaml_value(item: Declaration) -> str:
    value = item.default
    if isinstance(value, tuple):
        return "[" + ", ".join(f"{number!r}" for number in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _yaml_lines(parameters: Parameters) -> list[str]:
    lines: list[str] = []
    before: list[str] = []
    for item in declarations(parameters):
        *parents, name = item.name.split(".")
        for depth, parent in enumerate(parents):
            if before[: depth + 1] != parents[: depth + 1]:
                lines.append("    " + "  " * depth + f"{parent}:")
                before = parents[: depth + 1]
        before = parents
        pad = "    " + "  " * len(parents)
        setting = f"{pad}{name}: {_yaml_value(item)}"
        rule = item.allowed.words().removeprefix("must be ")
        if rule == "finite" or item.kind is bool:
            rule = ""
        note = "; ".join(filter(None, (item.doc, rule, item.restriction)))
        if len(setting) + len(note) + 4 <= LINE:
            lines.append(f"{setting}  # {note}")
        else:
            lines += [*_wrapped(note, pad), setting]
    return lines


def _wrapped(text: str, pad: str) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if len(pad) + 2 + len(line) + 1 + len(word) > LINE:
            lines.append(f"{pad}# {line}")
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, f"{pad}# {line}"]


def vehicle_interface_yaml() -> str:
    """Every parameter of the interface and its platforms, with its default and what is allowed."""
    lines = [
        "# Every parameter of the vehicle interface with its default; what is left out keeps it.",
        "# A stage or platform reads its own part and leaves the others alone. Made from the code:",
        f"#   {COMMAND}",
        "/**:",
        "  ros__parameters:",
        *_yaml_lines(InterfaceParameters()),
        *_yaml_lines(OutputParameters()),
    ]
    for name, spec in sorted(discover().items()):
        lines += [f"    # Platform {name}: {spec.doc}.", *_yaml_lines(spec.parameters())]
    return "\n".join(lines) + "\n"


# ---- parts of documents --------------------------------------------------------------------------


def mode_diagram() -> str:
    """The mode table as a Mermaid state diagram; events that change nothing are left out."""
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> MANUAL"]
    for (mode, event), after in MODE_TABLE.items():
        if after is not mode:
            lines.append(f"    {mode.name} --> {after.name}: {event.value}")
    return "\n".join([*lines, "```"])


def mode_table() -> str:
    """The mode table in full."""
    header = "| event | " + " | ".join(mode.name for mode in Mode) + " | when |"
    lines = [header, "|---" * (len(Mode) + 2) + "|"]
    for event in ModeEvent:
        cells = []
        for mode in Mode:
            after = MODE_TABLE[mode, event]
            cells.append("·" if after is mode else after.name)
        lines.append(f"| `{event.value}` | {' | '.join(cells)} | {EVENT_WORDS[event]} |")
    return "\n".join(lines)


def rule_table() -> str:
    """The motion rules in the order in which they are applied."""
    lines = ["| | rule | what it does | with `safety.enabled: false` |", "|---|---|---|---|"]
    for number, rule in enumerate(RULES, start=1):
        stays = "stays" if rule in WATCHDOGS else "off"
        lines.append(f"| {number} | `{rule.kind.value}` | {rule.doc} | {stays} |")
    return "\n".join(lines)


def report_table() -> str:
    """Every kind of report."""
    lines = ["| kind | severity | reason given for a change |", "|---|---|---|"]
    for kind in ReportKind:
        lines.append(f"| `{kind.value}` | {severity(kind).name} | {WHY.get(kind, '')} |")
    return "\n".join(lines)


PARTS: dict[str, Callable[[], str]] = {
    "mode diagram": mode_diagram,
    "mode table": mode_table,
    "rule table": rule_table,
    "report table": report_table,
}


def with_parts(text: str) -> str:
    """Replace what stands between `<!-- made: NAME -->` and `<!-- end -->`."""

    def fill(match: re.Match[str]) -> str:
        return f"<!-- made: {match[1]} -->\n{PARTS[match[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- made: ([a-z ]+) -->\n.*?<!-- end -->", fill, text, flags=re.DOTALL)


def generated_files() -> dict[Path, str]:
    """Every file that is made, or partly made, from the code: path -> what it should hold."""
    from requirements_kit import requirements_page

    safety = ROOT / "docs" / "safety.md"
    return {
        ROOT / "src/vdsim_interface/config/vehicle_interface.yaml": vehicle_interface_yaml(),
        safety: with_parts(safety.read_text(encoding="utf-8")),
        ROOT / "docs" / "requirements.md": requirements_page(),
    }


if __name__ == "__main__":
    for path, content in generated_files().items():
        path.write_text(content, encoding="utf-8")
        print(path.relative_to(ROOT))
