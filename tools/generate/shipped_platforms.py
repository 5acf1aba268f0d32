"""The platforms that come with the interface, each with the vehicle of its default parameters."""

from __future__ import annotations

from vdsim_interface.platforms.discovery import discover
from vdsim_interface.platforms.spec import PlatformSpec


def shipped_platforms() -> dict[str, PlatformSpec]:
    """Return them by name, in its order."""
    return {
        name: spec.with_parameters(spec.parameters()) for name, spec in sorted(discover().items())
    }
