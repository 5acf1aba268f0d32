"""How long one request of parameters holds the thread of a node that drives.

After rclpy hands it over; the largest requests that are not refused whole. Setting as many known
parameters ends after 4 ms and the set that is under way. Thread CPU time, so that other load
matters less; `wall` is the time on the clock beside it, which the load of this machine lengthens.

    ./ws bench interface/requests [--repeats 100]
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from array import array
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src/vdsim_interface"))
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParameters
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_protocol.parameter_requests import MOST_ITEMS, MOST_PARAMETERS, WHILE_DRIVING_S

LIMIT_MS = 10.0
DOUBLE, DOUBLES, TEXT = 3, 8, 4


def requests(names: list[str], n: int) -> dict[str, tuple[str, Any, Any]]:
    """The largest requests: callback, service type, request. `n` makes the values differ."""
    kind, set_them = SetParameters, "_set_parameters_callback"
    unknown = [f"safety.{n}_{k:0200d}" for k in range(MOST_PARAMETERS)]
    changes = [
        ParameterValue(type=DOUBLE, double_value=0.5 + 1e-4 * k + 1e-6 * n)
        for k in range(MOST_PARAMETERS)
    ]
    most = ParameterValue(type=DOUBLES, double_array_value=array("d", [float(n)] * MOST_ITEMS))
    too_many = ParameterValue(type=DOUBLES, double_array_value=array("d", bytes(8 * 100_000)))
    sets = {
        f"{MOST_PARAMETERS} changes": [
            Parameter(name="controller.kp_1ps", value=v) for v in changes
        ],
        f"{MOST_PARAMETERS} unknown names": [Parameter(name=name) for name in unknown],
        f"a list of {MOST_ITEMS}, {MOST_PARAMETERS} times": [
            Parameter(name="safety.steer_rate_speeds_mps", value=most)
        ]
        * MOST_PARAMETERS,
        "a list of 100000": [Parameter(name="safety.steer_rate_speeds_mps", value=too_many)],
    }
    made = {name: (set_them, kind, kind.Request(parameters=each)) for name, each in sets.items()}
    for name, asking in (("get", GetParameters), ("describe", DescribeParameters)):
        request = asking.Request(names=names)
        made[f"{name} all {len(names)}"] = (f"_{name}_parameters_callback", asking, request)
    return made


def main() -> int:
    """Print a row for each request."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=100)
    repeats = parser.parse_args().repeats
    os.environ.setdefault("ROS_DOMAIN_ID", str(os.getpid() % 101 + 1))
    lab = Lab("-p", "platform:=fake", "--log-level", "warn")
    node: Any = lab.add(VehicleInterface())
    node.start()
    node.offer_parameters()
    node.time_for_parameters_s = lambda: WHILE_DRIVING_S
    names = sorted(node._parameters)
    worst_ms = 0.0
    print(f"{'request':<32}{'p50':>8}{'max':>8}{'wall p50':>10}{'wall max':>10}  [ms]")
    took: dict[str, list[tuple[float, float]]] = {}
    for n in range(repeats):
        for name, (callback, kind, request) in requests(names, n).items():
            gc.collect()  # of what the request is made of; a node has frozen its own objects
            gc.freeze()
            begun = time.thread_time(), time.perf_counter()
            getattr(node.parameter_service, callback)(request, kind.Response())
            ended = time.thread_time(), time.perf_counter()
            took.setdefault(name, []).append((ended[0] - begun[0], ended[1] - begun[1]))
    for name, rows in took.items():
        cpu, wall = (sorted(1e3 * value for value in each) for each in zip(*rows, strict=True))
        worst_ms = max(worst_ms, cpu[-1])
        middle = len(cpu) // 2
        print(f"{name:<32}{cpu[middle]:8.2f}{cpu[-1]:8.2f}{wall[middle]:10.2f}{wall[-1]:10.2f}")
    lab.close()
    word = "met" if worst_ms <= LIMIT_MS else "missed"
    print(f"longest {worst_ms:.2f} ms, limit {LIMIT_MS:g} ms: {word}")
    return int(worst_ms > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
