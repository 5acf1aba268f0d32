"""The arguments of a launch description: declare them, and find the declarations without a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeGuard

from .base import (
    Action,
    Condition,
    LaunchContext,
    LaunchDescriptionEntity,
    Substitution,
    TextSubstitution,
)
from .some_substitutions_type import SomeSubstitutionsType
from .utilities import normalize_to_list_of_substitutions, perform_substitutions


class DeclareLaunchArgument(Action):
    """An argument that the caller sets with ``name:=value``; it sets a launch configuration."""

    def __init__(
        self,
        name: str,
        *,
        default_value: SomeSubstitutionsType | None = None,
        description: str | None = None,
        choices: Iterable[str] | None = None,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__name = name
        self.__default_value = (
            None if default_value is None else normalize_to_list_of_substitutions(default_value)
        )
        self.__choices = None if choices is None else list(choices)
        if self.__choices == []:
            raise ValueError(f"launch argument '{name}': choices must not be empty")
        self._check_default()
        self.__description = _describe(description, self.__choices)

    def _check_default(self) -> None:
        """Reject a default of plain text that is not one of the choices, before anything runs."""
        texts = [part.text for part in self.__default_value or () if _is_text(part)]
        if self.__choices is None or len(texts) != len(self.__default_value or ()) or not texts:
            return
        if "".join(texts) not in self.__choices:
            raise RuntimeError(
                f"launch argument '{self.__name}': default value '{''.join(texts)}' "
                f"not in provided choices {self.__choices}"
            )

    @property
    def name(self) -> str:
        """Return the name."""
        return self.__name

    @property
    def default_value(self) -> list[Substitution] | None:
        """Return the default, not yet performed, or None."""
        return self.__default_value

    @property
    def description(self) -> str:
        """Return the description with the choices."""
        return self.__description

    @property
    def choices(self) -> list[str] | None:
        """Return the values that are allowed, or None for all."""
        return self.__choices

    def execute(self, context: LaunchContext) -> None:
        """Set the default where the caller set no value, then check the value."""
        configurations = context.launch_configurations
        if self.__name not in configurations:
            if self.__default_value is None:
                raise RuntimeError(
                    f"Required launch argument '{self.__name}' "
                    f"(description: '{self.__description}') was not provided"
                )
            configurations[self.__name] = perform_substitutions(context, self.__default_value)
        value = configurations[self.__name]
        if self.__choices is not None and value not in self.__choices:
            raise RuntimeError(
                f'Argument "{self.__name}" provided value "{value}" is not valid. '
                f"Valid options are: {self.__choices}"
            )


def _is_text(part: Substitution) -> TypeGuard[TextSubstitution]:
    return isinstance(part, TextSubstitution)


def _describe(description: str | None, choices: list[str] | None) -> str:
    text = description if description is not None else "no description given"
    if choices is None:
        return text
    separator = "" if not text or text.endswith(".") else "."
    return f"{text}{separator} Valid choices are: {choices}".strip()


@dataclass(frozen=True)
class DeclaredArgument:
    """A declaration, whether it is conditional, and the arguments set on the path to it."""

    declaration: DeclareLaunchArgument
    is_conditional: bool
    given: frozenset[str]


def walk(
    entity: LaunchDescriptionEntity,
    is_conditional: bool = False,
    given: frozenset[str] = frozenset(),
) -> Iterator[DeclaredArgument]:
    """Yield every declaration in or below ``entity``, in the order of the description."""
    if isinstance(entity, DeclareLaunchArgument):
        yield DeclaredArgument(entity, is_conditional or entity.condition is not None, given)
        return
    given = given | entity.given_argument_names()
    below_condition = is_conditional or (isinstance(entity, Action) and bool(entity.condition))
    for child in entity.describe_sub_entities():
        yield from walk(child, below_condition, given)
    for _, children in entity.describe_conditional_sub_entities():
        for child in children:
            yield from walk(child, True, given)


def declared_arguments(
    entity: LaunchDescriptionEntity, conditional_inclusion: bool = False
) -> list[DeclareLaunchArgument]:
    """Return the declarations that a caller may set, the first of each name.

    An argument that an include on the path sets itself is not among them.
    """
    first: dict[str, DeclareLaunchArgument] = {}
    for found in walk(entity, conditional_inclusion):
        if found.declaration.name not in found.given:
            first.setdefault(found.declaration.name, found.declaration)
    return list(first.values())


def required_arguments(entity: LaunchDescriptionEntity) -> list[DeclareLaunchArgument]:
    """Return the declarations without default that are reached unconditionally."""
    return [
        found.declaration
        for found in walk(entity)
        if not found.is_conditional
        and found.declaration.default_value is None
        and found.declaration.name not in found.given
    ]
