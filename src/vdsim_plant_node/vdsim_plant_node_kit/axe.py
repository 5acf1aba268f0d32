"""axe-core, which names faults of accessibility of a page.

axe-core (MPL-2.0) comes from the npm registry for the lanes alone, and is no part of the product.
"""

from __future__ import annotations

import hashlib
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from vdsim_plant_node_kit.browser import Page

AXE = "axe-core@4.10.3"
SHA256 = "880970c081707360e64f34cea25ff91892f5bc95675b0776925b9709dd8a68bb"


def axe_text(folder: Path) -> str:
    """The text of axe.min.js, of that release and no other; downloaded into a folder."""
    subprocess.run(["npm", "pack", "--silent", AXE], cwd=folder, check=True, timeout=300)
    (packed,) = folder.glob("*.tgz")
    with tarfile.open(packed) as opened:
        member = opened.extractfile("package/axe.min.js")
        assert member is not None
        content = member.read()
    assert hashlib.sha256(content).hexdigest() == SHA256
    return content.decode()


def faults(page: Page, axe: str) -> Any:
    """What axe-core finds: rule, and the elements that break it."""
    page.evaluate(f"{axe};0")
    return page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations"
        ".map(each => [each.id, each.nodes.map(node => node.html)]))"
    )
