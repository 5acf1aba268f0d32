"""The fields that signals of a car on CAN can carry, of docs/can-reference.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vdsim_can.car.fields import COMMAND_FIELDS, REPORT_FIELDS, Field


def fields_table() -> str:
    """A row for each field: in which sections it stands, and what it is."""
    rows = ["| field | in | what it is |", "|---|---|---|"]
    for name in dict.fromkeys([*COMMAND_FIELDS, *REPORT_FIELDS]):
        sent, received = COMMAND_FIELDS.get(name), REPORT_FIELDS.get(name)
        where = " and ".join(
            word for word, of in (("commands", sent), ("reports", received)) if of is not None
        )
        texts = dict.fromkeys(_text(each) for each in (sent, received) if each is not None)
        rows.append(f"| `{name}` | {where} | {'; reported: '.join(texts)} |")
    return "\n".join(rows)


def _text(field: Field) -> str:
    if field.members:
        return f"{field.text}: {', '.join(field.members)}"
    return f"{field.text} [{field.unit}]" if field.unit not in ("", "1") else field.text


PARTS: Mapping[str, Callable[[], str]] = {"can fields": fields_table}
