"""Decorators for generate_test_description."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

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


__getattr__ = refuse_names(__name__, ("retry_on_failure",), "launch_testing")
