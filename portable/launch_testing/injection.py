"""Give test cases what a launch test knows: as attributes, and as arguments by name."""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Mapping
from typing import Any

_FIXTURES = ("setUp", "tearDown", "setUpClass", "tearDownClass")


def with_injected(
    case: type[unittest.TestCase], attributes: Mapping[str, Any], arguments: Mapping[str, Any]
) -> type[unittest.TestCase]:
    """Return the TestCase with the attributes, and its functions with the arguments they name."""
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
