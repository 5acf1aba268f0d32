"""The interface packages that the wheels lack have the type hashes of the real ones.

The hashes are those that upstream's generators write for upstream's files: two nodes understand
each other's services only if they are equal.
"""

import json
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_share_directory

HASHES = {
    "ListNodes": "RIHS01_13f30d73a74c844ee4bacf78f3680f08777cad137f10fbd6a648544cc7b59d2a",
    "LoadNode": "RIHS01_2e521ef6066fba6d7fc3a3b175d486709f01b4d738d9a59188858546fc8e5acd",
    "UnloadNode": "RIHS01_dce562f83adc735ddcfe9dfb927b89293d4dd0fe2b8fc91e772fb83e970a43b0",
}


@pytest.mark.parametrize("service", HASHES)
def test_a_service_of_containers_has_upstreams_hash(service: str) -> None:
    share = Path(get_package_share_directory("composition_interfaces"))
    described = json.loads((share / "srv" / f"{service}.json").read_text(encoding="utf-8"))
    hashes = {item["type_name"]: item["hash_string"] for item in described["type_hashes"]}
    assert hashes[f"composition_interfaces/srv/{service}"] == HASHES[service]
