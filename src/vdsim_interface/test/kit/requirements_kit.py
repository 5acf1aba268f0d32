"""The requirement list of the vehicle interface: which code meets each, which test proves it.

Code and tests name a requirement as [VI-3.2] in a docstring or comment; this collects the places.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
CODE = ROOT / "src" / "vdsim_interface" / "vdsim_interface"
SHIPPED_TESTS = CODE / "testing"
TESTS = (ROOT / "src" / "vdsim_interface" / "test", ROOT / "test", SHIPPED_TESTS)
TAG = re.compile(r"\[VI-([0-9.]+)\]")

REQUIREMENTS = {
    "1.1.1": "control the throttle",
    "1.1.2": "control the brake",
    "1.1.3": "control the steering",
    "1.1.4": "control the gear",
    "1.1.5": "control the headlights",
    "1.1.6": "control the turn signals",
    "1.1.7": "control the hazard lights",
    "1.1.8": "control the horn",
    "1.1.9": "control the wipers",
    "1.2.1": "report the velocity",
    "1.2.2": "report the steering angle",
    "1.2.3": "report the gear",
    "1.2.4": "report the headlights",
    "1.2.5": "report the turn signals",
    "1.2.6": "report the hazard lights",
    "1.2.7": "report the horn",
    "1.2.8": "report the wipers",
    "1.3": "hold the last command between commands (zero order)",
    "2.1": "report additional sensors",
    "2.2": "offer an API for additional control",
    "3.1": "prevent high-frequency oscillation of the control signals",
    "3.2": "prevent PARK with non-zero velocity",
    "3.3": "prevent autonomy while cabin and contents are not secured",
    "3.4": "headlights on while the wipers run",
    "3.5": "the safety functions can be switched off",
    "4.1": "high-level control of velocity",
    "4.2": "high-level control of path curvature",
    "4.3": "permit different communication mechanisms",
    "4.3.1": "connect with a simulator",
    "5.1": "block all control commands when manual control is detected",
}


def places(folder: Path, but: Path | None = None) -> dict[str, list[str]]:
    """Requirement -> where it is named, as path and enclosing function or class."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        if "__pycache__" in path.parts or path.name == Path(__file__).name:
            continue
        if but is not None and path.is_relative_to(but):
            continue
        owner = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"(?:    )?(?:def|class) (\w+)", line):
                owner = match[1]
            elif line[:1] not in ("", " ", ")", "@"):
                owner = ""
            for number in TAG.findall(line):
                place = f"{path.relative_to(ROOT)}" + (f" `{owner}`" if owner else "")
                if place not in found.setdefault(number, []):
                    found[number].append(place)
    return found


def places_in_tests() -> dict[str, list[str]]:
    """Requirement -> tests."""
    found: dict[str, list[str]] = {}
    for folder in TESTS:
        for number, where in places(folder).items():
            found.setdefault(number, []).extend(where)
    return found


def requirements_page() -> str:
    """The table as Markdown."""
    code, test = places(CODE, SHIPPED_TESTS), places_in_tests()
    lines = [
        "# Requirements of the vehicle interface",
        "",
        "Each requirement, the code that meets it and the tests that prove it. Code and tests name",
        "them as `[VI-number]`; this page is made from those names, and a test fails when a",
        "requirement has no code or no test.",
        "",
        "| | requirement | code | test |",
        "|---|---|---|---|",
    ]
    for number, text in REQUIREMENTS.items():
        cells = [_cell(code.get(number, [])), _cell(test.get(number, []))]
        lines.append(f"| {number} | {text} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines) + "\n"


def _cell(found: list[str]) -> str:
    short = [re.sub(r"^src/vdsim_interface/(vdsim_interface/)?", "", place) for place in found]
    return "<br>".join(short)
