"""A plant that restarts as another car is, for the interface that drives it, a reset."""

from __future__ import annotations

import pytest
from vdsim_interface.values import HighLevelCommand, NoticeKind
from vdsim_kit.plant_loop import PlantLoop
from vdsim_plant_node.live.sessions import prepare_car
from vdsim_plant_node.settings import choices

GO = HighLevelCommand(0.0, 6.0, 0.02)


def notices_after(other_car: bool) -> tuple[list[NoticeKind], list[str], float]:
    """Notices and modes of a drive that is reset, or restarted as another car; the end's speed."""
    loop = PlantLoop()
    loop.run(6.0, GO)
    loop.notices.clear()
    if other_car:
        settings = choices.chosen(loop.vehicle.settings, {"tyre": "road_235_55r19", "mu": 0.6})
        loop.vehicle.restart(prepare_car(settings, substep_s=5e-4), loop.now)
    else:
        loop.vehicle.reset(None, loop.now)
    modes = []
    for _ in range(600):
        loop.period(GO)
        mode = loop.pipeline.mode.name
        if not modes or modes[-1] != mode:
            modes.append(mode)
    return [notice.kind for notice in loop.notices], modes, loop.speed


def test_the_interface_drives_on_as_after_a_reset() -> None:
    reset, restarted = notices_after(False), notices_after(True)
    assert restarted[:2] == reset[:2]
    assert restarted[1] == ["AUTONOMOUS"]
    assert restarted[2] == pytest.approx(6.0, abs=0.3)
