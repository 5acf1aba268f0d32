"""A parameter that a node does not have is refused with the nearest; the others pass on."""

from typing import Any, ClassVar, NamedTuple

from vdsim_protocol.checked_node import AUTO, CheckedNode, offer_parameters
from vdsim_protocol.parameter_names import nearest, no_such_parameter


class Result(NamedTuple):
    successful: bool
    reason: str = ""


class Change(NamedTuple):
    name: str
    value: object = None


class ClientLibrary:
    """The part of rclpy's node that counts."""

    def __init__(self, *, start_parameter_services: bool, parameter_overrides: list[Any]) -> None:
        assert not start_parameter_services
        assert [each.name for each in parameter_overrides] == ["start_type_description_service"]

    _parameters: ClassVar[dict[str, object]] = {"rate_hz": 1.0, "safety.enabled": True}

    def has_parameter(self, name: str) -> bool:
        return name in self._parameters

    def set_parameters_atomically(self, parameter_list: list[Any]) -> Result:
        return Result(True, ",".join(change.name for change in parameter_list))


class Node(CheckedNode, ClientLibrary):
    RESULT = Result
    PARAMETER = Change


def test_known_names_pass_on() -> None:
    answer = Node().set_parameters_atomically([Change("rate_hz"), Change("safety.enabled")])
    assert answer == Result(True, "rate_hz,safety.enabled")


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    answer = Node().set_parameters_atomically([Change("rate_hz"), Change("rate_h")])
    assert answer == Result(False, "rate_h: no such parameter; did you mean rate_hz?")
    assert no_such_parameter("zzz", ["rate_hz"]) == "no such parameter"
    assert nearest("saftey.enabled", ["rate_hz", "safety.enabled"]) == (
        "; did you mean safety.enabled?"
    )


class Asked:
    """A node of a process."""

    def __init__(self, choice: str = AUTO, *, is_closed: bool = False) -> None:
        self.parameter_services, self.is_closed = choice, is_closed
        self.is_open = False

    def offer_parameters(self) -> None:
        self.is_open = True


def test_one_closed_node_closes_its_process_unless_a_node_was_opened_by_name() -> None:
    nodes = [Asked(), Asked(is_closed=True), Asked("in_process"), Asked("off")]
    offer_parameters(nodes)
    assert [node.is_open for node in nodes] == [False, False, True, False]
    others = [Asked(), Asked("off")]
    offer_parameters(others)
    assert [node.is_open for node in others] == [True, False]
