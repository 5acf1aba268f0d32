"""The table of the speeds that mean stands, creeps or moves: used everywhere, nothing beside it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from generate import speed_rows
from size.source_tree import modules_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src/vdsim_interface/vdsim_interface"
SHELLS = {"cli", "nodes", "ros", "ros1", "contract"}
SPEED = re.compile(r"(^|_)(speed|velocity)(_mps)?$|_mps$|_MPS$")
NO_STANDSTILL = {
    "CLOSEST_MPS": "the distance of two rows of a pedal map",
    "FASTEST_MPS": "no car is faster",
    "GAIN_PER_MPS": "a gain",
    "JUMP_MPS": "a change of speed, not a speed",
    "LEAST_SCALE_MPS": "what slip is divided by",
    "LEAST_SPEED_MPS": "a yaw rate that shows the curvature",
    "LIMITER_MPS": "a range of speeds in a fit",
    "NEAR_MPS": "an error of speed",
    "SLOWEST_MPS": "the slowest bend of a calibration",
    "SOFT_END_MPS": "a distance as a speed, by the demand of a stop",
    "STOP_LEAD_MPS": "a difference of speeds",
}
"""Constants of speed that say nothing about standing, creeping or moving, and why."""


def names_speed(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "abs":
        return names_speed(node.args[0])
    if isinstance(node, ast.UnaryOp):
        return names_speed(node.operand)
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return bool(SPEED.search(name))


def is_number(node: ast.expr) -> bool:
    """A number other than 0: the sign of a speed is its direction."""
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value != 0


def literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Comparisons of a speed with a number, and constants that hold one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(names_speed, sides)) and any(map(is_number, sides)):
                yield node.lineno, ast.unparse(node)
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            for name, value in pairs:
                if not isinstance(name, ast.Name) or name.id.lstrip("_") in NO_STANDSTILL:
                    continue
                if name.id.endswith("_MPS") and name.id != "KPH_TO_MPS" and is_number(value):
                    yield node.lineno, f"{name.id} = {ast.unparse(value)}"


def test_no_core_compares_a_speed_with_a_number_of_its_own() -> None:
    broken = []
    for module in modules_of(PACKAGE):
        if "values/speeds" not in module.path and not {*module.path.split("/")[1:-1]} & SHELLS:
            broken += [f"{module.path}:{line}: {text}" for line, text in literals(module.tree)]
    assert not broken, "make it a row of values/speeds.py:\n" + "\n".join(broken)


@pytest.mark.parametrize(
    "text",
    ["if abs(self.speed_mps) < 0.1: pass", "if 0.5 > report.velocity_mps: pass", "REST_MPS = 0.1"],
)
def test_the_rule_finds_one(text: str) -> None:
    assert list(literals(ast.parse(text)))


def test_each_row_has_a_text_and_a_user() -> None:
    rows = list(speed_rows.rows())
    source = (PACKAGE / "values/speeds.py").read_text(encoding="utf-8")
    assert [row.name for row in rows] == re.findall(r"^([A-Z_]+_MPS) = ", source, re.MULTILINE)
    assert [row.name for row in rows if not row.users] == []
    assert all(row.why for row in rows)


CHANGED_DRIVE = """
import sys, types
from pathlib import Path

import vdsim_interface

path = Path(vdsim_interface.__file__).with_name("values") / "speeds.py"
text = path.read_text().replace(sys.argv[1], sys.argv[2])
altered = types.ModuleType("vdsim_interface.values.speeds")
sys.modules[altered.__name__] = altered
exec(compile(text, str(path), "exec"), altered.__dict__)
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface_kit.interface import CRUISE, Drive

drive = Drive(safety=SafetyParameters(auto_engage=True), fake=FakeParameters(slope_rad=0.1))
drive.run(3.0, CRUISE)
drive.run(8.0)
print([o.sent.command.body.hand_brake for o in drive.outputs].index(True))
"""


def driven(before: str, after: str) -> str:
    """When a stop of ours parks, with one row changed; in a new process, where constants bind."""
    source = (PACKAGE / "values/speeds.py").read_text(encoding="utf-8")
    assert source.count(before) == 1
    return subprocess.run(
        [sys.executable, "-c", CHANGED_DRIVE, before, after],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_changing_a_row_changes_a_drive() -> None:
    row = "\nSTANDSTILL_MPS = 0.1\n"
    shipped = driven(row, row)
    assert shipped == driven(row, row)
    assert shipped != driven(row, row.replace("0.1", "0.3"))
