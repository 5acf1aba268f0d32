"""What the compiler makes of a loop of the core, and the form in which it is kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class MachineCode:
    """An object file, the name of its entry point and of the functions it takes from libm."""

    entry: str
    imports: tuple[str, ...]
    code: bytes

    def to_bytes(self) -> bytes:
        """Return the form in which it is kept."""
        body = b"\n".join((self.entry.encode(), " ".join(self.imports).encode(), self.code))
        return hashlib.blake2b(body, digest_size=16).digest() + body

    @classmethod
    def from_bytes(cls, kept: bytes) -> MachineCode | None:
        """Return what `to_bytes` has kept; None if it is damaged."""
        body = kept[16:]
        if hashlib.blake2b(body, digest_size=16).digest() != kept[:16]:
            return None
        entry, imports, code = body.split(b"\n", 2)
        return cls(entry.decode(), tuple(imports.decode().split()), code)
