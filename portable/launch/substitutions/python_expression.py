"""The value of a Python expression."""

from __future__ import annotations

import importlib
from typing import Any

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)
from .substitution_failure import SubstitutionFailure


class PythonExpression(Substitution):
    """The text of what an expression evaluates to.

    Each module is there under its name, and its public names directly, so that with the default
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
        """Return a description for people."""
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
            return str(eval(expression, {}, scope))  # the launch file's author wrote it
        except Exception as error:
            raise SubstitutionFailure(
                f"PythonExpression {expression!r}: {type(error).__name__}: {error}"
            ) from error
