"""What is allowed and doubtful is said once, at the start."""

from __future__ import annotations

import pytest
from vdsim_plant_node.cli.realtime import parser
from vdsim_plant_node.settings.options import server_settings
from vdsim_plant_node.settings.warnings import warnings_of


@pytest.mark.parametrize(
    ("arguments", "beginnings"),
    [
        ("", []),
        ("--rate 100", []),
        ("--rate 99", ["rate=99: the VDS1 contract asks for 100 Hz or more"]),
        ("--rate 11", ["rate=11: the VDS1 contract asks for 100 Hz or more"]),
        ("--rate 10", ["rate=10: a STATE every 0.1 s is not often enough for a receiver whose"]),
        ("--rate 5", ["rate=5: a STATE every 0.2 s is not often enough for a receiver whose"]),
        ("--substep 0.001", []),
        ("--substep 0.002 --tick-rate 500 --rate 100", ["substep=0.002: above 0.001 s the mo"]),
        ("--substep 0.05 --allow-coarse-substep", ["substep=0.005: above 0.001 s the motion"]),
        ("--rate 5 --tick-rate 5 --substep 0.1 --allow-coarse-substep", ["rate=5", "substep=0.1"]),
    ],
)
def test_one_line_for_each_doubtful_setting(arguments: str, beginnings: list[str]) -> None:
    lines = warnings_of(server_settings(vars(parser().parse_args(arguments.split()))))
    assert len(lines) == len(beginnings)
    for line, beginning in zip(lines, beginnings, strict=True):
        assert line.startswith(beginning)
        assert "\n" not in line
