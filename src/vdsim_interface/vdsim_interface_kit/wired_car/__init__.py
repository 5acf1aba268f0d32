"""The folder of platform `wired`: `platform_path` of a car behind a socket, for tests."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
