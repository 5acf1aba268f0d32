"""Every generated file, every page with generated parts, and the functions that make them.

Paths are relative to the root of the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

from generate import (
    acceptance_table,
    attack_table,
    auxiliary_table,
    bench_table,
    campaign_tables,
    can_table,
    capability_tables,
    conformance_table,
    fault_plan,
    fmu_table,
    models_table,
    mutation_tables,
    open_services,
    pedal_map_table,
    peer_pages,
    plausibility_table,
    public_names,
    record_tables,
    safety_tables,
    side_by_side_table,
    simulator_tables,
    stop_inputs,
    timeout_table,
    truth_table,
    vehicle_file_tables,
    where_it_runs,
)
from generate.car_mesh import car_mesh
from generate.copies import COPIES
from generate.interface_parameters_file import autoware_yaml, vehicle_interface_yaml
from generate.page_parts import with_parts
from generate.paths import ROOT
from generate.promises import promises_file
from generate.requirements import requirements_page
from generate.safety_case import page as safety_case
from generate.text_requirements import texts_table
from generate.threats import page as threats
from generate.vds_state_msg import vds_state_msg
from generate.wire_pages import morai_page, vds1_page

WHOLE: Mapping[str, Callable[[], str]] = {
    "src/vdsim_interface/config/autoware.yaml": autoware_yaml,
    "src/vdsim_interface/config/vehicle_interface.yaml": vehicle_interface_yaml,
    "docs/morai-wire.md": morai_page,
    "docs/requirements.md": lambda: requirements_page() + texts_table(),
    "docs/vds1.md": vds1_page,
    "extras/autoware_overlay/vdsim_description/mesh/car.obj": car_mesh,
    "src/vdsim_msgs/msg/VdsState.msg": vds_state_msg,
    "test/data/promises.txt": promises_file,
    **COPIES,
}
"""Files that are generated as a whole."""

_BY_HAND: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "docs/architecture.md": timeout_table.PARTS,
    "docs/attack.md": attack_table.PARTS,
    "docs/autoware-conformance.md": conformance_table.PARTS,
    "docs/calibrate.md": pedal_map_table.PARTS,
    "docs/campaign.md": campaign_tables.PARTS,
    "docs/can-reference.md": can_table.PARTS,
    "docs/guard.md": open_services.PARTS,
    "docs/interface.md": auxiliary_table.PARTS,
    "docs/fmu.md": fmu_table.PARTS,
    "docs/link-faults.md": fault_plan.PARTS,
    "docs/plant.md": {**acceptance_table.PARTS, **public_names.PARTS},
    "docs/plausibility.md": plausibility_table.PARTS,
    "docs/record.md": record_tables.PARTS,
    "docs/safety.md": {**safety_tables.PARTS, **mutation_tables.PARTS},
    "docs/safety-case.md": safety_case.PARTS,
    "docs/sensors.md": capability_tables.PARTS,
    "docs/side-by-side.md": {**side_by_side_table.PARTS, **models_table.PARTS},
    "docs/simulate.md": simulator_tables.PARTS,
    "docs/speed.md": bench_table.PARTS,
    "docs/teleop.md": stop_inputs.PARTS,
    "docs/threats.md": threats.PARTS,
    "docs/truth.md": truth_table.PARTS,
    "docs/vehicle-files.md": vehicle_file_tables.PARTS,
    "docs/where-it-runs.md": where_it_runs.PARTS,
}
PARTS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    page: {**_BY_HAND.get(page, {}), **peer_pages.PARTS.get(page, {})}
    for page in (*_BY_HAND, *(page for page in peer_pages.PARTS if page not in _BY_HAND))
}
"""Pages written by hand, with the parts that are generated in each."""

PATHS = (*WHOLE, *PARTS)


def content(path: str, root: Path = ROOT) -> str:
    """The required content of a file of `PATHS`."""
    if path in WHOLE:
        return made(WHOLE[path])
    parts = {name: partial(made, make) for name, make in PARTS[path].items()}
    return with_parts((root / path).read_text(encoding="utf-8"), parts)


@cache
def made(make: Callable[[], str]) -> str:
    """What a generator makes, once a process: the code that it reads does not change meanwhile."""
    return make()


def is_stale(path: str, root: Path = ROOT) -> bool:
    """Whether a file of `PATHS` is missing or differs from the code."""
    file = root / path
    return not file.is_file() or file.read_text(encoding="utf-8") != content(path, root)


def write(path: str, root: Path = ROOT) -> None:
    """Bring a file of `PATHS` up to date."""
    text = content(path, root)
    (root / path).write_text(text, encoding="utf-8")
