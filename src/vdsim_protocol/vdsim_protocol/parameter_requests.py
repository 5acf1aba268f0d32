"""Requests of parameters: measured before anything else, and each one answered.

rclpy's own service passes an exception on to the executor, which ends the process: one request with
a type of value that does not exist is enough. It also converts, copies and formats whatever a
request holds, in the thread that drives. Here every part of a request is counted first, every
exception becomes an answer, and a request that sets parameters ends within the time that the node
has for it. Both packages with ROS nodes use it; it needs no ROS itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from vdsim_protocol.shown import shortened

MOST_PARAMETERS = 1000
"""In one request that sets them. `ros2 param load` sends all of a node at once."""
MOST_PREFIXES = 32
"""In one request that lists names."""
LONGEST_NAME = 256
"""Characters of a name."""
MOST_ITEMS = 1000
"""Items of a list."""
LONGEST_TEXT = 4096
"""Characters of a text, or of all texts of a list: a path may have as many."""
LONGEST_REASON = 1000
"""Characters of an answer."""
WHILE_DRIVING_S = 0.004
"""After this time of one request no further parameter is set: setting one takes up to 3 ms."""
AT_REST_S = 0.5
"""The same in a node that knows that no car is driven."""

_TYPES = 10
_LISTS = (
    *("byte_array_value", "bool_array_value", "integer_array_value", "double_array_value"),
    "string_array_value",
)


def fault_of_names(names: Sequence[str], most: int) -> str:
    """Return why a list of names is refused; empty when it is not."""
    if len(names) > most:
        return f"{len(names)} names in a request: must be at most {most}"
    longest = max(map(len, names), default=0)
    if longest > LONGEST_NAME:
        return f"a name of {longest} characters: must have at most {LONGEST_NAME}"
    return ""


def fault_of_value(name: str, value: Any) -> str:
    """Return why a ParameterValue is refused, by its type and its sizes alone."""
    if value.type >= _TYPES:
        return f"{name}: type {value.type} of a value: must be 0 to {_TYPES - 1}"
    for field in _LISTS:
        count = len(getattr(value, field))
        if count > MOST_ITEMS:
            return f"{name}: a list of {count} items: must have at most {MOST_ITEMS}"
    length = len(value.string_value) + sum(map(len, value.string_array_value))
    if length > LONGEST_TEXT:
        return f"{name}: a text of {length} characters: must have at most {LONGEST_TEXT}"
    return ""


def plain(value: Any) -> object:
    """A parameter's value as Python's own types."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


class ChecksRequests:
    """Base of a parameter service, before rclpy's, whose callbacks it replaces."""

    RESULT: ClassVar[Callable[..., Any]]
    """rcl_interfaces' SetParametersResult."""
    FROM_MESSAGE: ClassVar[Callable[[Any], Any]]
    """rclpy's Parameter.from_parameter_msg."""
    NOW: ClassVar[Callable[[], float]]
    """A monotonic clock [s]."""

    def _get_node(self) -> Any:
        return super()._get_node()  # type: ignore[misc]

    def _describe_parameters_callback(self, request: Any, response: Any) -> Any:
        return self._asked("_describe_parameters_callback", request, response)

    def _get_parameters_callback(self, request: Any, response: Any) -> Any:
        return self._asked("_get_parameters_callback", request, response)

    def _get_parameter_types_callback(self, request: Any, response: Any) -> Any:
        return self._asked("_get_parameter_types_callback", request, response)

    def _asked(self, callback: str, request: Any, response: Any) -> Any:
        """Answer with nothing where rclpy would for an unknown name: its answer has no reason."""
        known = len(self._get_node()._parameters)
        return self._guarded(callback, request, response, fault_of_names(request.names, known))

    def _list_parameters_callback(self, request: Any, response: Any) -> Any:
        fault = fault_of_names(request.prefixes, MOST_PREFIXES)
        return self._guarded("_list_parameters_callback", request, response, fault)

    def _guarded(self, callback: str, request: Any, response: Any, fault: str) -> Any:
        empty = type(response)()
        if fault:
            return empty
        try:
            return getattr(super(), callback)(request, response)
        except Exception:  # the answer is that there is none; the process goes on
            return empty

    def _set_parameters_callback(self, request: Any, response: Any) -> Any:
        messages = request.parameters
        if len(messages) > MOST_PARAMETERS:
            fault = f"{len(messages)} parameters in a request: must be at most {MOST_PARAMETERS}"
            response.results = [self._refused(fault)]
            return response
        node = self._get_node()
        # A node of another package has no time of its own for it.
        time_s = getattr(node, "time_for_parameters_s", lambda: WHILE_DRIVING_S)()
        end_s = type(self).NOW() + time_s
        has_named, unknown = False, self._refused("no such parameter")
        for done_n, message in enumerate(messages):
            if type(self).NOW() > end_s:
                rest = f"{done_n} of {len(messages)} parameters were set in the time of a request"
                late = self._refused(f"{rest}: send the others in further requests")
                response.results.extend([late] * (len(messages) - done_n))
                break
            if has_named and message.name not in node._parameters:
                # One search for a similar name a request: it takes a millisecond.
                response.results.append(unknown)
                continue
            has_named |= message.name not in node._parameters
            response.results.append(self._set(node, [message]))
        return response

    def _set_parameters_atomically_callback(self, request: Any, response: Any) -> Any:
        response.result = self._set(self._get_node(), request.parameters)
        return response

    def _set(self, node: Any, messages: Sequence[Any]) -> Any:
        """Set all or none of them; whatever fails is the reason."""
        try:
            fault = _fault_of(messages)
            if fault:
                return self._refused(fault)
            changes = [type(self).FROM_MESSAGE(message) for message in messages]
            changes = [change for change in changes if not _is_so(change, node._parameters)]
            if not changes:
                return self.RESULT(successful=True)
            result = node.set_parameters_atomically(changes)
            result.reason = shortened(result.reason, LONGEST_REASON)
            return result
        except Exception as error:  # an answer in place of the end of the process
            return self._refused(f"{type(error).__name__}: {error}")

    def _refused(self, reason: str) -> Any:
        return self.RESULT(successful=False, reason=shortened(reason, LONGEST_REASON))


def _fault_of(messages: Sequence[Any]) -> str:
    names = [message.name for message in messages]
    fault = fault_of_names(names, MOST_PARAMETERS)
    if fault:
        return fault
    if len(set(names)) < len(names):
        return "a name is twice in the request"
    for message in messages:
        fault = fault_of_value(message.name, message.value)
        if fault:
            return fault
    return ""


def _is_so(change: Any, known: Mapping[str, Any]) -> bool:
    """Whether the parameter has this value already: nothing is to be done."""
    present = known.get(change.name)
    if present is None or present.type_ != change.type_:
        return False
    return bool(plain(present.value) == plain(change.value))
