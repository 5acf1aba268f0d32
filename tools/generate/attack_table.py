"""The table of docs/attack.md: what the last stored run of each kind tried."""

from __future__ import annotations

import json

from generate.tables import table
from generate.threats.page import ATTACKS


def attack_table() -> str:
    """A row a kind."""
    stored = json.loads(ATTACKS.read_text(encoding="utf-8"))
    rows = [
        (f"`{kind}`", stored["figures"][kind][0], str(tried), str(fell), stored["figures"][kind][1])
        for kind, (tried, fell) in stored["kinds"].items()
    ]
    return table(("kind", "what", "tried", "fell", "figures"), rows)


PARTS = {"attacks": attack_table}
