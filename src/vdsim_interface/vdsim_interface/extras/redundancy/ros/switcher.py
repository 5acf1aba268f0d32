"""The switcher's topic at the node command_mux: the entry point `vdsim_interface.command_mux`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from vdsim_interface.extras.redundancy.ros.typed_by_name import message_type, unit_numbers
from vdsim_interface.extras.redundancy.selector import Selector, SelectorParameters
from vdsim_interface.extras.ros.fixed_parameters import declare_part
from vdsim_interface.ros import topics

if TYPE_CHECKING:
    from vdsim_interface.extras.mux.nodes.command_mux import CommandMuxNode


def extend(node: CommandMuxNode) -> Callable[[], None]:
    """Declare `selector.*`; what is returned lets the mux of the node obey the topic."""
    parameters = declare_part(node, "selector", SelectorParameters())

    def begin() -> None:
        if not parameters.topic:
            return
        selector = Selector(parameters, node.mux.sources)
        kind = message_type("selector.type", parameters.type)
        node.mux.selection = selector

        def on_message(message: object) -> None:
            selector.on_selection(
                unit_numbers(message, parameters.field)
            )  # counts in the next tick

        node.create_subscription(kind, parameters.topic, on_message, topics.REPORT_QOS)

    return begin
