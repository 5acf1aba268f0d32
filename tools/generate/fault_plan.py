"""The example plan of docs/link-faults.md, as `vdsim_chaos --example` prints it."""

from __future__ import annotations

from vdsim_protocol.cli.chaos import EXAMPLE_PLAN


def example_plan() -> str:
    """The plan as a code block."""
    return f"```yaml\n{EXAMPLE_PLAN}```"


PARTS = {"example plan": example_plan}
