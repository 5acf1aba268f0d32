"""A remapping for all nodes that follow."""

from __future__ import annotations

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

from launch import Action, Condition, LaunchContext

from ..scope_keys import GLOBAL_REMAPS


class SetRemap(Action):
    """Remap the name ``src`` to ``dst`` in the nodes that follow in this scope."""

    def __init__(
        self,
        src: SomeSubstitutionsType,
        dst: SomeSubstitutionsType,
        *,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__src = normalize_to_list_of_substitutions(src)
        self.__dst = normalize_to_list_of_substitutions(dst)

    def execute(self, context: LaunchContext) -> None:
        """Add it to the scope."""
        pair = (
            perform_substitutions(context, self.__src),
            perform_substitutions(context, self.__dst),
        )
        context._add_scoped_value(GLOBAL_REMAPS, pair)
