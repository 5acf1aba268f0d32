"""Messages under others' names are theirs: fields, defaults, constants and type hashes.

types.json holds the facts of autoware_msgs 1.12.0, autoware_adapi_msgs 1.9.2, tier4_vehicle_msgs
0.1.0 and ackermann_msgs 2.0.2, computed from those packages. Nodes whose hashes differ do not talk
to each other.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ament_index_python.packages import get_package_share_directory
from rosidl_adapter.parser import (
    MessageSpecification,
    parse_message_file,
    parse_service_file,
)

ROOT = Path(__file__).resolve().parents[2]
TABLE: dict[str, Any] = json.loads((ROOT / "test/data/autoware/types.json").read_text())
PACKAGES = sorted({name.partition("/")[0] for name in TABLE})


def _content(message: MessageSpecification) -> dict[str, Any]:
    return {
        "fields": [[str(f.type), f.name, f.default_value] for f in message.fields],
        "constants": {c.name: [c.type, c.value] for c in message.constants},
    }


def _installed(name: str) -> dict[str, Any]:
    package, kind, _ = name.split("/")
    share = Path(get_package_share_directory(package))
    path = share / name.partition("/")[2]
    description = json.loads(path.with_suffix(".json").read_text())
    [type_hash] = [
        one["hash_string"] for one in description["type_hashes"] if one["type_name"] == name
    ]
    text = str(path.with_suffix(f".{kind}"))
    if kind == "msg":
        return {"hash": type_hash, **_content(parse_message_file(package, text))}
    service = parse_service_file(package, text)
    parts = {"request": _content(service.request), "response": _content(service.response)}
    return {"hash": type_hash, **parts}


@pytest.mark.parametrize("name", TABLE)
def test_the_installed_type_is_that_of_its_package(name: str) -> None:
    assert _installed(name) == TABLE[name]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_table_has_every_type_of_our_package(package: str) -> None:
    folder = ROOT / "portable" / "interfaces" / package
    files = [*folder.glob("msg/*.msg"), *folder.glob("srv/*.srv")]
    ours = {f"{package}/{file.parent.name}/{file.stem}" for file in files}
    assert ours == {name for name in TABLE if name.startswith(f"{package}/")}


def test_none_of_these_packages_is_in_src_where_it_would_shadow_them() -> None:
    assert not [package for package in PACKAGES if (ROOT / "src" / package).exists()]
