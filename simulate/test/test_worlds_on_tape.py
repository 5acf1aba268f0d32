"""Worlds with faults, written onto a tape: the tape alone gives the same packets, to the bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from vdsim_interface.guard.shapes import MalformedError
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
from vdsim_record.tape.replayed import replayed
from vdsim_simulate.cli import simulate
from vdsim_simulate.draw import scene_of
from vdsim_simulate.scene import Scene
from vdsim_simulate.wiring.tapes import Tapes
from vdsim_simulate.world import World

SEEDS = {"single": 1, "guarded": 3}


def tapes_of(scene: Scene) -> list[list[bytes]]:
    """Run a scene; return the tape of each pipeline or guard that it has made."""
    tapes = Tapes()
    World(scene, tapes).run()
    return tapes.packets()


@pytest.fixture(scope="module", params=SEEDS)
def tapes(request: pytest.FixtureRequest) -> list[list[bytes]]:
    return tapes_of(scene_of(SEEDS[request.param], request.param))


@pytest.mark.parametrize(
    "words",
    ["--seeds 1 --composition two_computers", "--seed 3 --composition guarded --platform can"],
)
def test_the_command_replays_what_it_runs(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tapes.json"
    assert simulate.main(["--tapes", *words.split(), "--store", str(file)]) == 0
    assert ": 0 differing output bits" in capsys.readouterr().out
    [stored] = json.loads(file.read_text()).values()
    assert stored["ticks"] > 500
    assert stored["bits"] > 100_000
    assert stored["differing_bits"] == 0
    assert stored["faults"]


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
        all_of_it = replayed("changed", ["door_opens"], tapes[:1])
    assert found.bits > 10
    assert all_of_it.differing_bits == found.bits < all_of_it.datagram_bits
    assert all_of_it.lines == tuple(found.lines())
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
