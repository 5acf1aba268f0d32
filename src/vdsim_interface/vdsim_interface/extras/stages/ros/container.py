"""The nodes of a container by their ids; which may be loaded and unloaded, and when.

Loading imports code and unloading destroys entities, both in the thread that sends the commands:
for as long the car gets none. So neither happens while autonomy drives, or our own stop brakes a
moving car, for any node, whatever it does. The stages of the interface stay as long as the process.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Mapping
from typing import Any

from rclpy.node import Node

from vdsim_interface.extras.stages.ros.catalogue import ComponentError, find
from vdsim_interface.extras.stages.ros.making import Wanted, make_component
from vdsim_interface.ros.process.checked_node import checked
from vdsim_interface.ros.stage_node import StageNode


class Container:
    """The nodes of the process, which ends them: `nodes` is its list and is changed in place.

    `stages`: the names of the interface's own, which cannot be loaded.
    """

    def __init__(self, nodes: list[Node], stages: Collection[str] = ()) -> None:
        self._process = nodes
        self._stage_names = stages
        self._by_id = dict(enumerate(nodes, start=1))
        self._last_id = len(nodes)

    @property
    def nodes(self) -> Mapping[int, Node]:
        """Every node by its id."""
        return self._by_id

    def load(self, name: str, package: str, wanted: Wanted, executor: Any) -> tuple[int, Node]:
        """Make a node and let the executor run it; its id. Raises ComponentError."""
        if name in self._stage_names:
            raise ComponentError(
                f"{name}: is a stage of the interface and starts with its process: use "
                f"`component_container {name} ...`, or composition:=processes"
            )
        self._check_now()
        try:
            with self._stages()[0].own_work():
                node = make_component(find(name, package), wanted)
        finally:
            gc.collect()  # a node that failed half-way leaves the graph now
        full_name = node.get_fully_qualified_name()
        if full_name in self._names():
            node.destroy_node()
            raise ComponentError(f"{full_name}: the container has a node of this name")
        asked = checked(node)
        if any(stage.parameter_service is not None for stage in self._stages()):
            asked.offer_parameters()
        self._last_id += 1
        self._by_id[self._last_id] = node
        self._process.append(node)
        executor.add_node(node)
        return self._last_id, node

    def unload(self, number: int, executor: Any) -> str:
        """Take a node that is no stage out of the process; its full name. Raises ComponentError.

        It is destroyed after the events that already wait for its timers and subscriptions: their
        callbacks would find a node without handles, which ends the process.
        """
        node = self._by_id.get(number)
        if node is None:
            ids = ", ".join(str(each) for each in self._by_id)
            raise ComponentError(f"{number}: no such id; there are {ids}")
        name = str(node.get_fully_qualified_name())
        if isinstance(node, StageNode):
            raise ComponentError(f"{name}: a stage of the interface ends with its process")
        self._check_now()
        del self._by_id[number]
        self._process.remove(node)
        executor.remove_node(node)
        # The executor itself notices the removal by an event, so those after it are the last.
        executor.create_task(lambda: executor.create_task(node.destroy_node))
        return name

    def _names(self) -> set[str]:
        return {str(node.get_fully_qualified_name()) for node in self._process}

    def _stages(self) -> list[StageNode]:
        return [node for node in self._by_id.values() if isinstance(node, StageNode)]

    def _check_now(self) -> None:
        """Raise while a pause of this process would be felt by a moving car."""
        knowing = [
            stage
            for stage in self._stages()
            if type(stage).frozen_because is not StageNode.frozen_because
        ]
        if not knowing:
            raise ComponentError("no stage of this container knows whether autonomy drives")
        for stage in knowing:
            if why := stage.frozen_because() if stage.is_active else "":
                raise ComponentError(why.replace("it cannot change", "the nodes cannot change"))
