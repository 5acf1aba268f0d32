"""Frames captured from the real server decode to their values and re-encode exactly."""

import pytest
from vdsim_protocol_kit.vds1 import CAPTURED, captured_frames, encode_packet

from vdsim_protocol import vds1

NAMES = {
    "x": "x_world_m",
    "y": "y_world_m",
    "z": "z_world_m",
    "roll": "roll_rad",
    "pitch": "pitch_rad",
    "yaw": "yaw_rad",
    "vx": "vx_mps",
    "vy": "vy_mps",
    "vz": "vz_mps",
    "roll_rate": "roll_rate_radps",
    "pitch_rate": "pitch_rate_radps",
    "yaw_rate": "yaw_rate_radps",
    "ax": "ax_body_mps2",
    "ay": "ay_body_mps2",
    "spin": "wheel_spin_radps",
    "steer": "steering_tire_angle_applied_rad",
    "R": "wheel_radius_nominal_m",
    "Fz": "tire_fz_n",
    "rack": "rack_torque_nm",
    "kappa": "slip_ratio",
    "alpha": "slip_angle_rad",
    "susp": "susp_compression_m",
    "Fx": "tire_fx_n",
    "Fy": "tire_fy_n",
}
MEASURED = (
    "m_ax_mps2",
    "m_ay_mps2",
    "m_yaw_rate_radps",
    "m_steer_rad",
    "m_gnss_x_m",
    "m_gnss_y_m",
)


@pytest.mark.parametrize(("name", "frame"), captured_frames())
def test_frame_re_encodes_byte_for_byte(name: str, frame: bytes) -> None:
    packet = vds1.decode(frame)
    assert isinstance(packet, vds1.Packet), name
    assert encode_packet(packet) == frame


def test_state_decodes_to_the_values_given_beside_it() -> None:
    packet = vds1.decode(bytes.fromhex(CAPTURED["v3"]["state_hex"][0]))
    assert isinstance(packet, vds1.Packet)
    expected = CAPTURED["v3"]["state_decoded_first"]
    state = packet.body
    for short, name in NAMES.items():
        value = getattr(state, name)
        assert (list(value) if isinstance(value, tuple) else value) == expected[short], name
    assert [getattr(state, name) for name in MEASURED] == expected["m"]
    assert packet.header == vds1.Header(
        expected["ver"], vds1.MessageType.STATE, expected["seq"], 0, expected["ts"]
    )


def test_version_5_carries_the_applied_pedals() -> None:
    packet = vds1.decode(bytes.fromhex(CAPTURED["v5"]["state_hex"][0]))
    assert isinstance(packet, vds1.Packet)
    assert (packet.body.throttle_applied, packet.body.brake_applied) == (0.3, 0.0)
