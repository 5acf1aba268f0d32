"""`record` checks no number of values, so it is compared here wherever a package uses it."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vdsim_interface.values import VehicleCommand
from vdsim_interface.values.records import record

import vdsim_interface

ROOT = Path(vdsim_interface.__file__).parent


def uses() -> Iterator[tuple[str, Any, int]]:
    """Place, class and number of values of every use of `record`."""
    for file in sorted(ROOT.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "import record\n" not in text:
            continue
        tree = ast.parse(text)
        name = ".".join(("vdsim_interface", *file.relative_to(ROOT).with_suffix("").parts))
        module = importlib.import_module(name)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "record":
                kind, given = node.args
                if ast.unparse(kind) == "kind":
                    continue  # the guard's codec: its layout has the number, from the fields
                assert isinstance(given, ast.Tuple), f"{name}:{node.lineno}: give a tuple"
                cls = eval(ast.unparse(kind), vars(module))
                yield f"{name}:{node.lineno}", cls, len(given.elts)


def test_every_record_has_a_value_for_each_field() -> None:
    found = list(uses())
    assert len(found) >= 15
    for place, kind, count in found:
        assert count == len(kind._fields), place


def test_a_record_is_what_its_class_makes() -> None:
    made = record(VehicleCommand, (1.0, 2.0, 3.0, 4.0))
    assert type(made) is VehicleCommand
    assert made == VehicleCommand(1.0, 2.0, 3.0, 4.0)
    assert made.rear_wheel_angle_rad == 4.0
