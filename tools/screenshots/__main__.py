"""Pictures of the dashboard in every size and theme, under the launch of the README.

    ./ws python tools/screenshots FOLDER [--page docs/images/dashboard.png]

The car drives in a circle, with the path that the stack plans. One picture is of an emergency stop.
`--page`: where the one of docs/dashboard.md goes. Exit code 1: something is cut off, lies on
something else, or the page has complained.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("tools", "test", "src/vdsim_plant_node")]

from vdsim_plant_node_kit.browser import Page, browser_page  # noqa: E402

from screenshots.drive import drive  # noqa: E402 - after the path of the kits

SIZES = {
    "laptop": (1280, 800, False),
    "desktop": (1920, 1080, False),
    "phone": (390, 844, True),
    "sideways": (844, 390, True),
}
THEMES = ("dark", "light")
OF_THE_PAGE = ("laptop", "dark")
_CHARTS_S = 12.0
_FAULTS = """
(() => {
  const faults = [];
  const wide = document.documentElement.scrollWidth > innerWidth;
  if (wide) faults.push("the page is wider than the window");
  for (const each of document.querySelectorAll("button, h2, h3, dt, dd, td, th, output, .label")) {
    const box = each.getBoundingClientRect();
    if (box.width === 0 || each.closest(".visually-hidden")) continue;
    const name = (each.id || each.tagName) + " " + JSON.stringify(each.innerText.slice(0, 30));
    if (box.left < -1 || box.right > innerWidth + 1) faults.push(`${name} is cut off`);
    const hides = getComputedStyle(each).overflowX !== "visible";
    if (hides && each.scrollWidth > each.clientWidth + 2) faults.push(`${name} does not fit`);
  }
  return faults;
})()
"""


def main(arguments: list[str]) -> int:
    """Take them; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="tools/screenshots",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--page", type=Path, help="where the picture of docs/dashboard.md goes")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    faults: list[str] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        drive(Path(folder)) as driven,
        browser_page() as page,
    ):
        page.open(driven.url)
        page.wait_for("Number(document.getElementById('speed').innerText) > 10")
        time.sleep(_CHARTS_S)
        for size in SIZES:
            for theme in THEMES:
                faults += take(page, options.folder, size, theme, "drives")
        if options.page is not None:
            picture = options.folder / f"{'-'.join(OF_THE_PAGE)}-drives.png"
            options.page.write_bytes(picture.read_bytes())
        page.press("Backspace")
        page.release("Backspace")
        page.wait_for("document.getElementById('driver').innerText === 'Emergency stop'")
        for size in SIZES:
            faults += take(page, options.folder, size, "dark", "stopped")
        faults += page.complaints
    print(
        "\n".join([*faults, f"{options.folder}: {len([*options.folder.glob('*.png')])} pictures"])
    )
    return 1 if faults else 0


def take(page: Page, folder: Path, size: str, theme: str, what: str) -> list[str]:
    """Take one picture; return what is wrong in it."""
    width, height, phone = SIZES[size]
    page.resize(width, height, scale=2.0 if phone else 1.0, phone=phone)
    page.prefer(prefers_color_scheme=theme)
    page.evaluate("new Promise(done => setTimeout(done, 700))")
    name = f"{size}-{theme}-{what}"
    page.screenshot(folder / f"{name}.png")
    if phone:
        page.screenshot(folder / f"{name}-whole.png", whole=True)
    return [f"{name}: {fault}" for fault in page.evaluate(_FAULTS)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
