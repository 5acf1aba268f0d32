"""Event handlers for launch tests."""

from __future__ import annotations

from typing import Any

from launch.actions import ExecuteProcess
from launch.event_handlers import OnProcessIO
from launch.events.process import ProcessIO
from launch.some_substitutions_type import SomeEntitiesType
from launch.utilities import normalize_to_list_of_entities

from launch import LaunchDescriptionEntity

from .output import text_of


class StdoutReadyListener(OnProcessIO):
    """Performs the actions once ``ready_txt`` has appeared on the target's standard output."""

    def __init__(
        self,
        *,
        target_action: ExecuteProcess | None = None,
        ready_txt: str,
        actions: SomeEntitiesType,
    ) -> None:
        self.__ready_txt = ready_txt
        self.__actions = actions
        self.__seen: list[ProcessIO] = []
        self.__is_ready = False
        super().__init__(target_action=target_action, on_stdout=self._look)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a description and the actions, so that a ReadyToTest among them is seen."""
        return super().describe()[0], normalize_to_list_of_entities(self.__actions)

    def _look(self, event: ProcessIO) -> Any:
        self.__seen.append(event)
        if self.__is_ready or self.__ready_txt not in text_of(self.__seen, "stdout"):
            return None
        self.__is_ready = True
        return self.__actions
