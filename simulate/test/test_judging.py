"""An oracle that fails by itself is named, and its seed: a run of hours must not hide it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from vdsim_simulate.draw import scene_of
from vdsim_simulate.oracles import Violation, judge, table
from vdsim_simulate.oracles.table import OracleError
from vdsim_simulate.record import Record
from vdsim_simulate.world import World


def test_an_oracle_that_raises_is_named_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def looks_back(record: Record) -> Iterator[Violation]:
        yield Violation(max(car.time_s for car in record.car if car.time_s < 0.0), "never")

    monkeypatch.setattr(table, "ORACLES", {"looks_back": looks_back})
    record = World(scene_of(7, "single", "can", "")).record
    with pytest.raises(OracleError, match=r"oracle looks_back, single can 7: ValueError") as raised:
        judge(record)
    assert isinstance(raised.value.__cause__, ValueError)
