"""Reads the files that a user names: whole, of bounded size, and nothing that never ends."""

from __future__ import annotations

from pathlib import Path

from vdsim_plant.parameters.errors import ParameterError

LARGEST_TEXT_BYTES = 64 << 20


def read_text(path: Path, *, largest_bytes: int = LARGEST_TEXT_BYTES, source: str = "") -> str:
    """Return the text of a UTF-8 file, byte order mark or not; a fault names the file.

    What is no regular file is refused: a pipe may wait for ever, a device may never end.
    """
    named = source or path.name
    try:
        if not path.is_file():
            problem = "is no regular file" if path.exists() else "No such file or directory"
            raise ParameterError("file", f"cannot be read: {problem}", source=named)
        with path.open("rb") as file:
            content = file.read(largest_bytes + 1)
    except OSError as error:
        raise ParameterError("file", f"cannot be read: {error.strerror}", source=named) from None
    if len(content) > largest_bytes:
        problem = f"has more than {largest_bytes >> 20} MiB"
        raise ParameterError("file", problem, source=named)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError("file", "is not UTF-8 text", source=named) from None
