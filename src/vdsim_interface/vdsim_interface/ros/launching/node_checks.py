"""What a node would reject at its start, found before anything starts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vdsim_interface.arbitration.interface_parameters import ArbitrationParameters
from vdsim_interface.parameters.fields import ParameterError, Parameters
from vdsim_interface.parameters.flat import from_flat, to_flat
from vdsim_interface.parameters.guard import GuardParameters
from vdsim_interface.parameters.unknown import check_unknown
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.discovery import PlatformError, discover, platform_spec
from vdsim_interface.platforms.spec import PlatformSetup, PlatformSpec
from vdsim_interface.ros.launching.parameter_files import ParameterFile, load, refuse_unmatched
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.process.limits import StageProcessParameters


def check_node(
    defaults: Sequence[Parameters],
    node: str,
    files: Iterable[ParameterFile],
    overrides: Mapping[str, object],
    others: Collection[str] = (),
) -> list[Any]:
    """Build a node's parameters as it will: defaults, then the files, then the overrides.

    `node` is its full name, `others` the groups of other nodes. Raises RuntimeError with the file
    that has the wrong value.
    """
    values: dict[str, object] = {}
    source: dict[str, str] = {}
    for argument, path in files:
        content = load(path)
        if content.fault:
            raise RuntimeError(f"{argument}:={path}: {content.fault}")
        for name, value in content.values_for(node).items():
            values[name], source[name] = value, f"{argument}:={path}: "
    for name, value in overrides.items():
        values[name] = value
        source.pop(name, None)
    parts = [to_flat(part) for part in defaults]
    known = {name for part in parts for name in part}
    try:
        check_unknown({name: values[name] for name in source}, known, others)
        return [
            from_flat(type(part), {**flat, **{n: values[n] for n in flat if n in values}})
            for part, flat in zip(defaults, parts, strict=True)
        ]
    except ParameterError as error:
        raise RuntimeError(f"{source.get(error.name, '')}{error}") from None


def check_platform(name: str, folder: str) -> PlatformSpec:
    """Find the platform that two launch arguments name."""
    try:
        return platform_spec(name, Path(folder) if folder else None)
    except PlatformError as error:
        raise RuntimeError(str(error).replace("=", ":=", 1)) from None


def check_interface(
    nodes: Sequence[str], files: Sequence[ParameterFile], overrides: Mapping[str, object]
) -> list[InterfaceParameters]:
    """Check the parameters of the interface's nodes, and that their platform can be built.

    Returns those of each node.
    """
    checked = []
    folder = str(overrides.get("platform_path", ""))
    spec = check_platform(str(overrides["platform"]), folder)
    platforms = discover(Path(folder) if folder else None)
    others = {"output", *(each.parameters.PREFIX for each in platforms.values())}
    for node in nodes:
        interface, *_, platform = check_node(
            (
                InterfaceParameters(),
                OutputParameters(),
                StageProcessParameters(),
                GuardParameters(),
                ArbitrationParameters(),
                spec.parameters(),
            ),
            node,
            files,
            overrides,
            others,
        )
        try:
            spec.create(platform, PlatformSetup(interface.vehicle, interface.period_s))
        except (OSError, ValueError) as error:
            raise RuntimeError(f"platform:={spec.name}: {error}") from None
        checked.append(interface)
    refuse_unmatched(files, nodes)
    return checked
