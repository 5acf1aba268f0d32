"""Decorators of launch tests."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from launch._upstream_names import refuse_names

from launch import LaunchDescription

from .util import KeepAliveProc


def keep_alive(test_description: Callable[..., Any]) -> Callable[..., Any]:
    """Keep the launch from ending before the tests, when its processes may end early."""

    @functools.wraps(test_description)
    def kept_alive(*args: Any, **kwargs: Any) -> Any:
        description = test_description(*args, **kwargs)
        tree = description if isinstance(description, LaunchDescription) else description[0]
        tree.entities.insert(0, KeepAliveProc())
        return description

    return kept_alive


_Case = TypeVar("_Case", bound=type)
_Function = TypeVar("_Function", bound=Callable[..., Any])

_POST_SHUTDOWN = "__launch_testing_post_shutdown__"
_PARAMETERS = "__launch_testing_parameters__"
_READY_TIMEOUT = "__launch_testing_ready_timeout__"
DEFAULT_READY_TIMEOUT_S = 15.0


def post_shutdown_test() -> Callable[[_Case], _Case]:
    """Mark a TestCase that runs after the processes have ended."""

    def mark(case: _Case) -> _Case:
        setattr(case, _POST_SHUTDOWN, True)
        return case

    return mark


def is_post_shutdown(case: type) -> bool:
    """Return whether the TestCase runs after the end."""
    return bool(getattr(case, _POST_SHUTDOWN, False))


def parametrize(
    argnames: str | Iterable[str], argvalues: Iterable[Any]
) -> Callable[[_Function], _Function]:
    """Run the whole launch test once for each value, or tuple of values."""
    names = (
        [name.strip() for name in argnames.split(",") if name.strip()]
        if isinstance(argnames, str)
        else list(argnames)
    )
    sets = [
        dict(zip(names, (values,) if len(names) == 1 else tuple(values), strict=True))
        for values in argvalues
    ]

    def mark(function: _Function) -> _Function:
        setattr(function, _PARAMETERS, sets)
        return function

    return mark


def parameter_sets(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """Return the arguments of each run; by default one run without arguments."""
    return list(getattr(function, _PARAMETERS, [{}]))


def ready_to_test_action_timeout(timeout: float) -> Callable[[_Function], _Function]:
    """Set how long (s) the launch may take until ReadyToTest."""

    def mark(function: _Function) -> _Function:
        setattr(function, _READY_TIMEOUT, float(timeout))
        return function

    return mark


def ready_timeout_s(function: Callable[..., Any]) -> float:
    """Return how long (s) the launch may take until ReadyToTest."""
    return float(getattr(function, _READY_TIMEOUT, DEFAULT_READY_TIMEOUT_S))


__getattr__ = refuse_names(__name__, ("retry_on_failure",), "launch_testing")
