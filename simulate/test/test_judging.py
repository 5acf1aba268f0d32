"""What raises is named, and its seed, and other seeds go on: a run of hours must not hide it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest
from vdsim_simulate import World, fault_table
from vdsim_simulate.cli.simulate import main
from vdsim_simulate.draw import scene_of
from vdsim_simulate.oracles import Violation, judge, table
from vdsim_simulate.record import Record
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Scene, SceneError


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fault that can happen in `single` is one of the user's, which calls a door wrongly."""

    def door_opens(world: World) -> None:
        world.people.door(True)  # type: ignore[misc]

    for name, row in fault_table.FAULTS.items():
        new = row._replace(begin=door_opens, text="a door opens", ranges={})
        monkeypatch.setitem(fault_table.FAULTS, name, new)


def test_an_oracle_that_raises_is_named_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def looks_back(record: Record) -> Iterator[Violation]:
        yield Violation(max(car.time_s for car in record.car if car.time_s < 0.0), "never")

    monkeypatch.setattr(table, "ORACLES", {"looks_back": looks_back})
    record = World(scene_of(7, "single", "can", "")).record
    with pytest.raises(SceneError, match=r"oracle looks_back, single can 7: ValueError") as raised:
        judge(record)
    assert isinstance(raised.value.__cause__, ValueError)


@pytest.mark.usefixtures("faults")
def test_a_fault_that_raises_is_named_with_its_seed() -> None:
    scene = Scene(seed=7, events=(Event(0.5, "car_stalls"),), ends_s=1.0)
    with pytest.raises(
        SceneError, match=r"^after a door opens, single vds1 7: TypeError"
    ) as raised:
        run_scene(scene)
    assert isinstance(raised.value.__cause__, TypeError)
    copy = pickle.loads(pickle.dumps(raised.value))  # as from a worker
    assert (str(copy), copy.time_s) == (str(raised.value), 0.5)


@pytest.mark.usefixtures("faults")
def test_the_other_seeds_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "3"]) == 1
    said = capsys.readouterr().out
    assert said.count("Traceback (most recent call last)") == 2  # of the first one: cause and name
    assert "in door_opens" in said
    assert said.count(": raises at ") == 3
    assert "raises: broken in 3 of 3 seeds" in said
