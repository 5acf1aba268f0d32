"""`./ws pins`: ask the package index for the SHA-256 of everything that is pinned.

Runs in an environment with pip, because the address of the index is pip's.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workspace import pins

_JSON = "application/vnd.pypi.simple.v1+json"


def main(arguments: list[str]) -> int:
    """Write hashes.txt in the folder; returns the exit code."""
    folder = Path(arguments[0])
    wanted = pins.pins_of(pins.requirement_files(folder))
    index = _index()
    with ThreadPoolExecutor(8) as pool:
        files = list(pool.map(lambda pin: _files_of(index, pin), wanted))
    hashes = dict(zip(wanted, files, strict=True))
    missing = [pin for pin, found in hashes.items() if not found]
    if missing:
        print(f"the package index has no file for {', '.join(missing)}", file=sys.stderr)
        return 1
    (folder / pins.HASHES).write_text(pins.text(hashes), encoding="utf-8")
    print(f"{len(hashes)} packages, {sum(map(len, hashes.values()))} files")
    return 0


def _index() -> str:
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    # A private name, but it is the same in every pip of these ten years.
    return configured or str(importlib.import_module("pip._internal.models.index").PyPI.simple_url)


def _files_of(index: str, pin: str) -> dict[str, str]:
    """The usable files of a release; a source archive only where no wheel is usable."""
    name, _, version = pin.partition("==")
    request = urllib.request.Request(f"{index.rstrip('/')}/{name}/", headers={"Accept": _JSON})
    with urllib.request.urlopen(request) as answer:
        listed = json.load(answer)["files"]
    release = {
        file["filename"]: file["hashes"]["sha256"]
        for file in listed
        if _version_of(file["filename"]) == version and pins.is_usable(file["filename"])
    }
    wheels = {file: digest for file, digest in release.items() if file.endswith(".whl")}
    return wheels or release


def _version_of(file: str) -> str:
    if file.endswith(".whl"):
        return file.split("-")[1]
    return file.removesuffix(".tar.gz").rpartition("-")[2]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
