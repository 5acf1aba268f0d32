"""Every generated file, every page with generated parts, and the functions that make them.

Paths are relative to the root of the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from generate import (
    acceptance_table,
    auxiliary_table,
    campaign_tables,
    capability_tables,
    fault_plan,
    fmu_table,
    mutation_tables,
    pedal_map_table,
    plausibility_table,
    public_names,
    safety_tables,
    side_by_side_table,
    timeout_table,
    truth_table,
    vehicle_file_tables,
    where_it_runs,
)
from generate.copies import COPIES
from generate.interface_parameters_file import autoware_yaml, vehicle_interface_yaml
from generate.package_changelogs import CHANGELOGS
from generate.page_parts import with_parts
from generate.paths import ROOT
from generate.requirements import requirements_page
from generate.safety_case import page as safety_case
from generate.vds_state_msg import vds_state_msg
from generate.wire_pages import morai_page, vds1_page

WHOLE: Mapping[str, Callable[[], str]] = {
    "src/vdsim_interface/config/autoware.yaml": autoware_yaml,
    "src/vdsim_interface/config/vehicle_interface.yaml": vehicle_interface_yaml,
    "docs/morai-wire.md": morai_page,
    "docs/requirements.md": requirements_page,
    "docs/vds1.md": vds1_page,
    "src/vdsim_msgs/msg/VdsState.msg": vds_state_msg,
    **COPIES,
    **CHANGELOGS,
}
"""Files that are generated as a whole."""

PARTS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "README.md": acceptance_table.PARTS,
    "docs/architecture.md": timeout_table.PARTS,
    "docs/calibrate.md": pedal_map_table.PARTS,
    "docs/campaign.md": campaign_tables.PARTS,
    "docs/interface.md": auxiliary_table.PARTS,
    "docs/fmu.md": fmu_table.PARTS,
    "docs/link-faults.md": fault_plan.PARTS,
    "docs/plant.md": {**acceptance_table.PARTS, **public_names.PARTS},
    "docs/plausibility.md": plausibility_table.PARTS,
    "docs/safety.md": {**safety_tables.PARTS, **mutation_tables.PARTS},
    "docs/safety-case.md": safety_case.PARTS,
    "docs/sensors.md": capability_tables.PARTS,
    "docs/side-by-side.md": side_by_side_table.PARTS,
    "docs/truth.md": truth_table.PARTS,
    "docs/vehicle-files.md": vehicle_file_tables.PARTS,
    "docs/where-it-runs.md": where_it_runs.PARTS,
}
"""Pages written by hand, with the parts that are generated in each."""

PATHS = (*WHOLE, *PARTS)


def content(path: str, root: Path = ROOT) -> str:
    """The required content of a file of `PATHS`."""
    if path in WHOLE:
        return WHOLE[path]()
    return with_parts((root / path).read_text(encoding="utf-8"), PARTS[path])


def is_stale(path: str, root: Path = ROOT) -> bool:
    """Whether a file of `PATHS` is missing or differs from the code."""
    file = root / path
    return not file.is_file() or file.read_text(encoding="utf-8") != content(path, root)


def write(path: str, root: Path = ROOT) -> None:
    """Bring a file of `PATHS` up to date."""
    text = content(path, root)
    (root / path).write_text(text, encoding="utf-8")
