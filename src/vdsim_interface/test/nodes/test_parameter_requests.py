"""What a request of parameters may do to a node: it is measured, answered, and over soon."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    GetParameterTypes,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_protocol.parameter_requests import WHILE_DRIVING_S

LONG = "n" * 10_000
REFUSED = "cannot be used"
DOUBLES, TEXT, TEXTS = 8, 4, 9


class Asked:
    """A node, and requests in the form in which rclpy hands them over."""

    def __init__(self) -> None:
        self.lab = Lab("-p", "platform:=fake")
        self.node = self.lab.add(VehicleInterface())
        self.node.start()
        self.node.offer_parameters()
        self.took_s = 0.0

    def _ask(self, callback: str, kind: Any, request: Any) -> Any:
        begun_s = time.thread_time()
        answer = getattr(self.node.parameter_service, callback)(request, kind.Response())
        self.took_s = time.thread_time() - begun_s
        return answer

    def within(self, limit_s: float, ask: Callable[[], Any]) -> Any:
        """Ask until it takes no longer: garbage that is collected meanwhile is not its work."""
        for _ in range(10):
            answer = ask()
            if self.took_s < limit_s:
                return answer
        raise AssertionError(f"took {self.took_s} s")

    def set(self, *parameters: Parameter) -> list[Any]:
        request = SetParameters.Request(parameters=list(parameters))
        results: list[Any] = self._ask("_set_parameters_callback", SetParameters, request).results
        assert len(results) in (len(parameters), 1)
        return results

    def set_at_once(self, *parameters: Parameter) -> Any:
        request = SetParametersAtomically.Request(parameters=list(parameters))
        name = "_set_parameters_atomically_callback"
        return self._ask(name, SetParametersAtomically, request).result

    def get(self, *names: str) -> list[Any]:
        request = GetParameters.Request(names=list(names))
        return list(self._ask("_get_parameters_callback", GetParameters, request).values)

    def types(self, *names: str) -> list[int]:
        request = GetParameterTypes.Request(names=list(names))
        return list(self._ask("_get_parameter_types_callback", GetParameterTypes, request).types)

    def describe(self, *names: str) -> list[Any]:
        request = DescribeParameters.Request(names=list(names))
        name = "_describe_parameters_callback"
        return list(self._ask(name, DescribeParameters, request).descriptors)

    def list(self, *prefixes: str, depth: int = 0) -> list[str]:
        request = ListParameters.Request(prefixes=list(prefixes), depth=depth)
        name = "_list_parameters_callback"
        return list(self._ask(name, ListParameters, request).result.names)


@pytest.fixture(scope="module")
def asked() -> Iterator[Asked]:
    made = Asked()
    yield made
    made.lab.close()


def value(kind: int, **fields: Any) -> ParameterValue:
    return ParameterValue(type=kind, **fields)


@pytest.mark.parametrize("kind", [10, 128, 240, 255])
def test_a_type_that_does_not_exist_is_an_answer(asked: Asked, kind: int) -> None:
    wrong = Parameter(name="x", value=value(kind))
    [result] = asked.set(wrong)
    expected = f"x: type {kind} of a value: must be 0 to 9"
    assert (result.successful, result.reason) == (False, expected)
    result = asked.set_at_once(wrong)
    assert (result.successful, result.reason) == (False, expected)


LARGE: dict[str, tuple[ParameterValue, str]] = {
    "doubles": (
        value(DOUBLES, double_array_value=array("d", bytes(8 * 100_000))),
        "safety.steer_rate_speeds_mps: a list of 100000 items: must have at most 1000",
    ),
    "texts": (
        value(TEXTS, string_array_value=["x"] * 5000),
        "safety.steer_rate_speeds_mps: a list of 5000 items: must have at most 1000",
    ),
    "text": (
        value(TEXT, string_value="x" * 5000),
        "safety.steer_rate_speeds_mps: a text of 5000 characters: must have at most 4096",
    ),
    "another field": (
        value(TEXT, string_value="x", integer_array_value=array("q", bytes(8 * 1001))),
        "safety.steer_rate_speeds_mps: a list of 1001 items: must have at most 1000",
    ),
}


@pytest.mark.parametrize("case", LARGE)
def test_a_large_value_is_measured_and_not_converted(asked: Asked, case: str) -> None:
    large, reason = LARGE[case]
    wrong = Parameter(name="safety.steer_rate_speeds_mps", value=large)
    [result] = asked.within(0.01, lambda: asked.set(wrong))
    assert (result.successful, result.reason) == (False, reason)


def test_the_largest_value_has_a_short_answer(asked: Asked) -> None:
    most = value(DOUBLES, double_array_value=array("d", bytes(8 * 1000)))
    large = Parameter(name="safety.steer_rate_speeds_mps", value=most)
    [result] = asked.within(0.01, lambda: asked.set(large))
    assert not result.successful
    assert len(result.reason) < 300
    assert result.reason.startswith("safety.steer_rate_speeds_mps=")


def test_names_are_counted_and_measured(asked: Asked) -> None:
    [result] = asked.set(Parameter(name=LONG, value=value(0)))
    assert result.reason == "a name of 10000 characters: must have at most 256"
    [result] = asked.set(*[Parameter(name="x")] * 1001)
    assert result.reason == "1001 parameters in a request: must be at most 1000"
    twice = asked.set_at_once(*[Parameter(name="rate_hz")] * 2)
    assert twice.reason == "a name is twice in the request"


READING: dict[str, Callable[[Asked], tuple[int, int]]] = {
    "get": lambda asked: (len(asked.get("rate_hz")), len(asked.get(*["rate_hz"] * 5000))),
    "types": lambda asked: (len(asked.types("rate_hz")), len(asked.types(*["rate_hz"] * 5000))),
    "describe": lambda asked: (
        len(asked.describe("rate_hz")),
        len(asked.describe(*["rate_hz"] * 5000)),
    ),
    "list": lambda asked: (
        len(asked.list("safety") and ["some"]),
        len(asked.list(*["safety"] * 5000)),
    ),
}


@pytest.mark.parametrize("what", READING)
def test_more_names_than_there_are_get_no_answer(asked: Asked, what: str) -> None:
    assert asked.within(0.01, lambda: READING[what](asked)) == (1, 0)


def test_a_name_that_does_not_exist_is_an_empty_answer(asked: Asked) -> None:
    assert asked.get("rate_hz", "no_such") == []
    assert asked.get(LONG) == asked.types(LONG) == asked.describe(LONG) == []
    assert asked.list(LONG) == asked.list("\0", depth=2**64 - 1) == []


def test_all_names_of_the_node_can_be_asked_for_at_once(asked: Asked) -> None:
    names = asked.list()
    assert len(asked.get(*names)) == len(asked.describe(*names)) == len(names) > 100


class Work:
    """What a request makes the node do: sets, refusals that are formatted; a set takes 3 ms."""

    def __init__(self, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sets_n = self.refusals_n = 0
        service, node = asked.node.parameter_service, asked.node
        set_them, refuse = node.set_parameters_atomically, service._refused

        def counted_set(changes: list[Any]) -> Any:
            self.sets_n += 1
            return set_them(changes)

        def counted_refusal(reason: str) -> Any:
            self.refusals_n += 1
            return refuse(reason)

        monkeypatch.setattr(node, "set_parameters_atomically", counted_set)
        monkeypatch.setattr(service, "_refused", counted_refusal)
        monkeypatch.setattr(type(service), "NOW", lambda: 0.003 * self.sets_n)


def test_a_request_for_every_parameter_is_little_work_while_the_car_drives(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand different unknown names, a thousand changes: neither holds the thread.

    The time that it takes is measured by `./ws bench interface/requests`.
    """
    monkeypatch.setattr(asked.node, "time_for_parameters_s", lambda: WHILE_DRIVING_S)
    work = Work(asked, monkeypatch)
    unknown = [Parameter(name=f"safety.accel_max_mps_{n}") for n in range(1000)]
    results = asked.set(*unknown)
    assert not any(result.successful for result in results)
    assert "did you mean" in results[0].reason
    assert (work.sets_n, work.refusals_n) == (1, 1)
    work.sets_n = work.refusals_n = 0
    changes = [
        Parameter(name="controller.kp_1ps", value=value(3, double_value=0.5 + 1e-4 * n))
        for n in range(1000)
    ]
    results = asked.set(*changes)
    assert results[0].successful
    assert not results[-1].successful
    assert results[-1].reason.endswith(
        "of 1000 parameters were set in the time of a request: send the others in further requests"
    )
    assert (work.sets_n, work.refusals_n) == (2, 2), "until 4 ms are over"


def test_values_that_are_there_already_are_no_work(asked: Asked) -> None:
    asked.node.time_for_parameters_s = lambda: 0.0
    present = asked.node.get_parameter("safety.accel_max_mps2").value
    same = Parameter(name="safety.accel_max_mps2", value=value(3, double_value=present))
    assert asked.within(0.002, lambda: asked.set_at_once(same)).successful
    del asked.node.time_for_parameters_s


def test_whatever_a_hook_raises_is_an_answer(asked: Asked) -> None:
    def fail(changes: list[Any]) -> None:
        raise MemoryError(LONG)

    asked.node.add_on_set_parameters_callback(fail)
    [result] = asked.set(Parameter(name="rate_hz", value=value(3, double_value=50.0)))
    asked.node.remove_on_set_parameters_callback(fail)
    assert not result.successful
    assert result.reason.startswith("MemoryError: nnn")
    assert len(result.reason) <= 1000
