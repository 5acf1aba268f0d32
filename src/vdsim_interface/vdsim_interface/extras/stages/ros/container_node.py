"""The services of a container, by the names that `ros2 component` and launch_ros use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rclpy.parameter import Parameter

from vdsim_interface.extras.stages.ros.catalogue import ComponentError
from vdsim_interface.extras.stages.ros.container import Container
from vdsim_interface.extras.stages.ros.making import Wanted
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.ros.process.checked_node import PrivateNode

NAME = "component_container"
SWITCH = "process.component_services"
LONGEST_REASON = 1000
IGNORED = ("use_intra_process_comms",)
"""Extra arguments that launch_ros sends and that mean nothing in Python."""
R = TypeVar("R")


class ContainerNode(PrivateNode):
    """Answers load_node, unload_node and list_nodes; each refusal is one line in the answer."""

    def __init__(self, container: Container, name: str = NAME) -> None:
        super().__init__(name)
        self._container = container
        self._check_overrides()
        kinds = _service_types()
        services: dict[str, Callable[[Any, Any], Any]] = {
            "ListNodes": self._on_list,
            "LoadNode": self._on_load,
            "UnloadNode": self._on_unload,
        }
        for kind, callback in services.items():
            topic = kind.replace("Node", "_node").lower()
            self.create_service(getattr(kinds, kind), f"~/_container/{topic}", callback)

    def _check_overrides(self) -> None:
        """Raise for parameters of this node alone: they are meant for a node that it holds."""
        of_nodes = [node._parameter_overrides for node in self._container.nodes.values()]
        if not of_nodes:
            return
        others = {name for overrides in of_nodes for name in overrides}
        for name, override in self._parameter_overrides.items():
            if name not in others:
                rule = f"{self.get_name()} has no parameters: set it for /** or vehicle_interface"
                raise ParameterError(name, override.value, rule)

    def _on_list(self, request: Any, response: Any) -> Any:
        for number, node in self._container.nodes.items():
            response.full_node_names.append(node.get_fully_qualified_name())
            response.unique_ids.append(number)
        return response

    def _on_load(self, request: Any, response: Any) -> Any:
        def load() -> None:
            number, node = self._container.load(
                request.plugin_name, request.package_name, _wanted(request), self.executor
            )
            response.unique_id = number
            response.full_node_name = node.get_fully_qualified_name()
            self.get_logger().info(f"loaded {response.full_node_name} as {number}")

        return self._answer("load", load, response)

    def _on_unload(self, request: Any, response: Any) -> Any:
        def unload() -> None:
            name = self._container.unload(request.unique_id, self.executor)
            self.get_logger().info(f"unloaded {name}")

        return self._answer("unload", unload, response)

    def _answer(self, what: str, action: Callable[[], None], response: R) -> R:
        answer: Any = response
        try:
            action()
        except Exception as error:  # the process that sends the commands goes on
            known = isinstance(error, ComponentError)
            text = str(error) if known else f"{type(error).__name__}: {error}"
            text = " ".join(text.split())[:LONGEST_REASON]  # what is asked for may be in it
            self.get_logger().error(f"{what} refused: {text}")
            answer.success, answer.error_message = False, text
            return response
        answer.success = True
        return response


def _service_types() -> Any:
    try:
        from composition_interfaces import srv
    except ImportError as error:
        rule = f"needs the package composition_interfaces ({error})"
        raise ParameterError(SWITCH, True, rule) from None
    return srv


def _wanted(request: Any) -> Wanted:
    unknown = [each.name for each in request.extra_arguments if each.name not in IGNORED]
    if unknown:
        raise ComponentError(f"{unknown[0]}: no such extra argument of this container")
    return Wanted(
        node_name=request.node_name,
        namespace=request.node_namespace,
        remap_rules=tuple(request.remap_rules),
        parameters=tuple(Parameter.from_parameter_msg(each) for each in request.parameters),
        log_level=request.log_level,
    )
