"""`vdsim_platform list | check`: which platforms there are, and whether they keep the contract."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from vdsim_protocol.cli.closed_pipe import ends_with_its_reader

from vdsim_interface.extras.contract import CHECKS, ContractError
from vdsim_interface.platforms.discovery import PlatformError, discover, platform_spec
from vdsim_interface.platforms.sources import modelled_by_default, table_of
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.values import Source


@ends_with_its_reader
def main(arguments: list[str] | None = None) -> int:
    """Exit code: 0 when all is well, 1 when a promise is broken, 2 for a wrong argument."""
    parser = argparse.ArgumentParser(prog="vdsim_platform", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("list", "name the platforms, with what their wire carries"),
        ("check", "run the contract suite: one line for each promise"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("folder", nargs="?", type=Path, help="a folder with further platforms")
        command.add_argument("--platform", help="only this one")
    options = parser.parse_args(arguments)
    try:
        specs = _chosen(options.folder, options.platform)
    except PlatformError as error:
        print(f"vdsim_platform: {error}", file=sys.stderr)
        return 2
    if options.command == "list":
        for spec in specs:
            print("\n".join(_described(spec.with_parameters(spec.parameters()))))
        return 0
    kept = []
    for spec in specs:
        print(f"{spec.name}: {spec.doc}")
        if options.folder is not None and _is_named_otherwise(spec, options.folder):
            why = f"the name is that of SPEC, platform:={spec.name}"
            print(f"  note    {options.folder} has no folder {spec.name}: {why}")
        kept.append(_keeps_contract(spec))
    print("[VI-n.m] is the requirement that a promise belongs to: docs/requirements.md")
    return 0 if all(kept) else 1


def _described(spec: PlatformSpec) -> Iterator[str]:
    """What it is, and what the newest version of its wire carries, models and lacks."""
    yield f"{spec.name}: {spec.doc}"
    table = table_of(spec, spec.wire_versions[-1], modelled_by_default(spec))
    yield f"  wire: {table.wire or 'none: a vehicle in the same process'}"
    for source in reversed(Source):
        names = [name for name, found in table.items() if found is source]
        yield f"  {source.name.lower()}: {', '.join(names) or 'nothing'}"


def _chosen(folder: Path | None, name: str | None) -> list[PlatformSpec]:
    """The named one, else those of the folder, else all."""
    if name is not None:
        return [platform_spec(name, folder)]
    found = discover(folder)
    if folder is not None:
        known = set(discover())
        found = {key: spec for key, spec in found.items() if key not in known}
        if not found:
            raise PlatformError(f"{folder}: holds no folder with a platform")
    return [found[key] for key in sorted(found)]


def _is_named_otherwise(spec: PlatformSpec, folder: Path) -> bool:
    """Whether it is one of the folder's, which is chosen by another name than its own folder's."""
    return not (folder / spec.name).is_dir() and spec.name not in discover()


def _keeps_contract(spec: PlatformSpec) -> bool:
    kept = True
    for check in CHECKS:
        promise = (check.__doc__ or check.__name__).partition("\n")[0]
        try:
            check(spec)
        except ContractError as error:
            kept = False
            print(f"  BROKEN  {promise}\n          {error}")
        except Exception as error:  # a platform may raise anything; that breaks the promise, too
            kept = False
            print(f"  BROKEN  {promise}\n          raises {type(error).__name__}: {error}")
        else:
            print(f"  ok      {promise}")
    return kept


if __name__ == "__main__":
    sys.exit(main())
