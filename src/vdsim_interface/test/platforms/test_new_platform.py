"""docs/new-platform.md is a platform: its code, in an empty folder, passes the contract suite."""

from collections.abc import Callable
from pathlib import Path

import pytest
from vdsim_interface.platforms.discovery import PlatformError, discover, platform_spec
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.testing import CHECKS
from vdsim_interface_kit.documented_platform import write_documented_platform


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> PlatformSpec:
    above = tmp_path_factory.mktemp("platforms")
    write_documented_platform(above)
    (above / "notes").mkdir()
    return platform_spec("my_car", above)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_documented_platform(spec: PlatformSpec, check: Callable[[PlatformSpec], None]) -> None:
    check(spec)


def test_it_stands_beside_the_built_in_ones(spec: PlatformSpec) -> None:
    assert spec.name == "my_car"
    assert "my_car" not in discover()


def test_a_wrong_name_lists_what_there_is() -> None:
    with pytest.raises(PlatformError, match=r"platform=nosuch: must be one of .*fake.*vds1"):
        platform_spec("nosuch")


def test_a_path_that_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match=r": is not a folder"):
        discover(Path("x" * 5000))
    with pytest.raises(PlatformError, match=r"platform_path=.*/none: is not a folder"):
        discover(tmp_path / "none")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", "has no SPEC of type PlatformSpec"),
        ("SPEC = 1\n", "has no SPEC of type PlatformSpec"),
        ("import no_such_module\n", "odd: ModuleNotFoundError: No module named 'no_such_module'"),
        (
            "from vdsim_interface.extras.fake import SPEC\n",
            "a platform named fake exists already",
        ),
    ],
)
def test_a_folder_that_is_no_platform(tmp_path: Path, content: str, line: str) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "__init__.py").write_text(content, encoding="utf-8")
    with pytest.raises(PlatformError, match=line):
        discover(tmp_path)
