"""The Python on every page has types that `mypy --strict` accepts, as a typed project would see it.

A page is one module: its blocks go on from each other. What needs packages that are no part of the
test environment is checked against `Any`, as the repository's own code is.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("src/*/README.md")), *sorted(ROOT.glob("docs/*.md"))]
BLOCK = re.compile(r"^```(?:python|py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLANT = re.compile(r"^\s*(?:from|import) vdsim_plant\b", re.MULTILINE)


def test_the_plants_examples_on_every_page_pass_mypy_strict(tmp_path: Path) -> None:
    modules = []
    for page in PAGES:
        text = "\n".join(BLOCK.findall(page.read_text(encoding="utf-8")))
        if PLANT.search(text):
            owner = page.parent.name if page.stem == "README" else ""
            modules.append(tmp_path / f"{owner}_{page.stem}.py".lower().replace("-", "_"))
            modules[-1].write_text(text, encoding="utf-8")
    assert len(modules) >= 8
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), *modules],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
