"""Free ports for the MORAI emulator and the bridge, as the files that each of them reads."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import yaml
from vdsim_interface.extras.morai.bridge import PortParameters
from vdsim_plant_node.morai.settings import Ports

from vdsim_kit.ports import free_ports


def port_files(folder: Path, release: str = "21") -> tuple[Path, Path, Ports]:
    """The same free ports for the emulator, of a release, and for the bridge."""
    names = [item.name for item in fields(Ports)]
    ports = Ports(**dict(zip(names, free_ports(len(names)), strict=True)))
    scene, bridge = folder / "emulator.yaml", folder / "morai.yaml"
    scene.write_text(yaml.safe_dump({"release": release, "ports": vars(ports)}), encoding="utf-8")
    shared = {item.name: getattr(ports, item.name) for item in fields(PortParameters)}
    parameters = {"/**": {"ros__parameters": {"ports": shared}}}
    bridge.write_text(yaml.safe_dump(parameters), encoding="utf-8")
    return scene, bridge, ports
