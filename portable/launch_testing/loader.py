"""The runs of a launch test: each a launch description and the test cases around it."""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from launch import LaunchDescription, LaunchDescriptionEntity

from .actions import ReadyToTest
from .markers import is_post_shutdown, parameter_sets, ready_timeout_s


@dataclass(frozen=True)
class TestRun:
    """A function for the description, its arguments, and the TestCases."""

    __test__ = False  # not a test itself, despite the name

    name: str
    description_function: Callable[..., Any]
    param_args: Mapping[str, Any]
    active_cases: tuple[type[unittest.TestCase], ...]
    post_shutdown_cases: tuple[type[unittest.TestCase], ...]

    @property
    def full_name(self) -> str:
        """Return the name with the arguments of this run, as pytest writes them."""
        values = "-".join(str(value) for value in self.param_args.values())
        return f"{self.name}[{values}]" if values else self.name

    @property
    def ready_timeout_s(self) -> float:
        """Return how long (s) the launch may take until ReadyToTest."""
        return ready_timeout_s(self.description_function)

    def describe(self) -> tuple[LaunchDescription, dict[str, Any]]:
        """Return a new launch description for this run, and the context for its tests."""
        if "ready_fn" in inspect.signature(self.description_function).parameters:
            raise TypeError(
                f"{self.name}: generate_test_description(ready_fn) is not supported by the "
                "portable stand-in of 'launch_testing'; use the action ReadyToTest"
            )
        result = self.description_function(**self.param_args)
        description, context = result if isinstance(result, tuple) else (result, {})
        if not _contains_ready(description):
            raise ValueError(
                f"{self.name}: generate_test_description() must return a LaunchDescription "
                "containing a ReadyToTest action"
            )
        return description, dict(context)


def _contains_ready(entity: LaunchDescriptionEntity) -> bool:
    if isinstance(entity, ReadyToTest):
        return True
    later = [child for _, group in entity.describe_conditional_sub_entities() for child in group]
    return any(_contains_ready(child) for child in [*entity.describe_sub_entities(), *later])


def load_test_runs(module: ModuleType) -> list[TestRun]:
    """Return the runs of a launch test module, one for each set of parameters."""
    function = getattr(module, "generate_test_description", None)
    if function is None:
        raise AttributeError(
            f"{module.__name__} has no function generate_test_description(), "
            "which every launch test needs"
        )
    cases = [
        item
        for item in vars(module).values()
        if isinstance(item, type)
        and issubclass(item, unittest.TestCase)
        and item not in (unittest.TestCase, unittest.IsolatedAsyncioTestCase)
    ]
    return [
        TestRun(
            name=module.__name__,
            description_function=function,
            param_args=arguments,
            active_cases=tuple(case for case in cases if not is_post_shutdown(case)),
            post_shutdown_cases=tuple(case for case in cases if is_post_shutdown(case)),
        )
        for arguments in parameter_sets(function)
    ]


_FIXTURES = ("setUp", "tearDown", "setUpClass", "tearDownClass")


def with_injected(
    case: type[unittest.TestCase], attributes: Mapping[str, Any], arguments: Mapping[str, Any]
) -> type[unittest.TestCase]:
    """Return the TestCase with the attributes; its functions get the arguments they name."""
    everything = {**attributes, **arguments}
    members: dict[str, Any] = dict(attributes)
    for name in dir(case):
        if name in _FIXTURES or name.startswith(unittest.TestLoader.testMethodPrefix):
            wrapped = _with_arguments(case, name, everything)
            if wrapped is not None:
                members[name] = wrapped
    derived = type(case.__name__, (case,), members)
    derived.__module__ = case.__module__
    derived.__qualname__ = case.__qualname__
    return derived


def _with_arguments(case: type[unittest.TestCase], name: str, known: Mapping[str, Any]) -> Any:
    function = getattr(case, name)
    is_class_level = inspect.ismethod(function)
    plain = function.__func__ if is_class_level else function
    if not callable(plain):
        return None
    wanted = list(inspect.signature(plain).parameters)[1:]
    given = {argument: known[argument] for argument in wanted if argument in known}
    if not given:
        return None

    @functools.wraps(plain)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return plain(self, *args, **{**given, **kwargs})

    return classmethod(call) if is_class_level else call
