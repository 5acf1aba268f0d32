"""UDP datagrams of every kind, from strangers, at the ports of plant and interface."""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Callable

from vdsim_campaign.attack.judging import attack_in_batches
from vdsim_campaign.attack.rig import HOST, Rig
from vdsim_campaign.attack.row import Row
from vdsim_protocol import vds1

BATCH = 400
_KINDS = ("noise", "truncated", "flipped", "command", "state", "versions", "long", "empty")


def datagrams_at(port: str, seed: int) -> Callable[[Rig, Callable[[], bool]], Row]:
    """An attack on the port of the plant (`plant`) or of the interface (`interface`)."""

    def attack(rig: Rig, is_over: Callable[[], bool]) -> Row:
        chance = random.Random(f"{seed} {port}")
        place = (HOST, rig.command_port if port == "plant" else rig.state_port)
        row = Row(f"UDP datagrams at the {port}")
        accepted = rig.counter("vdsim_cmd_sessions_total")

        def batch(_: int) -> int:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                stranger.bind((HOST, 0))
                for n in range(BATCH):
                    stranger.sendto(datagram(_KINDS[n % len(_KINDS)], chance), place)
                    if n % 50 == 0:
                        rig.stack.spin(0.02)
            return BATCH

        attack_in_batches(row, rig, is_over, batch)
        sessions = rig.counter("vdsim_cmd_sessions_total") - accepted
        if sessions > 0:
            row.notes.append(f"{sessions:.0f} new sessions of the owner")
        return row

    return attack


def datagram(kind: str, chance: random.Random) -> bytes:
    """A hostile datagram."""
    good = a_command(chance)
    if kind == "noise":
        return chance.randbytes(chance.choice((1, 12, 76, 220, 372, 436, 452, 1400)))
    if kind == "truncated":
        return good[: chance.randrange(len(good))]
    if kind == "flipped":
        content = bytearray(good)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        return bytes(content)
    if kind == "command":
        return good
    if kind == "state":
        return chance.randbytes(4) + good[4:] + chance.randbytes(chance.choice((0, 360)))
    if kind == "versions":
        return good[:4] + struct.pack("<H", chance.getrandbits(16)) + good[6:]
    if kind == "long":
        return good + bytes(chance.choice((1, 60_000)))
    return b""


def a_command(chance: random.Random) -> bytes:
    """A valid CMD of a stranger."""
    sender = vds1.Sender()
    command = vds1.Command(
        steering_tire_angle_rad=chance.uniform(-0.7, 0.7),
        throttle=chance.random(),
        brake=chance.random(),
        gear=chance.choice(tuple(vds1.Gear)),
        handbrake=chance.random() < 0.5,
    )
    return sender.command(command, chance.random() * 1e6)
