"""`ros2 interface`: what interfaces there are, and their definitions."""

from __future__ import annotations

import argparse
import enum
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from rosidl_runtime_py import get_interface_path, get_interfaces, message_to_yaml
from rosidl_runtime_py.utilities import get_interface

from ros2cli.arguments import CliError

INTEGERS = (f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
PRIMITIVES = frozenset(
    ("bool", "byte", "char", "string", "wstring", "float32", "float64", *INTEGERS)
)
# The first word of a field: a type, its bound and its array suffix apart.
_TYPE = re.compile(r"\s*(?P<type>[A-Za-z][\w/]*)")
# A comment begins at the first # outside quotes.
_QUOTED_OR_COMMENT = re.compile(r"\"[^\"]*\"|'[^']*'|(?P<comment>\s*#.*)")


class Comments(enum.Enum):
    """Which comments and empty lines are shown."""

    TOP = enum.auto()  # only the interface's own
    ALL = enum.auto()
    NONE = enum.auto()


def definition_lines(name: str, comments: Comments) -> Iterator[str]:
    """Yield the lines of `package/kind/Name`; raise LookupError or ValueError."""
    yield from _lines(name, 0, comments)


def _lines(name: str, depth: int, comments: Comments) -> Iterator[str]:
    package = name.split("/")[0]
    shows_comments = comments is Comments.ALL or (comments is Comments.TOP and depth == 0)
    indent = "\t" * depth
    for line in Path(get_interface_path(name)).read_text(encoding="utf-8").splitlines():
        code = without_comment(line)
        text = line.rstrip() if shows_comments else code
        if text or shows_comments:
            yield indent + text if text else ""
        nested = nested_type(code, package)
        if nested:
            yield from _lines(nested, depth + 1, comments)


def without_comment(line: str) -> str:
    """Return a line's code alone."""
    for match in _QUOTED_OR_COMMENT.finditer(line):
        if match["comment"]:
            return line[: match.start()].rstrip()
    return line.rstrip()


def nested_type(code: str, package: str) -> str | None:
    """Return the full name of a field's message type; None for primitive fields."""
    match = _TYPE.match(code)
    if match is None or match["type"] in PRIMITIVES:
        return None
    parts = match["type"].split("/")
    return f"{parts[0] if len(parts) > 1 else package}/msg/{parts[-1]}"


KINDS = {"msg": "Messages", "srv": "Services", "action": "Actions"}


def add_kind_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `-m`, `-s` and `-a`."""
    parser.add_argument(
        "-m", "--only-msgs", action="append_const", dest="kinds", const="msg", help="Messages only"
    )
    parser.add_argument(
        "-s", "--only-srvs", action="append_const", dest="kinds", const="srv", help="Services only"
    )
    parser.add_argument(
        "-a",
        "--only-actions",
        action="append_const",
        dest="kinds",
        const="action",
        help="Actions only",
    )


def chosen_kinds(args: argparse.Namespace) -> list[str]:
    """Return the requested kinds; without an option all."""
    return [kind for kind in KINDS if not args.kinds or kind in args.kinds]


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 interface list`."""
    add_kind_arguments(parser)


def run_list(args: argparse.Namespace) -> int:
    """Print every interface, by kind."""
    interfaces = get_interfaces()
    for kind in chosen_kinds(args):
        print(f"{KINDS[kind]}:")
        for package, names in interfaces.items():
            for name in names:
                if name.startswith(f"{kind}/"):
                    print(f"    {package}/{name}")
    return 0


def add_package_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 interface package`."""
    parser.add_argument("package_name", help="Name of the ROS package (e.g. 'std_msgs')")
    add_kind_arguments(parser)


def run_package(args: argparse.Namespace) -> int:
    """Print the interfaces of one package."""
    try:
        names = get_interfaces([args.package_name])[args.package_name]
    except LookupError as error:
        raise CliError(str(error.args[0])) from error
    kinds = chosen_kinds(args)
    for name in names:
        if name.split("/")[0] in kinds:
            print(f"{args.package_name}/{name}")
    return 0


def add_packages_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 interface packages`."""
    add_kind_arguments(parser)


def run_packages(args: argparse.Namespace) -> int:
    """Print the packages that have interfaces of the requested kinds."""
    kinds = chosen_kinds(args)
    for package, names in get_interfaces().items():
        if any(name.split("/")[0] in kinds for name in names):
            print(package)
    return 0


def add_proto_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 interface proto`."""
    parser.add_argument("type", help="An interface (e.g. 'std_msgs/msg/String')")
    parser.add_argument("--no-quotes", action="store_true", help="Print without outer quotes")


def run_proto(args: argparse.Namespace) -> int:
    """Print a message, request or goal with its default values, ready for `topic pub`."""
    try:
        interface = get_interface(args.type)
    except (AttributeError, ModuleNotFoundError, ValueError) as error:
        raise CliError(str(error)) from error
    template = getattr(interface, "Request", None) or getattr(interface, "Goal", None) or interface
    text = message_to_yaml(template())
    print(text if args.no_quotes else f'"{text}"')
    return 0


def add_show_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `ros2 interface show`."""
    parser.add_argument(
        "type",
        help="An interface (e.g. 'std_msgs/msg/String'); '-' reads it from standard input "
        "(e.g. 'ros2 topic type /chatter | ros2 interface show -')",
    )
    comments = parser.add_mutually_exclusive_group()
    comments.add_argument(
        "--all-comments",
        action="store_true",
        help="Show all comments, including for nested interface definitions",
    )
    comments.add_argument(
        "--no-comments", action="store_true", help="Show no comments or whitespace"
    )


def run_show(args: argparse.Namespace) -> int:
    """Print the definition of an interface, including nested ones."""
    name = sys.stdin.readline().strip() if args.type == "-" else args.type
    comments = Comments.TOP
    if args.all_comments:
        comments = Comments.ALL
    elif args.no_comments:
        comments = Comments.NONE
    try:
        for line in definition_lines(name, comments):
            print(line)
    except (LookupError, ValueError) as error:
        raise CliError(str(error.args[0])) from error
    return 0
