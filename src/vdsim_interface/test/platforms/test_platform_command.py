"""`vdsim_platform`, and platforms that other distributions install."""

from pathlib import Path

import pytest
from vdsim_interface.extras.cli.platform import main
from vdsim_interface.platforms.discovery import PlatformError, discover, platform_spec
from vdsim_interface.testing import CHECKS, ContractError, check_platform
from vdsim_interface_kit.documented_platform import write_documented_platform

GROUP = "vdsim_interface.platforms"


def install(monkeypatch: pytest.MonkeyPatch, site: Path, name: str, package: str) -> None:
    """A distribution on the path that names a platform."""
    info = site / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {package}\n")
    monkeypatch.syspath_prepend(str(site))


def test_a_good_platform_keeps_every_promise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_documented_platform(tmp_path)
    assert main(["check", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.count("  ok  ") == len(CHECKS)
    assert out.startswith("my_car: ")
    assert "fake" not in out
    assert out.endswith(
        "[VI-n.m] is the requirement that a promise belongs to: docs/requirements.md\n"
    )


def test_a_wrong_sign_is_named_with_both_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_documented_platform(tmp_path)
    file = tmp_path / "my_car" / "platform.py"
    text = file.read_text(encoding="utf-8")
    wrong = text.replace('"steer": front,', '"steer": -front,')
    assert wrong != text
    file.write_text(wrong, encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "left must be left: front wheel angle [rad] must be 0.2; found: -0.2" in out
    with pytest.raises(ContractError, match="left must be left"):
        check_platform(platform_spec("my_car", tmp_path))


@pytest.mark.parametrize(
    ("right", "wrong", "promise"),
    [
        ("front = pedals.front_rad", "front = -pedals.front_rad", "raw front_steer 100 must turn"),
        (
            '"hand_brake": command.body.hand_brake',
            '"hand_brake": not command.body.hand_brake',
            "no hand brake may be set unasked",
        ),
        (
            "if not math.isfinite(t + v + steer + accel + x + y + yaw):",
            "if False:",
            "BROKEN  No datagram raises an exception; a drop has a reason; what is not finite is",
        ),
        ("t + v + steer + accel + x + y + yaw", "t + v + steer + accel", "found: x_m=nan"),
    ],
)
def test_a_wrong_line_breaks_a_promise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], right: str, wrong: str, promise: str
) -> None:
    write_documented_platform(tmp_path)
    file = tmp_path / "my_car" / "platform.py"
    text = file.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 1
    assert promise in capsys.readouterr().out


def test_a_name_that_is_not_that_of_the_folder_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_documented_platform(tmp_path)
    file = tmp_path / "my_car" / "__init__.py"
    file.write_text(file.read_text().replace('name="my_car"', 'name="other"'))
    assert main(["check", str(tmp_path)]) == 0
    told = f"  note    {tmp_path} has no folder other: the name is that of SPEC, platform:=other\n"
    assert told in capsys.readouterr().out
    with pytest.raises(
        PlatformError, match=r"one of .*, other.*; SPEC in my_car/ has another name$"
    ):
        platform_spec("my_car", tmp_path)
    assert main(["check", str(tmp_path), "--platform", "vds1"]) == 0
    assert "note" not in capsys.readouterr().out


def test_a_platform_without_its_peer_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_documented_platform(tmp_path)
    (tmp_path / "my_car" / "contract_peer.py").unlink()
    assert main(["check", str(tmp_path)]) == 1
    assert "my_car: a platform with a wire needs contract_peer.py" in capsys.readouterr().out


def test_list_and_wrong_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    listed = capsys.readouterr().out
    assert "vds1: " in listed
    [modelled] = [line for line in listed.split("vds1: ")[1].splitlines() if "modelled:" in line]
    assert "state.horn" in modelled
    assert "command.gear" not in modelled
    assert main(["check", "--platform", "nosuch"]) == 2
    assert "platform=nosuch: must be one of can, fake" in capsys.readouterr().err
    assert main(["check", str(tmp_path)]) == 2
    assert "holds no folder with a platform" in capsys.readouterr().err


def test_an_installed_platform_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_documented_platform(tmp_path)
    (tmp_path / "my_car").rename(tmp_path / "vdsim_test_my_car")
    install(monkeypatch, tmp_path, "my_car", "vdsim_test_my_car")
    check_platform(platform_spec("my_car"))
    assert {"fake", "my_car", "vds1"} <= set(discover())


@pytest.mark.parametrize(
    ("package", "content", "why"),
    [
        ("vdsim_test_broken", "import no_such_module\n", "ModuleNotFoundError: No module named"),
        ("vdsim_test_empty", "", "has no SPEC of type PlatformSpec"),
    ],
)
def test_a_broken_installed_platform_is_named_and_disturbs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, content: str, why: str
) -> None:
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text(content)
    install(monkeypatch, tmp_path, "broken", package)
    assert platform_spec("vds1").name == "vds1"
    with pytest.raises(PlatformError, match=f"platform=broken: {package}: {why}"):
        platform_spec("broken")
