"""Upstream's names: further import paths for what is here, and a clear refusal of the rest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import ModuleType


def provide_paths(package: str, rows: Iterable[tuple[ModuleType, str, str]]) -> None:
    """Make each module importable under the names of its row too, below ``package`` and a prefix.

    Upstream has a file for each class, and launch files import from some of these files.
    """
    for module, prefix, names in rows:
        for name in names.split():
            path = f"{package}.{prefix}{name}"
            sys.modules[path] = module
            parent, _, attribute = path.rpartition(".")
            setattr(sys.modules[parent], attribute, module)


def refuse_names(module: str, names: Iterable[str], package: str) -> Callable[[str], object]:
    """Return a module-level ``__getattr__`` that explains the known but unsupported ``names``.

    A known name raises ImportError, because ``from module import Name`` would swallow the text of
    an AttributeError.
    """
    known = frozenset(names)

    def refuse(name: str) -> object:
        if name in known:
            raise ImportError(
                f"{module}.{name} is not supported by the portable stand-in of '{package}'; "
                f"it needs the ROS 2 package '{package}' (ros-$ROS_DISTRO-"
                f"{package.replace('_', '-')})"
            )
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return refuse
