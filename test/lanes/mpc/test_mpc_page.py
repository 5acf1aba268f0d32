"""The Python of docs/mpc.md runs, block after block, as a reader would run it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "mpc.md"


def test_the_python_of_the_page_runs() -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(blocks) == 2
    subprocess.run([sys.executable, "-W", "error", "-c", "\n".join(blocks)], check=True)
