"""The additional controls of docs/interface.md: the names that each platform accepts."""

from __future__ import annotations

from generate.shipped_platforms import shipped_platforms
from generate.tables import table


def auxiliary_table() -> str:
    """One row for each platform that comes with the interface."""
    rows = [
        (f"`{name}`", "<br>".join(f"`{each}`" for each in spec.capabilities.auxiliary) or "none")
        for name, spec in shipped_platforms().items()
    ]
    return table(["platform", "names"], rows)


PARTS = {"auxiliary controls": auxiliary_table}
