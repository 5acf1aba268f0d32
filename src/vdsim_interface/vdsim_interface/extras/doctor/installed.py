"""What installed packages tell about a graph, as entry points: the line of a peer's release.

    [project.entry-points."vdsim_interface.doctor"]
    autoware = "my_package.release:seen_release"

The function takes a Snapshot and returns the lines to print.
"""

from __future__ import annotations

from importlib.metadata import entry_points

from vdsim_interface.extras.doctor.snapshot import Snapshot

GROUP = "vdsim_interface.doctor"


def installed_lines(snapshot: Snapshot) -> list[str]:
    """The lines of every function that is installed, by its name."""
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return [line for entry in found for line in entry.load()(snapshot)]
