"""Modules of the user's, whose faults and oracles enter the tables."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path


def load_own(path: Path) -> None:
    """Import a module, once; a ValueError says why a path is none."""
    _load(path.resolve())


@cache
def _load(path: Path) -> None:
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path}: must be a Python file")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
