"""Refuse the upstream names that this stand-in does not provide, with a message that helps."""

from __future__ import annotations

from collections.abc import Callable, Iterable


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
