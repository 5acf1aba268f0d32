"""Turn what users write as text into lists of substitutions, and those into text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution

if TYPE_CHECKING:
    from ..launch_context import LaunchContext


def normalize_to_list_of_substitutions(subs: SomeSubstitutionsType) -> list[Substitution]:
    """Return ``subs`` as a list of substitutions; plain text becomes a TextSubstitution."""
    if isinstance(subs, (str, Substitution)):
        return [_as_substitution(subs)]
    if isinstance(subs, Iterable):
        return [_as_substitution(item) for item in subs]
    raise TypeError(f"expected text or substitutions, got {subs!r} ({type(subs).__name__})")


def _as_substitution(item: Any) -> Substitution:
    from ..substitutions.text_substitution import TextSubstitution

    if isinstance(item, Substitution):
        return item
    if isinstance(item, str):
        return TextSubstitution(text=item)
    raise TypeError(f"expected text or a substitution, got {item!r} ({type(item).__name__})")


def perform_substitutions(context: LaunchContext, subs: Iterable[Substitution]) -> str:
    """Return the joined text of the substitutions."""
    return "".join(context.perform_substitution(sub) for sub in subs)


def perform_text(context: LaunchContext, subs: SomeSubstitutionsType) -> str:
    """Normalise and perform in one step."""
    return perform_substitutions(context, normalize_to_list_of_substitutions(subs))


def describe_substitutions(subs: Iterable[Substitution]) -> str:
    """Return a description for people."""
    return " + ".join(sub.describe() for sub in subs)
