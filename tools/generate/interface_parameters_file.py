"""config/vehicle_interface.yaml and autoware.yaml, from the declarations of the parameters."""

from __future__ import annotations

from vdsim_autoware.adapter import AutowareParameters
from vdsim_interface.arbitration.interface_parameters import ArbitrationParameters
from vdsim_interface.parameters.fields import Parameters
from vdsim_interface.parameters.flat import Declaration, declarations
from vdsim_interface.parameters.guard import GuardParameters
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.discovery import discover
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.process.limits import StageProcessParameters

_LINE = 100


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
        if len(setting) + len(note) + 4 <= _LINE:
            lines.append(f"{setting}  # {note}")
        else:
            lines += [*_wrapped(note, pad), setting]
    return lines


def _wrapped(text: str, pad: str) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if len(pad) + 2 + len(line) + 1 + len(word) > _LINE:
            lines.append(f"{pad}# {line}")
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, f"{pad}# {line}"]


def vehicle_interface_yaml() -> str:
    """Every parameter of the interface and its platforms, with its default and what is allowed."""
    lines = [
        "# Every parameter of the vehicle interface with its default; what is left out keeps it.",
        "# A stage or platform reads its own part and ignores the others. Generated: ./ws generate",
        "/**:",
        "  ros__parameters:",
        *_yaml_lines(InterfaceParameters()),
        *_yaml_lines(OutputParameters()),
        *_yaml_lines(StageProcessParameters()),
        *_yaml_lines(GuardParameters()),
        *_yaml_lines(ArbitrationParameters()),
    ]
    for name, spec in sorted(discover().items()):
        lines += [f"    # Platform {name}: {spec.doc}.", *_yaml_lines(spec.parameters())]
    return "\n".join(lines) + "\n"


def autoware_yaml() -> str:
    """Every parameter of the node autoware_interface."""
    lines = [
        "# Every parameter of the node autoware_interface with its default, fixed at its start.",
        "# Generated: ./ws generate",
        "/**:",
        "  ros__parameters:",
        *_yaml_lines(AutowareParameters()),
    ]
    return "\n".join(lines) + "\n"
