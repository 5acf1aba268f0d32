"""What the command `vdsim_record` starts: the recorder, or one sentence about what it needs."""

from __future__ import annotations

import sys

from vdsim_interface.nodes.entry_points import start_node
from vdsim_interface.ros.exit_codes import USER_ERROR_EXIT


def main() -> int:
    """`vdsim_record`."""
    try:
        return start_node("vdsim_record.ros.recorder")
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("mcap", "zstandard"):
            raise
        print(f"vdsim_record: needs {missing}: pip install {missing}", file=sys.stderr)
        return USER_ERROR_EXIT
