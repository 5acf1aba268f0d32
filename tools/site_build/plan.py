"""The five parts of the site and the pages of each, in order; every page of docs/ stands once."""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """One part of the site."""

    name: str  # of its page
    title: str
    summary: str
    pages: tuple[str, ...]  # names below docs/, without .md


class Door(NamedTuple):
    """One of the three ways in, on the first page."""

    title: str
    summary: str
    page: str


DOORS = (
    Door("I have a ROS 2 stack", "Publish commands, and test your node on a car.", "your-stack"),
    Door("I want a car in Python", "Step it under your MPC or your learner.", "tutorial-plant"),
    Door("I have a vehicle", "Connect it, with the safety rules in between.", "new-platform"),
)

PARTS = (
    Part(
        "start",
        "Start",
        "The first drive, for each of the three doors.",
        (
            "readme", "contents", "your-stack", "tutorial-plant", "new-platform", "questions",
            "setup",
        ),
    ),
    Part(
        "guides",
        "Guides",
        "One page for each task.",
        (
            "teleop", "dashboard", "live-doctor", "record", "can", "autoware", "nav2", "calibrate",
            "identify", "run-modes", "mpc", "learning", "sweep",
        ),
    ),
    Part(
        "reference",
        "Reference",
        "Topics, parameters, messages, files, the Python library.",
        (
            "interface", "control-levels", "arbitration", "safety", "hills", "sensors",
            "components", "events", "plant", "python-api", "vehicle-files", "level-l3",
            "manoeuvres", "realtime-server", "scenarios", "recording", "data-port", "fmu", "vds1",
            "dump", "link-faults", "can-reference", "autoware-reference", "autoware-conformance",
            "autohyu", "morai", "morai-wire", "examples", "speed", "where-it-runs",
        ),
    ),
    Part(
        "why-it-is-safe",
        "Why it is safe",
        "What can go wrong, what meets it, and what shows that.",
        (
            "safety-case", "plausibility", "guard", "campaign", "simulate", "exam",
            "who-may-command", "secure", "threats", "security", "attack", "requirements",
        ),
    ),
    Part(
        "how-it-is-built",
        "How it is built",
        "Design, proofs, and what a contributor needs.",
        (
            "architecture", "generated-code", "truth", "side-by-side", "validation", "contributing",
            "changelog", "history",
        ),
    ),
)  # fmt: skip

READ_FIRST = ("start", "guides")
"""The parts that people read from top to bottom; their size is limited."""
MOST_PAGES, MOST_WORDS = 20, 25_000
"""Of the parts in `READ_FIRST`, all pages together, without what is generated."""

OTHER_PAGES = {
    "contents": "docs/README.md",
    "readme": "README.md",
    "contributing": "CONTRIBUTING.md",
    "examples": "examples/README.md",
    "changelog": "CHANGELOG.md",
    "history": "HISTORY.md",
    "security": "SECURITY.md",
}
"""Pages of the site that do not stand in docs/: name -> file."""

MADE_PAGES = ("python-api",)
"""Pages that are made when the site is built."""

API = ("VDSimPlant", "PlantBatch", "SimSession", "RealTimeRunner", "Linearization")
"""What the page of the Python library shows of `vdsim_plant`."""
