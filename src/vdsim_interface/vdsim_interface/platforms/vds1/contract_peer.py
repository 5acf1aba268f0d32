"""The vehicle at the other end of a VDS1 link, for the contract suite."""

from vdsim_interface.platforms.peer import PeerMotion, ReceivedCommand
from vdsim_interface.platforms.vds1.platform import ENDPOINT
from vdsim_interface.platforms.wire import Address, Datagram
from vdsim_protocol import vds1

SOURCE: Address = ("127.0.0.1", 7001)
RADIUS_M = 0.338
ZERO = (0.0, 0.0, 0.0, 0.0)


class Peer:
    """Encodes STATE, decodes CMD."""

    def __init__(self) -> None:
        self._sender = vds1.Sender()
        self._receiver = vds1.Receiver(vds1.Command)

    def report(self, motion: PeerMotion, now: float) -> tuple[tuple[Datagram, Address], ...]:
        """Report a motion."""
        state = vds1.State(
            x_world_m=motion.x_m,
            y_world_m=motion.y_m,
            z_world_m=0.0,
            roll_rad=0.0,
            pitch_rad=0.0,
            yaw_rad=motion.yaw_rad,
            vx_mps=motion.velocity_mps,
            vy_mps=0.0,
            vz_mps=0.0,
            roll_rate_radps=0.0,
            pitch_rate_radps=0.0,
            yaw_rate_radps=0.0,
            ax_body_mps2=motion.accel_mps2,
            ay_body_mps2=0.0,
            wheel_spin_radps=(motion.velocity_mps / RADIUS_M,) * 4,
            steering_tire_angle_applied_rad=motion.front_wheel_angle_rad,
            wheel_radius_nominal_m=RADIUS_M,
            tire_fz_n=ZERO,
            rack_torque_nm=0.0,
            slip_ratio=ZERO,
            slip_angle_rad=ZERO,
            susp_compression_m=ZERO,
            m_ax_mps2=motion.accel_mps2,
            m_ay_mps2=0.0,
            m_yaw_rate_radps=0.0,
            m_steer_rad=motion.front_wheel_angle_rad,
            m_gnss_x_m=motion.x_m,
            m_gnss_y_m=motion.y_m,
            tire_fx_n=ZERO,
            tire_fy_n=ZERO,
        )
        return ((Datagram(ENDPOINT, self._sender.state(state, now)), SOURCE),)

    def receive(self, datagrams: tuple[Datagram, ...], now: float) -> ReceivedCommand | None:
        """Decode a command."""
        decoded: ReceivedCommand | None = None
        for datagram in datagrams:
            outcome = self._receiver.receive(datagram.data, SOURCE, now)
            assert isinstance(outcome, vds1.Accepted), outcome
            command = outcome.packet.body
            decoded = ReceivedCommand(
                command.steering_tire_angle_rad,
                command.gear * (command.throttle > 0.0),
                command.brake > 0.0,
                command.handbrake,
            )
        return decoded
