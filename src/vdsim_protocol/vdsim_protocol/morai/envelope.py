"""The envelope of every MORAI message, and the description of the message inside.

identifier (L bytes, ASCII `#Name$`) | data length N, int32 | 12 auxiliary bytes | N bytes of data
| 0D 0A. A whole datagram has L + 18 + N bytes.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

from vdsim_protocol.wire import Layout, LayoutError, layout_of

LENGTH_SIZE = 4
AUX_SIZE = 12
TAIL = b"\r\n"
ENVELOPE_SIZE = LENGTH_SIZE + AUX_SIZE + len(TAIL)


class Direction(enum.Enum):
    """The direction of a message."""

    TO_SIMULATOR = "to the simulator"
    FROM_SIMULATOR = "from the simulator"


@dataclass(frozen=True)
class Message:
    """One kind of message: its table in every generation, checked against documented sizes."""

    table: type
    title: str
    direction: Direction
    _: KW_ONLY
    identifier: str
    sizes: Mapping[int, tuple[int, int]]
    """Documented data length N and total size by generation."""
    repeats: bool = False
    """Whether a receiver accepts any number of records; the data length gives it."""

    def __post_init__(self) -> None:
        for generation, (data_size, total) in self.sizes.items():
            if len(self.identifier) + ENVELOPE_SIZE + data_size != total:
                raise LayoutError(
                    f"{self.title}, generation {generation}: documented total {total} is not "
                    f"{len(self.identifier)} + {ENVELOPE_SIZE} + {data_size}"
                )
            self.layout(generation)

    @property
    def data_start(self) -> int:
        """Offset of the data field."""
        return len(self.identifier) + LENGTH_SIZE + AUX_SIZE

    @property
    def latest(self) -> int:
        """The latest generation."""
        return max(self.sizes)

    def layout(self, generation: int) -> Layout:
        """The data field of one generation, checked."""
        data_size, _ = self.sizes[generation]
        end = self.data_start + data_size
        return layout_of(self.table, start=self.data_start, end=end, version=generation)
