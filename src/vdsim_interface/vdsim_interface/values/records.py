"""How the records of every period are made.

A NamedTuple is called through a Python function that its class generates. `record` makes the same
tuple without that function, in a third to a half of the time. It takes all values, in the order of
the fields: mypy checks number, types and names at every use (`tools/typed_records`).
"""

from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T", bound=tuple[Any, ...])

if TYPE_CHECKING:

    def record(kind: type[T], values: tuple[object, ...]) -> T:
        """Make a NamedTuple of its values, in the order of its fields."""
else:
    record = tuple.__new__
