"""A platform in a folder of one's own: its radar and ultrasonic sensor, through guard and shell."""

from __future__ import annotations

import json
import math
import socket
import struct
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from sensor_msgs.msg import PointCloud2, Range
from vdsim_interface_kit.documented_platform import write_documented_platform
from vdsim_kit.compositions import CompositionProcesses
from vdsim_kit.driving import Stack
from vdsim_kit.ports import free_ports

from vdsim_msgs.msg import Capabilities, Capability

TARGETS = [[20.0, 0.5, -3.0], [35.0, -0.2, 0.0]]
POINT = struct.Struct("<4f")


class JsonCar:
    """The car of docs/new-platform.md: reports at 50 Hz until it is closed."""

    def __init__(self, port: int) -> None:
        self._address = ("127.0.0.1", port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        report: dict[str, Any] = dict.fromkeys(("v", "steer", "accel", "x", "y", "yaw"), 0.0)
        report |= {"gear": "D", "ultrasonic": math.inf, "radar": TARGETS}
        while not self._stop.wait(0.02):
            report["t"] = time.monotonic()
            self._socket.sendto(json.dumps(report).encode(), self._address)

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        self._thread.join()
        self._socket.close()


@pytest.mark.parametrize("composition", ["single", "guarded"])
def test_its_sensors_reach_the_stack(composition: str, tmp_path: Path) -> None:
    """[VI-2.1 on my_car] Extra values cross the guard's frames; no node knows the platform."""
    write_documented_platform(tmp_path)
    listen_port, car_port = free_ports(2)
    parameters = {
        "platform": "my_car",
        "platform_path": tmp_path,
        "my_car.listen_port": listen_port,
        "my_car.port": car_port,
    }
    space = f"own_sensors_{composition}"
    car, stack = JsonCar(listen_port), Stack(f"/{space}")
    with CompositionProcesses(composition, space, **parameters) as processes:
        try:
            ranges: list[Range] = []
            clouds: list[PointCloud2] = []
            stack.listen(Range, f"/{space}/sensors/rear_range", ranges.append)
            stack.listen(PointCloud2, f"/{space}/sensors/front_radar", clouds.append)
            stack.wait(lambda: bool(ranges and clouds), f"readings; {processes.log()}")
            assert ranges[-1].range == math.inf, "nothing behind the car"
            assert ranges[-1].header.frame_id == "rear_ultrasonic"
            cloud = clouds[-1]
            assert [field.name for field in cloud.fields] == ["x", "y", "z", "velocity"]
            points = list(POINT.iter_unpack(bytes(cloud.data)))
            assert points[0] == pytest.approx((20 * math.cos(0.5), 20 * math.sin(0.5), 0.0, -3.0))
            assert len(points) == cloud.width == len(TARGETS)
            table = stack.latched(Capabilities, f"/{space}/capabilities")
            radar = next(item for item in table.sensors if item.name == "front_radar")
            assert (radar.source, radar.topic) == (Capability.VEHICLE, "sensors/front_radar")
        finally:
            stack.close()
            car.close()
