"""Parameters that a scene sets reach the interface, and each alternative is one that it accepts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vdsim_interface.parameters.fields import ParameterError
from vdsim_simulate.draw import scene_of
from vdsim_simulate.oracles import Violation
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import COMPOSITIONS, Leg, Scene, scene_from
from vdsim_simulate.shrink import shrink
from vdsim_simulate.wiring.settings import ROWS, SHARE
from vdsim_simulate.wiring.shipped import interface_parameters

SHORT = Scene(legs=(Leg(0.0, 3.0),), start_mps=3.0, heals_s=3.0, ends_s=2.0)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: next(iter(row[0])))
def test_each_alternative_is_accepted_alone(row: tuple[dict[str, object], ...]) -> None:
    default = interface_parameters(SHORT)
    for values in row:
        scene = scene_from({"parameters": values})
        assert interface_parameters(scene) != default, values


@pytest.mark.parametrize("rate_hz", [15.0, 50.0, 200.0])
@pytest.mark.parametrize("composition", COMPOSITIONS[:3])
def test_the_rate_is_that_of_the_packets(composition: str, rate_hz: float) -> None:
    scene = replace(SHORT, composition=composition, parameters={"rate_hz": rate_hz})
    sent = [packet for packet in run_scene(scene).packets if packet.time_s > 1.0]
    assert len(sent) == pytest.approx(rate_hz, abs=2)


def test_an_unknown_parameter_is_named() -> None:
    scene = replace(SHORT, parameters={"safety.jerk_mps3": 1.0})
    with pytest.raises(ParameterError, match=r"safety.jerk_mps3.*did you mean safety.jerk_max"):
        run_scene(scene)


def test_about_a_third_of_the_scenes_has_parameters_that_are_accepted_together() -> None:
    scenes = [scene_of(seed, name) for seed in range(150) for name in COMPOSITIONS]
    drawn = [scene for scene in scenes if scene.parameters]
    assert len(drawn) == pytest.approx(SHARE * len(scenes), rel=0.2)
    for scene in drawn:
        interface_parameters(scene)
    names = {name for scene in drawn for name in scene.parameters}
    assert names == {name for row in ROWS for values in row for name in values}


def test_what_breaks_without_a_parameter_is_shrunk_to_the_others() -> None:
    scene = replace(SHORT, parameters={"rate_hz": 50.0, "safety.shift_time_s": 0.1})

    def breaks(tried: Scene) -> Violation | None:
        return Violation(1.0, "by the rate") if "rate_hz" in tried.parameters else None

    assert shrink(scene, breaks).parameters == {"rate_hz": 50.0}


@pytest.mark.parametrize("rate_hz", [12.5, 50.0, 100.0])
def test_a_car_reports_as_often_as_the_scene_says(rate_hz: float) -> None:
    record = run_scene(replace(SHORT, state_rate_hz=rate_hz))
    assert len(record.states) / SHORT.ends_s == pytest.approx(rate_hz, rel=0.05)
