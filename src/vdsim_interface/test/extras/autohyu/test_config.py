"""The shipped parameter file shows every parameter with its default."""

from __future__ import annotations

from pathlib import Path

import yaml
from vdsim_interface.extras.autohyu import AutohyuParameters
from vdsim_interface.parameters.flat import flatten, from_flat, to_flat

ROOT = Path(__file__).resolve().parents[5]


def test_the_file_holds_every_default() -> None:
    text = (ROOT / "src/vdsim_interface/config/autohyu.yaml").read_text(encoding="utf-8")
    values = flatten(yaml.safe_load(text)["/**"]["ros__parameters"])
    assert set(values) == set(to_flat(AutohyuParameters()))
    assert from_flat(AutohyuParameters, values) == AutohyuParameters()
