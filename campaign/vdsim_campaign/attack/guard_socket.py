"""The socket of the guard: a second shell and packets of any bytes, beside the one that drives."""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Callable

from vdsim_interface.guard.frames import FrameWriter, Front
from vdsim_interface.guard.local_socket import default_path
from vdsim_interface_kit.guarding import GO, setup

from vdsim_campaign.attack.judging import attack_in_batches
from vdsim_campaign.attack.rig import NAMESPACE, Rig
from vdsim_campaign.attack.row import Row

BATCH = 40
PACKETS = 10


def guard_socket(seed: int) -> Callable[[Rig, Callable[[], bool]], Row]:
    """Connections of the same user, which is all that the socket lets in."""

    def attack(rig: Rig, is_over: Callable[[], bool]) -> Row:
        chance = random.Random(f"{seed} guard")
        row = Row("packets at the guard's socket")
        path = default_path(NAMESPACE)
        connected = 0

        def batch(number: int) -> int:
            nonlocal connected
            for _ in range(BATCH):
                with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as second:
                    second.settimeout(2.0)
                    with contextlib.suppress(OSError):  # it is refused, and that is right
                        second.connect(str(path))
                        connected += 1
                        for _ in range(PACKETS):
                            second.send(_packet(chance))
                rig.stack.spin(0.01)
            if not connected:
                row.fell.append(f"batch {number}: nothing listens at {path}: nothing was attacked")
            return BATCH * PACKETS

        attack_in_batches(row, rig, is_over, batch)
        row.notes.append(f"{connected} connections")
        return row

    return attack


def _packet(chance: random.Random) -> bytes:
    writer = FrameWriter()
    front = Front(GO, GO, GO, None)
    _, good = writer.write(setup() if chance.random() < 0.5 else front, 0.0)
    what = chance.randrange(4)
    if what == 0:
        return chance.randbytes(chance.choice((1, 20, 400, 8000)))
    if what == 1:
        return good[: 1 + chance.randrange(len(good) - 1)]
    if what == 2:
        content = bytearray(good)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        return bytes(content)
    return good
