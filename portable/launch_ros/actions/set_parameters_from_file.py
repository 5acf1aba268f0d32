"""Parameters from a file for all nodes that follow."""

from __future__ import annotations

from launch.some_substitutions_type import SomeSubstitutionsType

from launch import Action, Condition, LaunchContext

from ..parameter_file import ParameterFile
from ..scope_keys import GLOBAL_PARAMETERS


class SetParametersFromFile(Action):
    """Give a file with parameters to the nodes that follow in this scope."""

    def __init__(
        self,
        filename: SomeSubstitutionsType | ParameterFile,
        *,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__file = filename if isinstance(filename, ParameterFile) else ParameterFile(filename)

    def execute(self, context: LaunchContext) -> None:
        """Add it to the scope."""
        path = str(self.__file.evaluate(context))
        context._add_scoped_value(GLOBAL_PARAMETERS, ["--params-file", path])
