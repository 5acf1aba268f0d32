"""What each verb of `vdsim_can` is added to."""

from __future__ import annotations

import argparse
from typing import Protocol


class Verbs(Protocol):
    """The sub-parsers of the command."""

    def add_parser(self, name: str, *, help: str) -> argparse.ArgumentParser:
        """Return the parser of a new verb."""
        ...
