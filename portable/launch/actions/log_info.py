"""Say something."""

from __future__ import annotations

from ..action import Action
from ..condition import Condition
from ..launch_context import LaunchContext
from ..logging import get_logger
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import normalize_to_list_of_substitutions, perform_substitutions


class LogInfo(Action):
    """Write a message to the log of the launch."""

    def __init__(self, *, msg: SomeSubstitutionsType, condition: Condition | None = None) -> None:
        super().__init__(condition=condition)
        self.__msg = normalize_to_list_of_substitutions(msg)

    @property
    def msg(self) -> list[Substitution]:
        """Return the message, not yet performed."""
        return self.__msg

    def execute(self, context: LaunchContext) -> None:
        """Write it."""
        get_logger("launch.user").info(perform_substitutions(context, self.__msg))
