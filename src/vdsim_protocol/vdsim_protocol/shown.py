"""A value in an error text: short, whatever it holds, and measured before it is formatted."""

from __future__ import annotations

import reprlib
from pathlib import PurePath

_SHORT = reprlib.Repr()
_SHORT.maxlevel = 4
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = _SHORT.maxarray = 8
_LONGEST = _SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60


def shown(value: object) -> str:
    """The value's repr, cut off; an alias of YAML may stand for gigabytes."""
    try:
        sized = isinstance(value, int) or hasattr(value, "__len__")
        text = _SHORT.repr(value) if sized else repr(value)
    except ValueError:  # an integer of thousands of digits
        text = "a huge number"
    return shortened(text, 2 * _LONGEST)


def shown_plainly(value: object) -> str:
    """The value as people write it: a text or a path without quotes; cut off."""
    if isinstance(value, PurePath):
        value = str(value)
    return shortened(value, 2 * _LONGEST) if isinstance(value, str) else shown(value)


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning."""
    return text if len(text) <= longest else text[: longest - 3] + "..."
