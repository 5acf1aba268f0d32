"""The simulated car behind the ECUs: commands drive it, and its motion is what they report."""

from __future__ import annotations

import math
from collections.abc import Mapping

from vdsim_interface.platforms.pedal_map import PedalMap
from vdsim_interface.values import Gear, drive_direction, travel_direction
from vdsim_plant.motion import PedalInput
from vdsim_plant.parameters import GRAVITY_MPS2
from vdsim_plant.realtime.failsafe import FailsafePolicy
from vdsim_plant.realtime.watched_session import STANDING_MPS, WatchedSession
from vdsim_plant.session import SimSession

from vdsim_can.ecu.ecus import Ecus, Frames
from vdsim_can.fields.encoding import Value
from vdsim_can.frame import Frame

BODY = ("blinker", "blinker_left", "blinker_right", "headlight", "low_beam", "high_beam", "wiper")
SWITCHES = ("hand_brake", "horn", *BODY)
WHEELS = ("wheel_fl_radps", "wheel_fr_radps", "wheel_rl_radps", "wheel_rr_radps")
SECURED = {"doors_closed": "ON", "belts_fastened": "ON", "load_secured": "ON"}


class DrivenCar:
    """A car at the other end of a bus: frames in, frames out, a tick every `tick_s`."""

    def __init__(self, session: SimSession, ecus: Ecus, pedal_map: PedalMap, tick_s: float) -> None:
        self.ecus = ecus
        self.session = session
        self._pedal_map = pedal_map
        self._watched = WatchedSession(
            session,
            tick_s=tick_s,
            timeout_s=10.0 * tick_s,
            failsafe=FailsafePolicy().input_after,
        )
        # A car that is not told a gear, or that rolls, is in the one to drive in.
        selects = any(row.field == "gear" for row in ecus.car.commands)
        rolls = abs(session.output().motion.vx_mps) > STANDING_MPS
        gear = Gear.PARK if selects and not rolls else Gear.DRIVE
        self._body: dict[str, Value] = {"gear": gear.name}

    def receive(self, bus: str, frame: Frame, now: float) -> None:
        """Use a frame of the bus."""
        self.ecus.receive(bus, frame, now)

    def tick(self, now: float) -> Frames:
        """Advance by one tick with the command in effect, and return the frames that are due."""
        command = self.ecus.command(now)
        if command is None:
            self._watched.release()
        else:
            self._drive(command, now)
        self._watched.tick(now)
        return self.ecus.step(self.truth(now), now)

    @property
    def is_driven(self) -> bool:
        """Whether a command of the bus drives the car."""
        return self._watched.last_command_s is not None and not self._watched.is_silent(
            self._watched.last_command_s
        )

    def truth(self, now: float) -> dict[str, Value]:
        """Return what the ECUs measure, by field."""
        output = self.session.output()
        motion = output.motion
        truth: dict[str, Value] = {
            "velocity_mps": motion.vx_mps,
            "front_wheel_angle_rad": motion.steer_applied_rad,
            "rear_wheel_angle_rad": 0.0,
            "lateral_velocity_mps": motion.vy_mps,
            "yaw_rate_radps": motion.yaw_rate_radps,
            "accel_x_mps2": motion.ax_mps2,
            "accel_y_mps2": motion.ay_mps2,
            "long_accel_mps2": motion.ax_mps2,
            "pitch_rad": motion.pitch_rad,
            "roll_rad": motion.roll_rad,
            # An accelerometer feels the motion, and the road that carries the car up or down.
            "specific_force_x_mps2": motion.ax_mps2 - GRAVITY_MPS2 * math.sin(motion.pitch_rad),
            "throttle": motion.throttle_applied,
            "brake": motion.brake_applied,
            "fuel_percent": 100.0 * output.charge,
            "vehicle_time_s": now,
            **SECURED,
            **self._body,
        }
        truth |= dict(zip(WHEELS, motion.wheel_spin_radps, strict=True))
        return truth

    def _drive(self, command: Mapping[str, Value], now: float) -> None:
        gear = Gear[str(command.get("gear", self._body["gear"]))]
        self._body["gear"] = gear.name
        self._body |= {name: command[name] for name in SWITCHES if name in command}
        throttle, brake = float(command.get("throttle", 0.0)), float(command.get("brake", 0.0))
        if "long_accel_mps2" in command:
            throttle, brake = self._pedals(gear, float(command["long_accel_mps2"]))
        locked = gear is Gear.PARK or self._body.get("hand_brake") == "ON"
        limit_rad = self.session.max_steer_rad
        steer_rad = float(command.get("front_wheel_angle_rad", 0.0))
        pedals = PedalInput(
            steer_rad=min(max(steer_rad, -limit_rad), limit_rad),
            throttle=min(max(throttle, 0.0), 1.0),
            brake=min(max(brake, 0.0), 1.0),
            gear=drive_direction(gear),
            handbrake=locked,
        )
        self._watched.command(pedals, now)

    def _pedals(self, gear: Gear, accel_mps2: float) -> tuple[float, float]:
        """The pedals of an acceleration along the body, as the car's own ECU makes them."""
        speed = self.session.output().motion.vx_mps
        pedal = self._pedal_map.pedal(travel_direction(gear, speed) * accel_mps2, speed)
        return max(pedal, 0.0), max(-pedal, 0.0)
