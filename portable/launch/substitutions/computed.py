"""Text that is computed: joined paths, Python expressions, the output of commands."""

from __future__ import annotations

import importlib
import os
import shlex
import subprocess
from collections.abc import Iterable
from typing import Any

from ..base import LaunchContext, Substitution, SubstitutionFailure
from ..logging import get_logger
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)


class PathJoinSubstitution(Substitution):
    """The parts joined as a path of this system."""

    def __init__(self, substitutions: Iterable[SomeSubstitutionsType]) -> None:
        self.__parts = [normalize_to_list_of_substitutions(part) for part in substitutions]

    @property
    def substitutions(self) -> list[list[Substitution]]:
        """Return the parts."""
        return self.__parts

    def describe(self) -> str:
        """Return a readable description."""
        parts = ", ".join(describe_substitutions(part) for part in self.__parts)
        return f"PathJoin({parts})"

    def perform(self, context: LaunchContext) -> str:
        """Return the joined path."""
        # os.path.join and not pathlib: a trailing slash and './' are kept, as upstream does.
        return os.path.join(*(perform_substitutions(context, part) for part in self.__parts))  # noqa: PTH118


class PythonExpression(Substitution):
    """The text of what an expression evaluates to.

    Each module is available under its name, and so are its public names, so that with the default
    both ``math.pi`` and ``pi`` work.
    """

    def __init__(
        self,
        expression: SomeSubstitutionsType,
        python_modules: SomeSubstitutionsType = ("math",),
    ) -> None:
        self.__expression = normalize_to_list_of_substitutions(expression)
        self.__modules = normalize_to_list_of_substitutions(python_modules)

    @property
    def expression(self) -> list[Substitution]:
        """Return the expression, not yet performed."""
        return self.__expression

    @property
    def python_modules(self) -> list[Substitution]:
        """Return the names of the modules, not yet performed."""
        return self.__modules

    def describe(self) -> str:
        """Return a readable description."""
        return f"PythonExpr({describe_substitutions(self.__expression)})"

    def perform(self, context: LaunchContext) -> str:
        """Evaluate the expression and return the result as text."""
        expression = perform_substitutions(context, self.__expression)
        scope: dict[str, Any] = {}
        for name in (sub.perform(context) for sub in self.__modules):
            module = importlib.import_module(name)
            scope[name] = module
            scope.update({key: value for key, value in vars(module).items() if key[:1] != "_"})
        try:
            return str(eval(expression, {}, scope))  # launch files are trusted code
        except Exception as error:
            raise SubstitutionFailure(
                f"PythonExpression {expression!r}: {type(error).__name__}: {error}"
            ) from error


_ON_STDERR = ("fail", "ignore", "warn", "capture")


class Command(Substitution):
    """What a command prints on its standard output.

    ``on_stderr`` sets how text on the standard error is treated: 'fail', 'ignore', 'warn', or
    'capture', which makes it part of the output.
    """

    def __init__(
        self, command: SomeSubstitutionsType, *, on_stderr: SomeSubstitutionsType = "fail"
    ) -> None:
        self.__command = normalize_to_list_of_substitutions(command)
        self.__on_stderr = normalize_to_list_of_substitutions(on_stderr)

    @property
    def command(self) -> list[Substitution]:
        """Return the command line, not yet performed."""
        return self.__command

    @property
    def on_stderr(self) -> list[Substitution]:
        """Return the policy, not yet performed."""
        return self.__on_stderr

    def describe(self) -> str:
        """Return a readable description."""
        return f"Command({describe_substitutions(self.__command)})"

    def perform(self, context: LaunchContext) -> str:
        """Run the command and return its output."""
        line = perform_substitutions(context, self.__command)
        policy = perform_substitutions(context, self.__on_stderr)
        if policy not in _ON_STDERR:
            allowed = ", ".join(_ON_STDERR)
            raise SubstitutionFailure(f"on_stderr={policy!r} of Command: must be one of {allowed}")
        error_pipe = subprocess.STDOUT if policy == "capture" else subprocess.PIPE
        try:
            done = subprocess.run(
                shlex.split(line),
                stdout=subprocess.PIPE,
                stderr=error_pipe,
                text=True,
                env=dict(context.environment),
            )
        except OSError as error:
            raise SubstitutionFailure(f"command not found: {line!r} ({error.strerror})") from error
        if done.returncode != 0:
            reason = f": {done.stderr.strip()}" if done.stderr else ""
            raise SubstitutionFailure(f"command {line!r} failed with {done.returncode}{reason}")
        if done.stderr:
            _check_stderr(line, done.stderr.strip(), policy)
        return done.stdout


def _check_stderr(line: str, text: str, policy: str) -> None:
    if policy == "fail":
        raise SubstitutionFailure(f"command {line!r} wrote on stderr: {text}")
    if policy == "warn":
        get_logger().warning(f"command {line!r} wrote on stderr: {text}")
