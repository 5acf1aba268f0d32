"""`./ws docs [DIR]`: the pages of the repository as a site that works from a file, offline."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from browser_car.build import write_page

from site_build.plan import API, DOORS, MOST_PAGES, MOST_WORDS, OTHER_PAGES, PARTS
from site_build.size import pages_to_read, words_to_read
from site_build.staging import stage

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
CAR = "car.html"


def pages(root: Path) -> dict[str, str]:
    """File of the repository -> name of its page."""
    found = {f"docs/{page.name}": page.stem for page in sorted((root / "docs").glob("[!R]*.md"))}
    return found | {file: name for name, file in OTHER_PAGES.items()}


def write_sources(root: Path, target: Path) -> None:
    """Write what Sphinx reads: the staged pages, their files, and the pages of the parts."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    all_pages = pages(root)
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=root, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    is_file = dict.fromkeys(tracked, True) or _walked(root)
    for file, name in all_pages.items():
        folder = file.rpartition("/")[0]
        staged = stage((root / file).read_text(encoding="utf-8"), folder, all_pages, is_file)
        (target / f"{name}.md").write_text(staged.text, encoding="utf-8")
        for offered in staged.files:
            copy = target / "files" / offered
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / offered, copy)
    (target / "python-api.md").write_text(_api_page(), encoding="utf-8")
    (target / "index.md").write_text(_first_page(), encoding="utf-8")
    for part in PARTS:
        (target / f"{part.name}.md").write_text(_part_page(part.title, part.summary, part.pages),
                                                encoding="utf-8")  # fmt: skip
    for name, files in {"_static": ("search.js",), "_templates": ("search.html",)}.items():
        (target / name).mkdir()
        for file in files:
            shutil.copyfile(HERE / file, target / name / file)
    for file in ("conf.py", "words.json", "page_words.json"):
        shutil.copyfile(HERE / file, target / file)


def _walked(root: Path) -> dict[str, bool]:
    """The files of an archive without git's data."""
    folders = ("docs", "examples", "src", "test", "bench", "portable", "campaign", "simulate")
    found = [path for name in folders for path in (root / name).rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): True for path in found}


def _toctree(names: tuple[str, ...], options: str = "") -> str:
    return f"```{{toctree}}\n:maxdepth: 1\n{options}\n" + "\n".join(names) + "\n```\n"


def _part_page(title: str, summary: str, names: tuple[str, ...]) -> str:
    return f"# {title}\n\n{summary}\n\n{_toctree(names)}"


def _first_page() -> str:
    doors = "".join(f"- [**{door.title}**]({door.page}.md): {door.summary}\n" for door in DOORS)
    parts = "".join(f"- [**{part.title}**]({part.name}.md): {part.summary}\n" for part in PARTS)
    return (
        "# vdsim\n\nThe vehicle interface that a ROS 2 driving stack plugs into, with the car "
        "included.\n\n![Commands go through controller, filter, safety and platform to the car]"
        "(files/docs/images/overview.svg)\n\n"
        f'<p><a href="{CAR}"><strong>Drive the car in this tab</strong></a>: the plant itself, '
        "compiled for the browser, with the same bits.</p>\n\n## Three doors\n\n"
        f"{doors}\n## Five parts\n\n{parts}\n"
        + _toctree(tuple(part.name for part in PARTS), ":hidden:")
    )


def _api_page() -> str:
    classes = "".join(
        f"```{{eval-rst}}\n.. autoclass:: vdsim_plant.{name}\n   :members:\n```\n\n" for name in API
    )
    source = "From the docstrings of `vdsim_plant`; [plant.md](plant.md) has the guarantees."
    return f"# The Python library\n\n{source}\n\n{classes}"


def llms_text(sources: Path) -> str:
    """The list of pages for programs that read them: llms.txt, one line a page."""
    lines = [
        "# vdsim",
        "",
        "> A vehicle interface for ROS 2 driving stacks, with the car included.",
    ]
    for part in PARTS:
        lines += ["", f"## {part.title}", ""]
        for name in part.pages:
            text = (sources / f"{name}.md").read_text(encoding="utf-8")
            title = next(line[2:] for line in text.splitlines() if line.startswith("# "))
            lines.append(f"- [{title}]({name}.html)")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Build the site; returns the exit code."""
    parser = argparse.ArgumentParser(prog="./ws docs", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".ros" / "docs" / "site",
                        help="where the site is written; default: .ros/docs/site")  # fmt: skip
    options = parser.parse_args(arguments)
    sources = ROOT / ".ros" / "docs" / "source"
    write_sources(ROOT, sources)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html",
               str(sources), str(options.folder)]  # fmt: skip
    code = subprocess.run(command, check=False).returncode
    if code == 0:
        (options.folder / "llms.txt").write_text(llms_text(sources), encoding="utf-8")
        write_page(options.folder / CAR)
        print(
            f"Start and Guides: {len(pages_to_read())} pages (at most {MOST_PAGES}), "
            f"{words_to_read(ROOT)} words (at most {MOST_WORDS})"
        )
        print(f"{options.folder}/index.html")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
