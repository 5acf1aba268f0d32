"""Makes the node of a component, with name, parameters and remappings where they are asked for."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from rclpy.logging import LoggingSeverity
from rclpy.node import Node
from rclpy.parameter import Parameter

from vdsim_interface.extras.stages.ros.catalogue import Component, ComponentError


class Wanted(NamedTuple):
    """How a node is to differ from what its class makes without arguments.

    `log_level`: as in rcl_interfaces/Log; 0: as the process.
    """

    node_name: str = ""
    namespace: str = ""
    remap_rules: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    log_level: int = 0


AS_IT_IS = Wanted()


def make_component(component: Component, wanted: Wanted = AS_IT_IS) -> Node:
    """Return the node. Raises ComponentError, whatever the package raises."""
    kind = _guarded(component.name, component.entry.load)
    if not callable(kind):
        raise ComponentError(f"{component.name}: {component.entry.value} is no class of nodes")
    options = _node_options(wanted)
    _check_takes(component, kind, options)
    level = _severity(wanted.log_level)  # before there is a node that would be left
    node = _guarded(component.name, lambda: kind(**options))
    if not isinstance(node, Node):
        raise ComponentError(f"{component.name}: made a {type(node).__name__}, not a node")
    if level is not None:
        node.get_logger().set_level(level)
    return node


def _severity(level: int) -> LoggingSeverity | None:
    if not level:
        return None
    try:
        return LoggingSeverity(level)
    except ValueError:
        allowed = ", ".join(str(each.value) for each in LoggingSeverity)
        raise ComponentError(f"log_level={level}: must be one of {allowed}") from None


def _node_options(wanted: Wanted) -> dict[str, Any]:
    """The keywords of rclpy's Node."""
    rules = [*wanted.remap_rules]
    if wanted.node_name:
        rules.append(f"__node:={wanted.node_name}")
    if wanted.namespace:
        rules.append(f"__ns:={wanted.namespace}")
    options: dict[str, Any] = {}
    if rules:
        options["cli_args"] = ["--ros-args", *(word for rule in rules for word in ("-r", rule))]
    if wanted.parameters:
        options["parameter_overrides"] = list(wanted.parameters)
    return options


def _check_takes(component: Component, kind: Any, options: dict[str, Any]) -> None:
    if not options:
        return
    try:
        taken = inspect.signature(kind).parameters
    except (TypeError, ValueError):  # of a class that is not written in Python
        return
    if any(item.kind is item.VAR_KEYWORD for item in taken.values()):
        return
    missing = [name for name in options if name not in taken]
    if missing:
        raise ComponentError(
            f"{component.name}: takes no {' and no '.join(missing)}, so name, namespace, "
            "remappings and parameters cannot be set: let __init__ take **options and pass them "
            "to Node"
        )


def _guarded(name: str, action: Callable[[], Any]) -> Any:
    """Run code of the package; what it raises becomes one line that names the place."""
    try:
        return action()
    except (Exception, SystemExit) as error:  # whatever a foreign package raises
        line = " ".join(str(error).split())
        text = f"{name}: {type(error).__name__}: {line} ({_place(error)})"
        # A half-made node lives as long as the frames that refer to it.
        traceback.clear_frames(error.__traceback__)
    raise ComponentError(text)


def _place(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"
