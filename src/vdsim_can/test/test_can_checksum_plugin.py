"""An algorithm that no rule can express comes from another package, by its entry point."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from vdsim_can.car import load_car
from vdsim_can.data import example
from vdsim_can.integrity import checksum_of
from vdsim_protocol.checked_file import FileError

CODE = """
def product(data):
    result = 1
    for byte in data:
        result = result * (2 * byte + 1) % 251
    return result

def wrong(data):
    return "no number"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example beside an installed package that offers algorithms."""
    (tmp_path / "maker_sums.py").write_text(CODE, encoding="utf-8")
    info = tmp_path / "maker_sums-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: maker-sums\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[vdsim_can.checksums]\nproduct = maker_sums:product\nwrong = maker_sums:wrong\n"
        "absent = maker_sums:absent\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "maker_sums", raising=False)
    shutil.copy(example("vdsim_dbw").with_suffix(".dbc"), tmp_path)
    return tmp_path


def with_algorithm(folder: Path, name: str) -> Path:
    text = example("vdsim_dbw").read_text(encoding="utf-8")
    rule = "algorithm: crc, width: 8, poly: 0x2F, init: 0xFF, xor_out: 0xFF"
    assert rule in text
    path = folder / "car.yaml"
    path.write_text(text.replace(rule, f"algorithm: {name}"), encoding="utf-8")
    return path


def test_the_function_of_a_package_computes_the_checksum(folder: Path) -> None:
    car = load_car(with_algorithm(folder, "product"))
    row = car.send["DBW_STEER_CMD"]
    assert row.checksum is not None
    compute = checksum_of(row.checksum, car.message("DBW_STEER_CMD"), row.counter)
    assert compute(bytes([0, 1, 0, 0, 0, 0, 0, 2]), 1) == 3 * 5 * 35 % 251  # and the Data-ID 0x11


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nothing", "algorithm=nothing: must be one of crc, sum, xor, absent, product, wrong"),
        ("wrong", "maker_sums:wrong must turn bytes into a whole number"),
        ("absent", "maker_sums:absent cannot be used"),
    ],
)
def test_one_that_is_not_there_or_does_not_work_is_refused(
    folder: Path, name: str, problem: str
) -> None:
    with pytest.raises(FileError, match=problem):
        load_car(with_algorithm(folder, name))
