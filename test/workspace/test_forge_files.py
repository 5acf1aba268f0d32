"""What a forge reads: workflows run commands that exist, forms and metadata have what they need."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from workspace.testing.lanes import LANES

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_scripts_of_this_repository_and_has_a_limit(path: Path) -> None:
    jobs = read(path)["jobs"]
    for job in jobs.values():
        assert job["timeout-minutes"] <= 180
        runs = [step["run"] for step in job["steps"] if "run" in step]
        named = [word for run in runs for word in re.findall(r"(?:^|\s)(\./ws|\.ci/\w+)\b", run)]
        assert named, f"{path.name}: runs nothing of ours"
        for word in named:
            script = ROOT / word
            assert script.stat().st_mode & 0o111, f"{path.name}: {word} cannot be executed"
    assert read(path)["permissions"] == {"contents": "read"}


def test_each_lane_runs_every_night() -> None:
    matrix = read(ROOT / ".github/workflows/lanes.yml")["jobs"]["lane"]["strategy"]["matrix"]
    assert matrix["lane"] == [lane.name for lane in LANES]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_what_reproduces_a_defect(path: Path) -> None:
    form = read(path)
    assert {"name", "description", "body"} <= form.keys()
    fields = [field["id"] for field in form["body"]]
    assert len(fields) == len(set(fields))


def test_the_citation_names_version_and_licence_of_the_packages() -> None:
    citation = read(ROOT / "CITATION.cff")
    package = (ROOT / "src/vdsim_interface/package.xml").read_text(encoding="utf-8")
    assert f"<version>{citation['version']}</version>" in package
    assert f">{citation['license']}</license>" in package


def test_the_image_runs_the_command_of_the_readme() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    (last,) = (line for line in lines if line.startswith("CMD "))
    command = " ".join(json.loads(last.removeprefix("CMD ")))
    assert f"\n{command}\n" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_hooks_run_what_ci_runs() -> None:
    (repository,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [hook["entry"] for hook in repository["hooks"]] == ["./ws lint", "./ws generate --check"]


def test_the_quality_declaration_names_tests_and_files_that_exist() -> None:
    text = (ROOT / "QUALITY_DECLARATION.md").read_text(encoding="utf-8")
    tests = set(re.findall(r"`(test_\w+\.py)`", text))
    assert len(tests) >= 5
    assert {name for name in tests if not list(ROOT.glob(f"test/**/{name}"))} == set()
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert {link for link in links if not (ROOT / link).exists()} == set()


def test_the_quality_declaration_names_the_version_of_the_packages() -> None:
    text = (ROOT / "QUALITY_DECLARATION.md").read_text(encoding="utf-8")
    package = (ROOT / "src/vdsim_interface/package.xml").read_text(encoding="utf-8")
    (version,) = re.findall(r"<version>([\d.]+)</version>", package)
    assert f"the packages are at {version}" in text
