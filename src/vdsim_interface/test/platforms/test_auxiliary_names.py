"""[VI-2.2] The documented names of additional controls are those that platforms accept."""

import re
from pathlib import Path

import pytest
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.platforms.discovery import discover
from vdsim_interface.platforms.spec import PlatformSetup, PlatformSpec
from vdsim_interface.values import AuxiliaryCommand

ROOT = Path(__file__).resolve().parents[4]
MESSAGE = ROOT / "src/vdsim_msgs/msg/AuxiliaryCommand.msg"
PAGE = ROOT / "docs/interface.md"
SPECS = discover()


def accepts(spec: PlatformSpec, name: str) -> bool:
    platform = spec.create(spec.parameters(), PlatformSetup(VehicleGeometry(), 0.01))
    return not platform.auxiliary(AuxiliaryCommand(0.0, ((name, 1.0),)), 0.0)


def test_the_examples_of_the_message_are_accepted_by_a_platform() -> None:
    comment = MESSAGE.read_text(encoding="utf-8").splitlines()[0]
    examples = re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b", comment)
    assert examples
    for name in examples:
        assert any(accepts(spec, name) for spec in SPECS.values()), name


@pytest.mark.parametrize("platform", sorted(SPECS))
def test_the_page_lists_what_the_platform_accepts(platform: str) -> None:
    [row] = re.findall(
        rf"^\| `{platform}` \| (.*) \|$", _section("Additional controls"), re.MULTILINE
    )
    listed = re.findall(r"`(\w+)`", row)
    assert tuple(listed) == SPECS[platform].capabilities.auxiliary
    assert all(accepts(SPECS[platform], name) for name in listed)
    assert not accepts(SPECS[platform], "aux_accel_target")


def test_the_command_of_the_page_uses_names_that_exist() -> None:
    names = re.search(r"names: \[([^]]*)\]", _section("Additional controls"))
    assert names is not None
    for name in names[1].split(", "):
        assert accepts(SPECS["vds1"], name)


def _section(title: str) -> str:
    text = PAGE.read_text(encoding="utf-8")
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]
