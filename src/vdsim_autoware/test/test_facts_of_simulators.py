"""What was read of simulators, of Nav2 and of pages, against the code that relies on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_autoware.conformance import interface
from vdsim_autoware.facts.peer_facts import peer, peers
from vdsim_interface.platforms.vds1.wire_version import ASKED_VERSIONS
from vdsim_plant.plant_arguments import THEIRS
from vdsim_plant_node.cli import world_file

from vdsim_protocol import morai

PAGES = Path(__file__).parents[3]


@pytest.mark.parametrize("name", ["vdsim", "autohyu", "morai", "nav2", "interface_pages"])
def test_the_page_says_what_it_was_checked_against(name: str) -> None:
    known = peer(name)
    text = " ".join((PAGES / known.page).read_text(encoding="utf-8").split())
    assert known.checked_against() in text
    assert known in peers()


def test_every_key_of_a_world_file_of_vdsim_is_taken_refused_or_noted() -> None:
    facts = peer("vdsim").latest
    ours = {"vehicles", "fleet", "sim", "rate", "time_scale", "cmd_timeout"}
    ours |= {*world_file.ROAD_KEYS, *world_file.REFUSED, *world_file.NOTED}
    assert set(facts.get("world_keys")) <= ours
    of_car = {*world_file.VEHICLE_KEYS, *world_file.VEHICLE_REFUSED, *world_file.VEHICLE_NOTED}
    assert set(facts.get("vehicle_keys")) <= of_car


def test_vdsims_arguments_and_wire_version_are_those_that_we_name() -> None:
    facts = peer("vdsim").latest
    assert f"({', '.join(facts.get('plant_arguments'))})" == THEIRS
    assert facts.get("wire_version") == ASKED_VERSIONS[0]


def test_morais_sizes_are_those_of_our_release() -> None:
    sizes = peer("morai").latest.get("bytes")
    release = morai.RELEASES["24.R2"]
    for message in morai.MESSAGES:
        name = message.table.__name__
        if name in sizes:
            assert message.sizes[release.generation(message.table)][1] == sizes[name], name


def test_the_conformance_kit_judges_by_what_the_pages_state() -> None:
    read = {item["name"]: item for item in peer("interface_pages").latest.get("interfaces")}
    assert set(read) == set(interface.PAGE)
    for page in interface.PAGES:
        stated = read[page.topic]
        assert stated["type"] == page.type_name
        if page.end != interface.SERVICE:
            assert (stated["reliability"], stated["depth"]) == (interface.RELIABLE, 1)
            assert tuple(stated["durability"].split(" or ")) == page.durabilities
    assert float(read[interface.CONTROL]["rate"]) == interface.CONTROL_RATE_HZ
    for page in interface.STATUSES:
        rate = str(read[page.topic]["rate"])
        assert rate.split(" or ")[0] == f"{interface.STATUS_RATE_HZ:g}"
        assert rate.endswith("N/A") == (page in interface.STATES), "latched, and on change"
