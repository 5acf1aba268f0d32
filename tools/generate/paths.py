"""The root of the repository, from which every generated path is given."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
