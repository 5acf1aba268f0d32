"""A value in an error text: short, whatever it holds."""

from __future__ import annotations

import reprlib

_SHORT = reprlib.Repr()
_SHORT.maxlevel = 4
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = 8
_LONGEST = _SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60


def shown(value: object) -> str:
    """The value's repr, cut off; an alias of YAML may stand for gigabytes."""
    try:
        text = _SHORT.repr(value) if isinstance(value, (list, dict, str, int)) else repr(value)
    except ValueError:  # an integer of thousands of digits
        text = "a huge number"
    return text if len(text) <= 2 * _LONGEST else text[: 2 * _LONGEST - 3] + "..."
