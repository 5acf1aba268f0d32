"""Reads a world file of VDSim, as its `--scene=` takes it and its GUI writes it.

    world.yaml ──▶ converted vehicle files and a fleet file in a folder ──▶ options of the server

What this plant cannot do is refused by its key; what changes nothing that is simulated here is
noted. The keys are those of VDSim's own reader (docs/side-by-side.md).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vdsim_plant.cli.import_files import import_files
from vdsim_plant.parameters import vehicle_names
from vdsim_plant.parameters.errors import ParameterError, wrong_value

from vdsim_plant_node.settings.documents import as_group, load_document, refuse_unknown

ROAD_KEYS = ("mu", "mu_right", "mu_boundary")
SIM_KEYS = ("dt", "rate", "t_end", "time_scale", "max_substep_dt", "max_substeps", "stunt_physics")
REFUSED = {
    "grade": "a slope is slope_x of a ground file, --ground",
    "bank": "a bank is slope_y of a ground file, --ground",
    "terrain": "give the heights as a grid of a ground file, --ground",
    "rough_amp": "this plant has no such road; --ground takes a file",
    "iso_class": "this plant has no such road; --ground takes a file",
    "stunt": "this plant has no ramps and loops",
    "sensors": "noise is --sensor FILE here",
    "sensor_delay": "delays are --sensor FILE here",
}
"""Keys that change what is simulated, and what to do instead; neutral values pass."""
NOTED = ("comms", "rough_wl", "id", "version", "label", "name")
VEHICLE_KEYS = ("id", "vehicle", "tire", "level", "x0", "y0", "yaw0", "vx0")
VEHICLE_REFUSED = ("tire_rear", "tire_fr", "tire_rl", "tire_rr", "z0", "control", "path", "sensors")
VEHICLE_NOTED = ("front_susp", "rear_susp", "path_lookahead", "label")
NEUTRAL: tuple[object, ...] = (None, 0, 0.0, "", -1, [], {})
STARTS = {"x_m": "x0", "y_m": "y0", "yaw_rad": "yaw0", "vx_mps": "vx0"}


class World(NamedTuple):
    """`options`: of the server, by name; `notes`: what was left out, for people."""

    options: Mapping[str, Any]
    notes: tuple[str, ...]


def load_world(path: Path, folder: Path) -> World:
    """Convert a world file; its vehicles become files of this plant in `folder`."""
    known = (
        *("vehicles", "fleet", "sim", "rate", "time_scale", "cmd_timeout"),
        *(*ROAD_KEYS, *REFUSED, *NOTED),
    )
    world = load_document(path, known)
    try:
        return _converted(world, path, folder)
    except ParameterError as error:
        raise error if error.source else error.in_file(path.name) from None


def _converted(world: Mapping[str, Any], path: Path, folder: Path) -> World:
    rate = _checked(world)
    notes = [f"{path.name}: {key}: not used here" for key in NOTED if key in world]
    entries = world.get("vehicles")
    if not isinstance(entries, list) or not entries:
        raise ParameterError("vehicles", "must be a list of vehicles")
    vehicles = []
    for index, entry in enumerate(entries):
        try:
            vehicle, left_out = _vehicle(index, as_group("", entry), path, folder)
        except ParameterError as error:
            raise error if error.source else error.within(f"vehicles[{index}]") from None
        vehicles.append({**vehicle, **_road(world)})
        notes += left_out
        if timeout := world.get("cmd_timeout"):
            vehicles[-1]["failsafe"] = {"timeout_s": timeout}
    fleet = folder / "fleet.yaml"
    fleet.write_text(json.dumps({"vehicles": vehicles}), encoding="utf-8")
    return World({"vehicles": str(fleet), **({"rate": rate} if rate else {})}, tuple(notes))


def _checked(world: Mapping[str, Any]) -> Any:
    """Refuse what this plant cannot do; return the rate [Hz], if there is one."""
    if world.get("fleet") and not world.get("vehicles"):
        problem = (
            "is a scene of VDSim's catalogue, whose vehicles are blueprints: VDSim's "
            "tools/materialize_scene.py SCENE WORLD writes the world file that this plant reads"
        )
        raise ParameterError("fleet", problem)
    for key, instead in REFUSED.items():
        if world.get(key) not in NEUTRAL:
            raise wrong_value(key, world[key], f"left out: {instead}")
    sim = as_group("sim", world.get("sim"))
    refuse_unknown(sim, SIM_KEYS)
    scale = sim.get("time_scale", world.get("time_scale", 1.0))
    if scale != 1.0:
        raise wrong_value("time_scale", scale, "1: this server runs in real time")
    return sim.get("rate", world.get("rate"))


def _road(world: Mapping[str, Any]) -> dict[str, Any]:
    mu, right = world.get("mu", 0.9), world.get("mu_right", -1.0)
    if isinstance(right, (int, float)) and right < 0.0:
        return {"mu": mu}
    if world.get("mu_boundary") not in NEUTRAL:
        raise wrong_value("mu_boundary", world["mu_boundary"], "0: the split is along the x axis")
    return {"ground": {"base_mu": mu, "split": {"mu_left": mu, "mu_right": right}}}


def _vehicle(
    index: int, entry: Mapping[str, Any], world: Path, folder: Path
) -> tuple[dict[str, Any], list[str]]:
    refuse_unknown(entry, (*VEHICLE_KEYS, *VEHICLE_REFUSED, *VEHICLE_NOTED))
    for key in VEHICLE_REFUSED:
        if entry.get(key) not in NEUTRAL:
            raise wrong_value(key, entry[key], "left out: this plant has no such setting")
    notes = [f"vehicles[{index}].{key}: not used here" for key in VEHICLE_NOTED if key in entry]
    car = str(entry.get("vehicle", ""))
    if car not in vehicle_names():
        tyre = entry.get("tire")
        asked = argparse.Namespace(
            file=_found(world, "vehicle", car),
            output=folder / f"vehicle_{index}.yaml",
            tyre=_found(world, "tire", str(tyre)) if tyre else None,
            ignore=[],
            force=True,
        )
        done = import_files(asked).splitlines()
        notes += [line.removeprefix("note: ") for line in done if line.startswith("note: ")]
        car = str(asked.output)
    values = {
        "vehicle_id": entry.get("id", index),
        "vehicle": car,
        "level": str(entry.get("level", "L2")).lower(),
        "start": {ours: entry[theirs] for ours, theirs in STARTS.items() if theirs in entry},
    }
    return values, notes


def _found(world: Path, key: str, named: str) -> Path:
    """A file that a world names: from here, from the world's folder, or from one above it."""
    for folder in (Path(), *world.resolve().parents[:4]):
        if named and (folder / named).is_file():
            return folder / named
    problem = f"={named!r}: no such file from here, nor from {world.parent} upwards"
    raise ParameterError(key, problem)
