"""The platform my_car of docs/new-platform.md, written into a folder."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "new-platform.md"
FILES = re.compile(r"^## `(\S+\.py)`\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def write_documented_platform(above: Path) -> None:
    """Make the folder `my_car` below another, with the code that the page shows."""
    folder = above / "my_car"
    folder.mkdir()
    files = dict(FILES.findall(PAGE.read_text(encoding="utf-8")))
    assert set(files) == {"__init__.py", "platform.py", "sensors.py", "contract_peer.py"}
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
