"""Vectors and example values for the VDS1 tests."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from vdsim_protocol import vds1

VECTORS = Path(__file__).resolve().parents[1] / "test" / "vectors"
CAPTURED: dict[str, Any] = json.loads((VECTORS / "vds1_captured.json").read_text())

COMMAND = vds1.Command(
    steering_tire_angle_rad=0.1, throttle=0.25, brake=0.0, gear=1, handbrake=False
)
STATE = vds1.State(
    *(1.0, 2.0, 0.0, 0.01, -0.02, 0.5, 10.0, 0.1, 0.0, 0.0, 0.0, 0.2, 0.3, 0.4),
    wheel_spin_radps=(30.0, 30.5, 31.0, 31.5),
    steering_tire_angle_applied_rad=0.1,
    wheel_radius_nominal_m=0.33,
    tire_fz_n=(5000.0, 5100.0, 5200.0, 5300.0),
    rack_torque_nm=-2.0,
    slip_ratio=(0.01, 0.02, 0.03, 0.04),
    slip_angle_rad=(-0.01, -0.02, -0.03, -0.04),
    susp_compression_m=(0.0, 0.0, 0.001, 0.001),
    m_ax_mps2=0.31,
    m_ay_mps2=0.41,
    m_yaw_rate_radps=0.21,
    m_steer_rad=0.11,
    m_gnss_x_m=1.1,
    m_gnss_y_m=2.1,
    tire_fx_n=(100.0, 110.0, 120.0, 130.0),
    tire_fy_n=(200.0, 210.0, 220.0, 230.0),
    throttle_applied=0.25,
    brake_applied=0.0,
)
BODIES = {vds1.MessageType.CMD: COMMAND, vds1.MessageType.STATE: STATE}
MESSAGES_AND_VERSIONS = [(m, v) for m in vds1.MessageType for v in vds1.VERSIONS]
SOURCE = ("127.0.0.1", 7001)


def captured_frames() -> list[tuple[str, bytes]]:
    """Every frame captured from the real server, with a name."""
    return [
        (f"{version}-{kind}-{index}", bytes.fromhex(text))
        for version, kinds in CAPTURED.items()
        for kind in ("cmd_hex", "state_hex")
        for index, text in enumerate(kinds.get(kind, []))
    ]


def encode(
    body: vds1.Body, seq: int = 0, timestamp_s: float = 0.0, version: int = 3, vehicle_id: int = 0
) -> bytes:
    """Encode either body."""
    if isinstance(body, vds1.Command):
        return vds1.encode_command(
            body, seq=seq, timestamp_s=timestamp_s, version=version, vehicle_id=vehicle_id
        )
    return vds1.encode_state(
        body, seq=seq, timestamp_s=timestamp_s, version=version, vehicle_id=vehicle_id
    )


def encode_packet(packet: vds1.Packet[vds1.Body]) -> bytes:
    """Encode a packet with its own header."""
    header = packet.header
    return encode(packet.body, header.seq, header.timestamp_s, header.version, header.vehicle_id)


GOLDEN: list[dict[str, Any]] = json.loads((VECTORS / "vds1_golden.json").read_text())
"""Every message in every version, encoded with bare struct and zlib."""


def golden_frames() -> list[tuple[str, bytes]]:
    """Every golden frame, with a name."""
    return [
        (f"{vector['message']}-v{vector['version']}", bytes.fromhex(vector["hex"]))
        for vector in GOLDEN
    ]


def with_crc(content: bytes) -> bytes:
    """Any content followed by its CRC."""
    return content + zlib.crc32(content).to_bytes(4, "little")


def patched(frame: bytes, offset: int, data: bytes) -> bytes:
    """A frame with some bytes replaced and a new CRC."""
    return with_crc(frame[:offset] + data + frame[offset + len(data) : -4])
