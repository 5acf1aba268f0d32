"""Names of parameters that do not exist: the reason of a refusal, with the nearest that does.

Both packages with ROS nodes use it; it needs no ROS itself.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a question for the known name that is most similar; empty without one."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def no_such_parameter(name: str, known: Iterable[str]) -> str:
    """Return the reason for rejecting a name."""
    return f"no such parameter{nearest(name, known)}"


class NamesParameters:
    """Base of a node, before rclpy's: a change of a parameter that it does not have is named.

    `RESULT`: rcl_interfaces' SetParametersResult, by the class that derives from this one.
    """

    RESULT: ClassVar[Callable[..., Any]]

    def set_parameters_atomically(self, parameter_list: Sequence[Any]) -> Any:
        """Reject unknown names with the nearest known one; rclpy's reason names neither."""
        node: Any = self
        for parameter in parameter_list:
            if not node.has_parameter(parameter.name):
                why = no_such_parameter(parameter.name, node._parameters)
                return self.RESULT(successful=False, reason=f"{parameter.name}: {why}")
        return super().set_parameters_atomically(parameter_list)  # type: ignore[misc]
