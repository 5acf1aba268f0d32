"""The parameters of a running interface: files of its command line, its own answer. Shell."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from rcl_interfaces.srv import GetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python
from vdsim_protocol.checked_file import FileError, read_text

from vdsim_interface.ros.launching.parameter_files import COPY_OF, load

_ANSWER_S = 2.0


def files_of(node: str) -> list[tuple[str, dict[str, object]]]:
    """Each parameter file of the process of a node, on this machine, with its values for it."""
    namespace = node.rpartition("/")[0] or "/"
    for words in _command_lines():
        if f"__ns:={namespace}" not in words or "--params-file" not in words:
            continue
        names = [word for before, word in pairwise(words) if before == "--params-file"]
        found = [(_name_of(name), load(name).values_for(node)) for name in names]
        if any(values for _, values in found):
            return found
    return []


def _name_of(file: str) -> str:
    """What a file is: one that the launch wrote holds its arguments, or is a user's copy."""
    if Path(file).name.startswith("launch_params_"):
        return "an argument of the launch"
    try:
        first = read_text(Path(file)).partition("\n")[0]
    except FileError:
        return file
    return first.removeprefix(COPY_OF) if first.startswith(COPY_OF) else file


def _command_lines() -> Iterator[list[str]]:
    """Of every process of this user in our domain: others have nodes of the same name."""
    own = (os.environ.get("ROS_DOMAIN_ID") or "0").encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            raw = (folder / "cmdline").read_bytes()
            environ = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        named = [word.partition(b"=")[2] for word in environ if word.startswith(b"ROS_DOMAIN_ID=")]
        if (*named, b"0")[0] != own:
            continue
        yield [word.decode("utf-8", "replace") for word in raw.split(b"\0") if word]


def values_of(
    asking: Node, executor: SingleThreadedExecutor, node: str, names: list[str]
) -> dict[str, Any]:
    """What a node answers for its parameters; empty where it does not answer in time."""
    client = asking.create_client(GetParameters, f"{node}/get_parameters")
    end = time.monotonic() + _ANSWER_S
    while not client.service_is_ready():
        if time.monotonic() > end:
            return {}
        executor.spin_once(timeout_sec=0.05)
    future = client.call_async(GetParameters.Request(names=names))
    executor.spin_until_future_complete(future, timeout_sec=_ANSWER_S)
    answer = future.result() if future.done() else None
    if answer is None:
        return {}
    return {
        name: parameter_value_to_python(value)
        for name, value in zip(names, answer.values, strict=False)
    }
