"""Two cars in one ROS graph: each has its own topics, ports and frames on the one /tf."""

from __future__ import annotations

from pathlib import Path

from tf2_msgs.msg import TFMessage
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.launched import Launched
from vdsim_kit.ports import free_ports

SPEEDS_MPS = {"car_1": 2.0, "car_2": 4.0}


def test_two_cars_drive_in_their_own_namespaces_and_frames(tmp_path: Path) -> None:
    launches, stacks = [], {}
    try:
        for name in SPEEDS_MPS:
            folder = tmp_path / name
            folder.mkdir()
            command_port, state_port = free_ports(2)
            launches.append(
                Launched(
                    folder,
                    "vdsim",
                    namespace=name,
                    plant_namespace=name,
                    frame_prefix=f"{name}/",
                    plant_port=command_port,
                    state_port=state_port,
                    dashboard="off",
                )
            )
            stacks[name] = Stack(f"/{name}")
        frames: set[tuple[str, str]] = set()

        def on_tf(message: TFMessage) -> None:
            pairs = ((each.header.frame_id, each.child_frame_id) for each in message.transforms)
            frames.update(pairs)

        stacks["car_1"].listen(TFMessage, "/tf", on_tf)
        for name, stack in stacks.items():
            stack.drive(SPEEDS_MPS[name])
            stack.wait(lambda stack=stack: stack.mode == AUTONOMOUS, f"{name} autonomous")
        for name, stack in stacks.items():
            speed = SPEEDS_MPS[name]
            stack.wait(
                lambda stack=stack, speed=speed: abs(stack.speed - speed) < 0.3,
                f"{name} at {speed} m/s",
            )
        expected = {(f"{name}/odom", f"{name}/base_link") for name in SPEEDS_MPS}
        stacks["car_1"].wait(lambda: len(frames) >= len(expected), "the frames of both cars")
        assert frames == expected
    finally:
        for stack in stacks.values():
            stack.close()
        codes = [launch.end() for launch in launches]
    assert codes == [0, 0]
