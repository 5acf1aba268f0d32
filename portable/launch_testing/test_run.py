"""One run of a launch test: a launch description and the tests around it."""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from launch import LaunchDescription, LaunchDescriptionEntity

from .actions import ReadyToTest
from .decorators import is_post_shutdown, parameter_sets, ready_timeout_s


@dataclass(frozen=True)
class TestRun:
    """A function for the description, its arguments, and the TestCases."""

    __test__ = False  # not a test itself, whatever a collector thinks of the name

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
        """Return a launch description of this run's own, and the context for its tests."""
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
