"""Seeds of the simulator on Dask: the same bits as in one process, and no other files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_kit.dask_processes import Dask

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = [str(ROOT / name) for name in ("simulate", "src/vdsim_record")]
sys.path[:0] = FOLDERS
from vdsim_simulate.cli.simulate import main  # noqa: E402

SEEDS = ["--seeds", "4", "--first-seed", "70000"]
HERE = os.pathsep.join(filter(None, [*FOLDERS, os.environ.get("PYTHONPATH", "")]))


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """What a run prints, without how long it took."""
    assert main([*SEEDS, *words]) == 0
    return [line for line in capsys.readouterr().out.splitlines() if "times real time" not in line]


@pytest.fixture
def dask_here(tmp_path: Path) -> Iterator[Dask]:
    """A scheduler that finds the simulator, as one that is started in a checkout."""
    folder = tmp_path / "dask_here"
    folder.mkdir()
    made = Dask(folder, source=HERE)
    yield made
    made.end()


def test_a_cluster_gives_the_bits_and_the_order_of_one_process(
    dask_here: Dask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dask_here.workers([1, 2], source=HERE)
    files = [tmp_path / name for name in ("cluster.jsonl", "one.jsonl")]
    cluster = printed(capsys, "--scheduler", dask_here.address, "--store", str(files[0]))
    assert cluster == printed(capsys, "--store", str(files[1]))
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_worker_without_these_files_is_refused(
    dask: Dask, capsys: pytest.CaptureFixture[str]
) -> None:
    dask.workers([1])
    assert main([*SEEDS, "--scheduler", dask.address]) == 2
    err = capsys.readouterr().err
    assert "has no such vdsim_simulate: " in err
    assert "ModuleNotFoundError" in err


def test_a_scheduler_without_these_files_is_refused(
    dask: Dask, capsys: pytest.CaptureFixture[str]
) -> None:
    dask.workers([1], source=HERE)
    assert main([*SEEDS, "--scheduler", dask.address]) == 2
    assert "must have vdsim_simulate, as its workers do" in capsys.readouterr().err


def test_an_address_without_a_scheduler_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SEEDS, "--scheduler", "somewhere"]) == 2
    said = "simulate: --scheduler=somewhere: must be tcp://HOST:PORT, tls://HOST:PORT or none\n"
    assert capsys.readouterr().err == said
