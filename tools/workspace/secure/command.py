"""The command line of `./ws secure`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from workspace.secure.documents import LAST_DOMAIN
from workspace.secure.keystore import KeystoreError, add, create, validity_of
from workspace.secure.policy import ROLES, Places, Rights, rights
from workspace.secure.table import table

PREFIX = "/vdsim"
_NAME = re.compile(r"[A-Za-z_]\w*(/[A-Za-z_]\w*)*", re.ASCII)
_PATTERN = re.compile(r"/[\w/*]+", re.ASCII)
_LONGEST = 64  # a common name of X.509
_LONGEST_DAYS = 36500


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise KeystoreError(message)


def main(arguments: Sequence[str]) -> int:
    """Write a keystore, or one more enclave; the exit code."""
    try:
        return _run(_parser().parse_args(arguments))
    except (KeystoreError, OSError) as error:
        print(f"ws secure: {error}", file=sys.stderr)
        return 2


def _run(given: argparse.Namespace) -> int:
    if bool(given.add) != bool(given.role):
        raise KeystoreError("--add NAME and --role ROLE: must be given together")
    folder, validity = given.dir.absolute(), validity_of(given.days)
    if given.add:
        name = f"/{given.add}"
        add(folder, name, _rights(given.role, given), given.domain_id, validity)
        print(f"{folder}: enclave {name}, which may do what {PREFIX}/{given.role} may")
        return 0
    enclaves = {f"{PREFIX}/{role}": _rights(role, given) for role in ROLES}
    create(folder, enclaves, given.domain_id, validity)
    print(f"{folder}: enclaves {', '.join(enclaves)}, valid until {validity.end:%Y-%m-%d}")
    print(f"export ROS_SECURITY_KEYSTORE={folder}")
    print("export ROS_SECURITY_ENABLE=true ROS_SECURITY_STRATEGY=Enforce")
    print(f"export ROS_SECURITY_ENCLAVE_OVERRIDE={PREFIX}/vehicle    # or another enclave")
    return 0


def _rights(role: str, given: argparse.Namespace) -> Rights:
    """A role's rights; the user's topics belong to whoever commands, and to an added enclave."""
    places = Places(given.namespace, given.plant_namespace)
    more = given.topics if given.add or role in ("vehicle", "stack") else []
    return rights(table(), role, places, more)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="./ws secure", description=__doc__, allow_abbrev=False)
    option = parser.add_argument
    option("dir", type=Path, metavar="DIR", help="the keystore: a new folder")
    option("--add", type=_name, metavar="NAME", help="one more enclave in the keystore DIR")
    option("--role", choices=[role for role in ROLES if role != "vehicle"], help="what it may do")
    option("--namespace", type=_space, default="vehicle", help="of the interface")
    option("--plant-namespace", type=_space, default="", help="of the simulated car's node")
    option(
        "--topics", type=_pattern, nargs="+", default=[], metavar="NAME",
        help="further topics, or patterns with *, of the vehicle and the stack, or of --add",
    )  # fmt: skip
    option("--domain-id", type=_domain, nargs="+", default=[], help="domains (default: all)")
    option("--days", type=_days, default=3650, help="until certificates expire (default: 3650)")
    return parser


def _name(text: str) -> str:
    name = text.removeprefix("/")
    if not _NAME.fullmatch(name) or len(name) >= _LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r}: must be names of letters, joined by slashes")
    return name


def _space(text: str) -> str:
    return _name(text) if text.strip("/") else ""


def _pattern(text: str) -> str:
    if not _PATTERN.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text!r}: must be a topic as /planner/path or /planner/*"
        )
    return text


def _domain(text: str) -> int:
    return _number(text, 0, LAST_DOMAIN)


def _days(text: str) -> int:
    return _number(text, 1, _LONGEST_DAYS)


def _number(text: str, least: int, most: int) -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r}: must be {least} to {most}")
    return int(text)
