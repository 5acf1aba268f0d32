"""The committed reference pages are the generated ones."""

import runpy
import sys
from pathlib import Path

import pytest
from vdsim_protocol.vds1.messages import LAYOUTS, MessageType

from vdsim_protocol import morai, reference, vds1

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize("name", reference.PAGES)
def test_committed_page_is_the_generated_one(name: str) -> None:
    committed = (DOCS / name).read_text(encoding="utf-8")
    hint = f"docs/{name} is not what the tables say: python -m vdsim_protocol.reference"
    assert committed == reference.PAGES[name](), hint


def test_vds1_page_names_every_field_and_reason() -> None:
    page = reference.vds1_page()
    for field in LAYOUTS[MessageType.STATE][5].fields + LAYOUTS[MessageType.CMD][3].fields:
        assert f"| {field.wire.offset} | " in page
        assert f"| `{field.name}` | `{field.wire_name}` |" in page
    for reason in vds1.Reason:
        assert f"| `{reason.value}` |" in page
    assert "| 224 | float64[4] | `slip_ratio` | `slip_ratio` | 1 | kappa | 2 |" in page
    assert "| 53 | uint8[3] |" in page


def test_morai_page_names_every_message_and_record() -> None:
    page = reference.morai_page()
    for message in morai.MESSAGES:
        assert f"## {message.title}\n" in page
        assert f"`{message.identifier}`" in page
    for record in ("ObjectRecord, 68", "NpcCollisionRecord, 112", "NpcHalf, 56", "EgoRecord, 32"):
        assert f"### {record} bytes" in page
    assert "| 121 | 141 | 141 | 145 | char[38] | `link_id` |" in page
    assert "NpcHalf x 2" in page


def test_the_command_writes_both_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reference.main(["reference", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == set(reference.PAGES)
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / n) for n in reference.PAGES]
    assert (tmp_path / "vds1.md").read_text() == reference.vds1_page()
    monkeypatch.chdir(tmp_path)
    assert reference.main(["reference"]) == 2
    assert capsys.readouterr().err == "docs: must be an existing folder\n"


def test_the_module_is_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["reference", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(reference.__file__, run_name="__main__")
    assert ended.value.code == 0
