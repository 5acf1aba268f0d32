"""The Wireshark dissector: its tables are the packet tables, and tshark reads frames with it.

Wireshark's own tshark checks it where it is installed; the structure is checked everywhere.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from vdsim_kit.tools import has_tool
from vdsim_protocol.dissector import dissector
from vdsim_protocol.vds1.messages import LAYOUTS
from vdsim_protocol.wire import WHEELS
from vdsim_protocol_kit.capture import frame, pcap
from vdsim_protocol_kit.morai import VARIANT_IDS, VARIANTS, example
from vdsim_protocol_kit.vds1 import captured_frames, golden_frames

from vdsim_protocol import morai, vds1

FRAMES = captured_frames() + golden_frames()
TSHARK = shutil.which("tshark") if has_tool("tshark") else None


class Structure:
    """Reads the rows back out of the Lua text."""

    name = "structure"
    ROW = re.compile(
        r'\{abbr="(?P<abbr>[^"]+)", label="[^"]+", offset=(?P<offset>\d+), size=(?P<size>\d+), '
        r'type="(?P<type>\w+)"'
    )

    def values(self, payload: bytes, fields: list[str], folder: Path) -> list[str]:
        """The bytes at the place that the program's own tables give, read by the type there."""
        packet = vds1.decode(payload)
        assert isinstance(packet, vds1.Packet)
        head = packet.header
        wanted = f'name="{head.msg_type.name}", msg_type={int(head.msg_type)}'
        wanted += f", version={head.version}, "
        text = dissector()
        from_here = text[text.index(wanted) + len(wanted) :]
        body = re.split(r"msg_type=|local morai_messages", from_here)[0]
        rows = {row["abbr"]: row for row in self.ROW.finditer(body)}
        return [self.read(payload, rows[field]) for field in fields]

    @staticmethod
    def read(payload: bytes, row: re.Match[str]) -> str:
        start = 24 + int(row["offset"])
        data = payload[start : start + int(row["size"])]
        if row["type"] == "double":
            return repr(memoryview(data).cast("d")[0])
        return str(int.from_bytes(data, "little", signed=row["type"].startswith("int")))


class Tshark:
    """Runs tshark with the dissector on a capture file."""

    name = "tshark"

    def values(self, payload: bytes, fields: list[str], folder: Path) -> list[str]:
        """What tshark prints for the fields."""
        return run_tshark([payload], fields, folder)[0]


def run_tshark(payloads: list[bytes], fields: list[str], folder: Path) -> list[list[str]]:
    """A row of field values for each payload."""
    assert TSHARK is not None
    (folder / "vdsim.lua").write_text(dissector())
    (folder / "traffic.pcap").write_bytes(pcap([(1.0, frame(p, 40000, 7001)) for p in payloads]))
    shown = [argument for field in fields for argument in ("-e", field)]
    result = subprocess.run(
        [TSHARK, "-r", "traffic.pcap", "-X", "lua_script:vdsim.lua", "-T", "fields", *shown],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        timeout=120,
    )
    assert "error" not in result.stderr.lower(), result.stderr
    return [line.split("\t") for line in result.stdout.splitlines()]


ENGINES = [Structure(), *([Tshark()] if TSHARK else [])]


@pytest.mark.parametrize("engine", ENGINES, ids=[engine.name for engine in ENGINES])
def test_vds1_values_are_those_of_the_decoder(engine: Structure | Tshark, tmp_path: Path) -> None:
    chosen = {len(payload): payload for _, payload in FRAMES}  # one of every size
    for payload in chosen.values():
        packet = vds1.decode(payload)
        assert isinstance(packet, vds1.Packet)
        header = packet.header
        expected: dict[str, float] = {}
        for row in LAYOUTS[header.msg_type][header.version].fields:
            value = getattr(packet.body, row.name)
            if isinstance(value, tuple):
                expected |= {f"vds1.{row.name}_{w}": v for w, v in zip(WHEELS, value, strict=True)}
            else:
                expected[f"vds1.{row.name}"] = value
        shown = engine.values(payload, list(expected), tmp_path)
        for (name, value), text in zip(expected.items(), shown, strict=True):
            assert float(text) == pytest.approx(float(value), rel=1e-12, nan_ok=True), name


def test_the_dissector_agrees_with_the_decoders(tmp_path: Path) -> None:
    """Every kind of packet and every kind of damage, by whichever engine there is."""
    good = [payload for _, payload in FRAMES]
    morai_good = [morai.encode(example(m, g), g) for m, g in VARIANTS]
    lamps = morai.encode(morai.LampControl(0, 0))
    command = good[0]
    bad = {
        "crc": command[:40] + b"\xff" + command[41:],
        "length": command[:-1],
        "version or type": command[:4] + b"\x09\0" + command[6:],
        "tail": lamps[:-2] + b"\n\r",
        "size": lamps + b"\0",
        "data_length": lamps[:13] + b"\x03" + lamps[14:],
    }
    text = dissector()
    for reason in bad:
        assert f'"{reason}")' in text
    assert text.count("data_size=") == len(VARIANTS)
    assert text.count("rows={\n") >= len(VARIANTS)
    assert text.count("{") == text.count("}")
    if TSHARK is None:
        return
    fields = ["vds1.crc_ok", "vds1.seq", "morai.identifier", "vds1.reject", "morai.reject"]
    rows = run_tshark(good + morai_good + list(bad.values()), fields, tmp_path)
    for payload, row in zip(good, rows, strict=False):
        packet = vds1.decode(payload)
        assert isinstance(packet, vds1.Packet)
        assert row == ["1", str(packet.seq), "", "", ""]
    for (message, _), row in zip(VARIANTS, rows[len(good) :], strict=False):
        assert row == ["", "", message.identifier, "", ""]
    for reason, row in zip(bad, rows[len(good) + len(morai_good) :], strict=True):
        assert reason in (row[3], row[4])


@pytest.mark.parametrize(("message", "generation"), VARIANTS, ids=VARIANT_IDS)
def test_every_morai_row_is_in_the_program(message: morai.Message, generation: int) -> None:
    text = dissector()
    start = message.data_start
    for field in message.layout(generation).fields:
        suffix = f"_{WHEELS[0]}" if field.wire.count > 1 and not field.wire.record else ""
        name = f"morai.{message.table.__name__.lower()}.{field.name}{suffix}"
        offset = f"offset={field.wire.offset - start}"
        if field.wire.record is not None:
            assert f'name="{field.name}", {offset}, stride={field.element_size}' in text
        else:
            assert re.search(rf'abbr="{re.escape(name)}", label="[^"]+", {offset},', text)
