"""The tables match the contract: its offsets and sizes, transcribed a second time."""

import pytest
from vdsim_protocol.vds1.messages import HEADER_FIELDS, LAYOUTS

from vdsim_protocol import vds1

HEADER = {"magic": 0, "version": 4, "msg_type": 6, "seq": 8, "vehicle_id": 12, "timestamp": 16}
CMD = {
    "steering_tire_angle": 24,
    "throttle": 32,
    "brake": 40,
    "gear": 48,
    "handbrake": 52,
    "aux_accel_target": 56,
    "aux_speed_target": 64,
}
STATE = {
    "x_world": 24,
    "y_world": 32,
    "z_world": 40,
    "roll": 48,
    "pitch": 56,
    "yaw": 64,
    "vx": 72,
    "vy": 80,
    "vz": 88,
    "roll_rate": 96,
    "pitch_rate": 104,
    "yaw_rate": 112,
    "ax_body": 120,
    "ay_body": 128,
    "wheel_spin": 136,
    "steering_tire_angle_applied": 168,
    "wheel_radius_nominal": 176,
    "tire_Fz": 184,
    "rack_torque": 216,
    "slip_ratio": 224,
    "slip_angle": 256,
    "susp_compression": 288,
    "m_ax": 320,
    "m_ay": 328,
    "m_yaw_rate": 336,
    "m_steer": 344,
    "m_gnss_x": 352,
    "m_gnss_y": 360,
    "tire_Fx": 368,
    "tire_Fy": 400,
    "throttle_applied": 432,
    "brake_applied": 440,
}
CMD_ENDS = {1: 72, 2: 72, 3: 72, 4: 72, 5: 72}
STATE_ENDS = {1: 216, 2: 368, 3: 432, 4: 432, 5: 448}


def test_header_offsets() -> None:
    assert {f.wire_name: f.wire.offset for f in HEADER_FIELDS} == HEADER


@pytest.mark.parametrize("version", vds1.VERSIONS)
def test_command_is_the_same_in_all_versions(version: int) -> None:
    # [VS-0.4.1]
    layout = LAYOUTS[vds1.MessageType.CMD][version]
    end = CMD_ENDS[version]
    expected = {name: offset for name, offset in CMD.items() if offset < end}
    assert {f.wire_name: f.wire.offset for f in layout.fields} == expected
    assert vds1.datagram_size(vds1.MessageType.CMD, version) == end + 4


@pytest.mark.parametrize("version", vds1.VERSIONS)
def test_state_offsets_and_size(version: int) -> None:
    # [VS-0.3.1]
    layout = LAYOUTS[vds1.MessageType.STATE][version]
    end = STATE_ENDS[version]
    expected = {name: offset for name, offset in STATE.items() if offset < end}
    assert {f.wire_name: f.wire.offset for f in layout.fields} == expected
    assert vds1.datagram_size(vds1.MessageType.STATE, version) == end + 4


def test_every_datagram_fits_the_contract() -> None:
    for message, layouts in LAYOUTS.items():
        for version in layouts:
            assert vds1.datagram_size(message, version) <= vds1.MAX_DATAGRAM_SIZE
