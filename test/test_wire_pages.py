"""The reference pages show every field, message, record and reason of the packet tables."""

from generate.wire_pages import morai_page, vds1_page
from vdsim_protocol.vds1.messages import LAYOUTS, MessageType

from vdsim_protocol import morai, vds1


def test_vds1_page_names_every_field_and_reason() -> None:
    page = vds1_page()
    for field in LAYOUTS[MessageType.STATE][5].fields + LAYOUTS[MessageType.CMD][3].fields:
        assert f"| {field.wire.offset} | " in page
        assert f"| `{field.name}` | `{field.wire_name}` |" in page
    for reason in vds1.Reason:
        assert f"| `{reason.value}` |" in page
    assert "| 224 | float64[4] | `slip_ratio` | `slip_ratio` | 1 | kappa | 2 |" in page
    assert "| 53 | uint8[3] |" in page


def test_morai_page_names_every_message_and_record() -> None:
    page = morai_page()
    for message in morai.MESSAGES:
        assert f"## {message.title}\n" in page
        assert f"`{message.identifier}`" in page
    for record in ("ObjectRecord, 106", "NpcCollisionRecord, 112", "NpcHalf, 56", "EgoRecord, 32"):
        assert f"### {record} bytes" in page
    assert "| 121 | 141 | 141 | 145 | char[38] | `link_id` |" in page
    assert "NpcHalf x 2" in page
