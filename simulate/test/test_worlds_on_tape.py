"""Worlds with faults, written onto a tape: the tape alone gives the same packets, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from vdsim_interface.guard.frames import Activate
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.setup import flat_values
from vdsim_interface.guard.shapes import MalformedError
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.spec import Encoded
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.values import PlatformCommand
from vdsim_record.cli import play
from vdsim_record.journal.folder import JournalFolder
from vdsim_record.journal.frames import all_framed
from vdsim_record.mcap_file import records
from vdsim_record.tape.comparing import compare, compare_recorded, differing_bits
from vdsim_record.tape.playing import Playing
from vdsim_record.tape.recorded import TOPIC, TYPE, as_message
from vdsim_record.tape.taping import Taping
from vdsim_simulate.draw import scene_of
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Scene
from vdsim_simulate.wiring import guarded, single
from vdsim_simulate.wiring.shipped import platform_parameters

SEEDS = {"single": 1, "guarded": 2}


def tapes_of(scene: Scene, patch: pytest.MonkeyPatch) -> list[list[bytes]]:
    """Run a scene; return the tape of each pipeline or guard that it has made."""
    tapes: list[tuple[Taping, list[bytes]]] = []

    def new() -> Taping:
        packets: list[bytes] = []
        tapes.append((Taping(packets.append), packets))
        return tapes[-1][0]

    def pipeline(parameters: Any, *others: Any) -> Pipeline:
        made = Pipeline(parameters, *others)
        own = flat_values(platform_parameters(scene))
        new().of_pipeline(made, Activate("vds1", "", flat_values(parameters), own))
        return made

    def guard(link: Any) -> Guard:
        made = Guard(link)
        new().of_guard(made)
        return made

    makers: list[tuple[Any, str, Callable[..., Any]]] = [
        (single, "Pipeline", pipeline),
        (guarded, "Guard", guard),
    ]
    for module, name, maker in makers:
        patch.setattr(module, name, maker)
    run_scene(scene)
    for taping, _ in tapes:
        taping.flush()
    return [packets for _, packets in tapes]


@pytest.fixture(scope="module", params=SEEDS)
def tapes(request: pytest.FixtureRequest) -> list[list[bytes]]:
    with pytest.MonkeyPatch.context() as patch:
        return tapes_of(scene_of(SEEDS[request.param], request.param), patch)


def test_no_bit_differs(tapes: list[list[bytes]]) -> None:
    ticks = [tick for packets in tapes for tick in Playing(packets).ticks()]
    assert len(ticks) > 1000
    assert sum(differing_bits(tick.recorded, tick.played) for tick in ticks) == 0


def test_another_limit_is_seen_and_its_first_tick_told(tapes: list[list[bytes]]) -> None:
    changes = {"safety.accel_max_mps2": 0.3}
    found = compare(Playing(tapes[0]).ticks(), Playing(tapes[0], changes).ticks())
    assert found.first is not None
    assert found.different > 10
    assert found.reasons
    text = "\n".join(found.lines())
    assert f"first tick {found.first.number}" in text
    assert "throttle" in text


def test_another_version_of_the_code_is_seen_and_its_first_tick_told(
    tapes: list[list[bytes]],
) -> None:
    """The code changes: its platform gives half of each acceleration."""
    encode = Vds1Platform.encode

    def changed(self: Vds1Platform, command: PlatformCommand, now: float) -> Encoded:
        vehicle = command.vehicle._replace(long_accel_mps2=0.5 * command.vehicle.long_accel_mps2)
        return encode(self, command._replace(vehicle=vehicle), now)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Vds1Platform, "encode", changed)
        found = compare_recorded(Playing(tapes[0]).ticks())
    assert found.bits > 10
    assert found.first is not None
    text = "\n".join(found.lines())
    assert f"first tick {found.first.number}" in text
    assert " as recorded, " in text
    assert "throttle" in text
    same = compare_recorded(Playing(tapes[0]).ticks())
    assert (same.bits, same.lines()) == (0, [f"{same.ticks} ticks, none differs"])


def test_a_packet_that_is_missing_is_told(tapes: list[list[bytes]]) -> None:
    packets = [*tapes[0][:5], *tapes[0][6:]]
    with pytest.raises(MalformedError, match="packet 5"):
        list(Playing(packets).ticks())


def test_the_command_plays_a_file_and_writes_a_test(
    tapes: list[list[bytes]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "drive.mcap"
    journal = JournalFolder.of(path)
    journal.path.mkdir()
    head = [records.schema(1, TYPE, "uint8[] data\n"), records.channel(1, f"{TOPIC}1", 1, {})]
    messages = [
        records.message(records.MessageHead(1, n, n, n), as_message(packet))
        for n, packet in enumerate(tapes[0], start=1)
    ]
    journal.segment(1).write_bytes(all_framed([*head, *messages]))
    assert play.main([str(path), "--test", str(tmp_path / "test_drive.py")]) == 0
    assert ", 0 differing output bits" in capsys.readouterr().out, "the journal was finished"
    scope: dict[str, Any] = {}
    exec((tmp_path / "test_drive.py").read_text(), scope)
    scope["test_the_recorded_drive_gives_the_same_packets"]()
    assert play.main([str(path), "--set", "safety.accel_max_mps2=0.3"]) == 0
    assert "ticks differ; first tick" in capsys.readouterr().out
    assert play.main([str(path), "--set", "safety.no_such=1"]) == 2
    assert "is no parameter of the interface" in capsys.readouterr().err
    assert play.main([str(tmp_path / "nothing.mcap")]) == 2
