"""A parameter that a node does not have is refused with the nearest; the others pass on."""

from typing import Any, ClassVar, NamedTuple

from vdsim_protocol.parameter_names import NamesParameters, nearest, no_such_parameter


class Result(NamedTuple):
    successful: bool
    reason: str = ""


class Change(NamedTuple):
    name: str


class ClientLibrary:
    """The part of rclpy's node that counts."""

    _parameters: ClassVar[dict[str, object]] = {"rate_hz": 1.0, "safety.enabled": True}

    def has_parameter(self, name: str) -> bool:
        return name in self._parameters

    def set_parameters_atomically(self, parameter_list: list[Any]) -> Result:
        return Result(True, ",".join(change.name for change in parameter_list))


class Node(NamesParameters, ClientLibrary):
    RESULT = Result


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
