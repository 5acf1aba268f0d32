"""A request that takes the memory of a node: the limit holds, the reason is given, the car stops.

The request is an ordinary one of the same middleware, only far too large: what a peer of another
vendor causes by its framing reaches the same limit.
"""

from __future__ import annotations

import time
from itertools import cycle

import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from vdsim_kit.compositions import CompositionProcesses
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.wire_car import WireCar

from vdsim_msgs.msg import VehicleControlCommand

SPEED_MPS = 4.0
LIMITED = {
    "process.data_growth_mb": 128,
    "process.parameter_services": "in_process",
    # A busy machine must not end autonomy before the memory does.
    "command_timeout_s": 5.0,
    "safety.report_timeout_s": 2.0,
    "safety.link_lost_s": 20.0,
}
SIZES_MB = (20, 24, 28, 32, 36)
"""In turn: a node holds a request several times; what does not fit is lost."""
NODES = {
    "single": ("vehicle_interface", "vehicle_interface"),
    "container": ("component_container", "vehicle_interface"),
    "processes": ("safety_state_machine", "safety_state_machine"),
}
"""The process, and the node in it that is asked."""


@pytest.mark.parametrize("composition", NODES)
def test_a_request_that_takes_the_memory_stops_the_car_and_keeps_it_stopped(
    composition: str,
) -> None:
    role, node = NODES[composition]
    with CompositionProcesses(composition, f"memory_{composition}", **LIMITED) as processes:
        car = WireCar(processes.command_port, processes.state_port, SPEED_MPS)
        stack = Stack(f"/{processes.namespace}", rate_hz=100.0)
        try:
            stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "the car")
            stack.command("vehicle_command", VehicleControlCommand(long_accel_mps2=1.0))
            stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomy")
            stack.wait(lambda: car.packets[-1].throttle > 0.0, "throttle")
            sizes_mb = cycle(SIZES_MB)
            asked_s = 0.0

            def ask() -> None:
                """Once a second: what is free again at the next look lets autonomy begin again."""
                nonlocal asked_s
                if time.monotonic() - asked_s > 1.0:
                    asked_s = time.monotonic()
                    text = "x" * (next(sizes_mb) << 20)
                    value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=text)
                    stack.ask(
                        SetParameters,
                        f"/{processes.namespace}/{node}/set_parameters",
                        parameters=[Parameter(name="no_such", value=value)],
                    )

            def is_stopped() -> bool:
                ask()
                reason = stack.safety.last_disengage_reason if stack.safety else ""
                return stack.mode != AUTONOMOUS and reason.startswith("memory has grown by")

            stack.wait(is_stopped, "the end of autonomy by the memory")
            assert "memory has grown" in processes.log()

            def stays_stopped() -> bool:
                """For a second: the commands of the stack go on, and auto_engage is on."""
                latest = car.packets[-100:]
                return is_stopped() and all(
                    packet.throttle == 0.0 and packet.brake > 0.0 for packet in latest
                )

            stack.wait(stays_stopped, "a second of packets that brake")
            assert processes.processes[role].poll() is None
        finally:
            stack.close()
            car.close()
