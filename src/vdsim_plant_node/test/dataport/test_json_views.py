"""What is shown: who drives, grip in use, the road in the world frame."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from vdsim_plant.ground import Ground, MuGrid, PolygonPatch, SplitMu, XPatch
from vdsim_plant.motion import PedalInput
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant_node.dataport import json_views
from vdsim_plant_node.dataport.json_views import Driver, driver_of
from vdsim_plant_node.live.sessions import build_session
from vdsim_plant_node.live.snapshots import PortSnapshot
from vdsim_plant_node.live.strangers import Stranger
from vdsim_plant_node.runs.recording import InputSource
from vdsim_plant_node.runs.recording_status import RecordingStatus
from vdsim_plant_node.settings.server_settings import VehicleSettings, WorldOrigin
from vdsim_protocol.vds1 import Command, Receiver

ORIGIN = WorldOrigin(x_m=100.0, y_m=-50.0, z_m=2.0)


@pytest.mark.parametrize(
    ("drive", "source", "driver"),
    [
        (Drive.WAITING, None, Driver.WAITING),
        (Drive.COMMANDED, InputSource.COMMAND, Driver.UDP),
        (Drive.COMMANDED, InputSource.LOCAL, Driver.IO),
        (Drive.COMMANDED, None, Driver.FAILSAFE),
        (Drive.FAILSAFE, None, Driver.FAILSAFE),
    ],
)
def test_who_drives(drive: Drive, source: InputSource | None, driver: Driver) -> None:
    assert driver_of(drive, source) is driver


def test_a_snapshot_is_in_the_world_frame_and_complete() -> None:
    session = build_session(VehicleSettings(), substep_s=5e-4)
    session.set_input(PedalInput(0.05, 0.5, 0.0, 1, False))
    for _ in range(200):
        session.tick(0.005)
    shown = json_views.snapshot_view(session.output(), ORIGIN)
    motion = session.state()
    assert shown["x"] == pytest.approx(100.0 + motion.x_m)
    assert shown["y"] == pytest.approx(-50.0 + motion.y_m)
    assert shown["t"] == pytest.approx(1.0)
    assert shown["vx"] == motion.vx_mps > 2.0
    assert shown["command"]["throttle"] == 0.5
    assert shown["gear"] == 1
    for name in ("Fx", "Fy", "Fz", "kappa", "alpha", "mu", "grip", "spin", "susp"):
        assert len(shown[name]) == 4, name
    assert all(0.05 < grip <= 1.0 + 1e-9 for grip in shown["grip"])


def test_grip_in_use_is_force_over_friction_and_zero_in_the_air() -> None:
    motion = build_session(VehicleSettings(), substep_s=5e-4).state()
    motion = replace(
        motion,
        tire_fx_n=(300.0, 0.0, 900.0, 5.0),
        tire_fy_n=(400.0, 0.0, 0.0, 5.0),
        tire_fz_n=(1000.0, 1000.0, 1000.0, 0.0),
        wheel_mu=(0.5, 0.5, 0.9, 0.9),
    )
    assert json_views.grip_use(motion) == pytest.approx((1.0, 0.0, 1.0, 0.0))


def test_the_road_is_shown_in_the_world_frame() -> None:
    ground = Ground(
        base_mu=0.8,
        split=SplitMu(0.9, 0.3, 1.0),
        grid=MuGrid(np.array([[0.5, np.nan]]), 2.0, 10.0, 20.0),
        x_patches=(XPatch(60.0, 80.0, 0.2),),
        polygons=(PolygonPatch(((0, 0), (1, 0), (0, 1)), 0.4),),
    )
    assert json_views.road_view(ground, ORIGIN) == {
        "base_mu": 0.8,
        "split": {"y": -49.0, "left": 0.9, "right": 0.3},
        "grid": {"x": 110.0, "y": -30.0, "cell": 2.0, "rows": [[0.5, None]]},
        "x_patches": [[160.0, 180.0, 0.2]],
        "polygons": [{"points": [[100.0, -50.0], [101.0, -50.0], [100.0, -49.0]], "mu": 0.4}],
        "transition": 0.0,
        "plane": {"gx": 0.0, "gy": 0.0, "z0": 2.0},
    }


def test_an_unknown_vehicle_is_told_which_there_are() -> None:
    assert json_views.unknown_vehicle(7, {1: None, 2: None}) == {
        "error": "vehicle=7: must be one of 1, 2",
        "vehicles": [1, 2],
    }


def test_a_recording_that_has_ended_is_shown_with_its_reason() -> None:
    assert json_views.recording_view(None) is None
    status = RecordingStatus(Path("runs/run.2.vds"), 1234, "No space left on device")
    assert json_views.recording_view(status) == {
        "file": "run.2.vds",
        "bytes": 1234,
        "failure": "No space left on device",
    }


def test_both_senders_are_shown() -> None:
    nobody = PortSnapshot(
        ("127.0.0.1", 1), Receiver(Command).counters(), 0, 0, {4: None}, {4: None}
    )
    assert json_views.senders_view(nobody, 4) == {"owner": None, "stranger": None}
    owner, stranger = ("127.0.0.1", 2), Stranger(("127.0.0.1", 3), 17)
    both = replace(nobody, owners={4: owner}, strangers={4: stranger})
    assert json_views.senders_view(both, 4) == {
        "owner": "127.0.0.1:2",
        "stranger": {"address": "127.0.0.1:3", "packets": 17},
    }
