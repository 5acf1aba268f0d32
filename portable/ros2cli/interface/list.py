"""`ros2 interface list`."""

from __future__ import annotations

import argparse

from rosidl_runtime_py import get_interfaces

from ros2cli.interface.kinds import KINDS, add_kind_arguments, chosen_kinds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_kind_arguments(parser)


def main(args: argparse.Namespace) -> int:
    """Print every interface, by kind."""
    interfaces = get_interfaces()
    for kind in chosen_kinds(args):
        print(f"{KINDS[kind]}:")
        for package, names in interfaces.items():
            for name in names:
                if name.startswith(f"{kind}/"):
                    print(f"    {package}/{name}")
    return 0
