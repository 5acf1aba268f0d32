"""The scoped state of a launch: configurations, environment and locals."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any


class LaunchLocals:
    """The locals as attributes, read only."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", values)

    def __setattr__(self, name: str, value: Any) -> None:
        """Reject: locals are added with ``context.extend_locals()``."""
        raise AttributeError(f"the local '{name}' can only be set with context.extend_locals()")

    def __getattr__(self, name: str) -> Any:
        """Return the local called ``name``."""
        try:
            return object.__getattribute__(self, "_values")[name]
        except KeyError:
            raise AttributeError(f"the launch context has no local '{name}'") from None


class LaunchScopes:
    """Configurations, environment and locals, each with the scopes of groups and handlers."""

    def __init__(self) -> None:
        self.__configurations: dict[str, str] = {}
        self.__scoped_values: dict[str, tuple[Any, ...]] = {}
        self.__configuration_stack: list[tuple[dict[str, str], dict[str, tuple[Any, ...]]]] = []
        self.__environment_stack: list[dict[str, str]] = []
        self.__locals: dict[str, Any] = {}
        self.__locals_stack: list[dict[str, Any]] = []
        self.__globals: dict[str, Any] = {}

    # -- configurations and environment, with the scopes of groups ---------------------------

    @property
    def launch_configurations(self) -> dict[str, str]:
        """Return the launch configurations of the current scope."""
        return self.__configurations

    def _push_launch_configurations(self) -> None:
        saved = dict(self.__configurations), dict(self.__scoped_values)
        self.__configuration_stack.append(saved)

    def _pop_launch_configurations(self) -> None:
        if not self.__configuration_stack:
            raise RuntimeError("cannot pop the outermost scope of launch configurations")
        saved, self.__scoped_values = self.__configuration_stack.pop()
        self.__configurations.clear()
        self.__configurations.update(saved)

    def _clear_scope(self) -> None:
        self.__configurations.clear()
        self.__scoped_values.clear()

    def _scoped_values(self, key: str) -> tuple[Any, ...]:
        """Return the values added under ``key`` in this scope and the enclosing ones."""
        return self.__scoped_values.get(key, ())

    def _add_scoped_value(self, key: str, value: Any) -> None:
        self.__scoped_values[key] = (*self._scoped_values(key), value)

    @property
    def environment(self) -> MutableMapping[str, str]:
        """Return the environment that processes started from now on inherit."""
        return os.environ

    def _push_environment(self) -> None:
        self.__environment_stack.append(dict(os.environ))

    def _pop_environment(self) -> None:
        if not self.__environment_stack:
            raise RuntimeError("cannot pop the outermost scope of the environment")
        _replace(os.environ, self.__environment_stack.pop())

    # -- locals --------------------------------------------------------------------------------

    @property
    def locals(self) -> LaunchLocals:
        """Return the locals, as attributes (``context.locals.event``)."""
        return LaunchLocals(self.get_locals_as_dict())

    def get_locals_as_dict(self) -> dict[str, Any]:
        """Return a copy of the locals, globals included."""
        return {**self.__globals, **self.__locals}

    def extend_locals(self, extension: Mapping[str, Any]) -> None:
        """Add locals to the current scope."""
        self.__locals.update(extension)

    def _forget_locals(self, names: Iterable[str]) -> None:
        for name in names:
            self.__locals.pop(name, None)

    def extend_globals(self, extension: Mapping[str, Any]) -> None:
        """Add locals that are visible in every scope."""
        self.__globals.update(extension)

    def _push_locals(self) -> None:
        self.__locals_stack.append(dict(self.__locals))

    def _pop_locals(self) -> None:
        if not self.__locals_stack:
            raise RuntimeError("cannot pop the outermost scope of locals")
        self.__locals = self.__locals_stack.pop()

    def _close_scopes(self) -> None:
        """Leave every scope that is still open."""
        while self.__environment_stack:
            self._pop_environment()
        while self.__configuration_stack:
            self._pop_launch_configurations()
        while self.__locals_stack:
            self._pop_locals()


def _replace(target: MutableMapping[str, str], wanted: Mapping[str, str]) -> None:
    for name in set(target) - set(wanted):
        del target[name]
    target.update(wanted)
