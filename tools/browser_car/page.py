"""The page: JavaScript modules, style and cars -> the text of one HTML file. Pure but for reading.

A page that is opened from a file may load no other file. Its modules stand in an import map, as
data addresses, under names that begin with "vdsim/"; their relative imports are written so.
"""

from __future__ import annotations

import base64
import gzip
import json
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_WEB = Path(__file__).resolve().parent / "web"
_DASHBOARD = (*("src", "vdsim_plant_node", "vdsim_plant_node", "dataport", "web"),)
_STYLES = ("style.css", "phone.css")
_IMPORT = re.compile(r'(\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)"(\.{1,2}/[^"]+)"')
_PREFIX = "vdsim/"


def page_text(root: Path, data: Mapping[str, Any]) -> str:
    """Return the page with the cars in `data`, which is what web/main.js reads."""
    dashboard = root.joinpath(*_DASHBOARD)
    style = "\n".join([*(_text(dashboard / name) for name in _STYLES), _text(_WEB / "page.css")])
    addresses = {
        f"{_PREFIX}{name}": f"data:text/javascript;base64,{encoded(text.encode())}"
        for name, text in scripts(dashboard, "main.js").items()
    }
    parts = {
        "STYLE": style,
        "ICON": encoded((dashboard / "icon.svg").read_bytes()),
        "IMPORTS": json.dumps({"imports": addresses}),
        "DATA": json.dumps(data, ensure_ascii=True).replace("</", "<\\/"),
    }
    page = _text(_WEB / "index.html")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], page)


def scripts(dashboard: Path, first: str) -> dict[str, str]:
    """Return every module that the first one reaches, by name; "dashboard/" is the other page's."""
    found: dict[str, str] = {}
    waiting = [first]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        inside = name.removeprefix("dashboard/")
        text = _text(_WEB / name if inside == name else dashboard / inside)
        folder = posixpath.dirname(name)

        def absolute(match: re.Match[str], folder: str = folder) -> str:
            target = posixpath.normpath(posixpath.join(folder, match[2]))
            waiting.append(target)
            return f'{match[1]}"{_PREFIX}{target}"'

        found[name] = _IMPORT.sub(absolute, text)
    return found


def packed(module: bytes) -> str:
    """Return a module as text, compressed; the same bytes give the same text."""
    return encoded(gzip.compress(module, 9, mtime=0))


def encoded(content: bytes) -> str:
    """Return bytes in base64."""
    return base64.b64encode(content).decode("ascii")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
