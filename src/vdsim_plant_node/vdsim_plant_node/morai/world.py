"""The emulator's world: the plant as ego vehicle, scripted traffic, lights. No clock, no socket.

    datagrams in -> ego's driver, lights, scene        every 20 ms: status messages out

Limits of the model: things that touch pass through each other, none avoids another, there is
no map, and sensors have no errors.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

from vdsim_plant.motion import InitialState
from vdsim_plant.parameters import ParameterError
from vdsim_plant.session import SimSession

from vdsim_plant_node.live.sessions import build_session
from vdsim_plant_node.morai import actors, encoding, sensor_streams
from vdsim_plant_node.morai.commanders import Commanders
from vdsim_plant_node.morai.driver import Driver
from vdsim_plant_node.morai.ghosts import EgoGhost, npc_ghosts
from vdsim_plant_node.morai.settings import EmulatorSettings
from vdsim_plant_node.morai.shapes import Thing, distance_m, touch
from vdsim_plant_node.morai.signals import Intersection, TrafficLight
from vdsim_plant_node.morai.tyre_stiffness import TyreStiffness
from vdsim_plant_node.settings.server_settings import VehicleSettings
from vdsim_protocol import morai

PERIOD_S = 0.02
TICKS_A_PERIOD = 4
TICK_S = PERIOD_S / TICKS_A_PERIOD
SUBSTEP_S = 5e-4
EGO_ID = 0
WORLD_LIMIT = 1e6
"""Largest coordinate [m] and heading [deg] that is taken."""
GPS_PERIODS = 5
"""The GPS sends ten times a second."""
COMPETITION_GENERATION = 3
"""Of the captured Competition Vehicle Status, 181 bytes."""
MOST_OBJECTS, MOST_COLLISIONS, MOST_NPC_COLLISIONS = 20, 5, 10


class Outgoing(NamedTuple):
    """A datagram, and the name of the port that it goes to."""

    port: str
    data: bytes


class Notice(NamedTuple):
    """A line for the log about a datagram. `about`: lines about the same replace each other."""

    about: str
    text: str


def _by(source: str) -> str:
    return f" from {source}" if source else ""


class World:
    """One scene."""

    def __init__(self, settings: EmulatorSettings, session: SimSession | None = None) -> None:
        """`session`: the car, where it is not that of the settings."""
        self._settings = settings
        car = VehicleSettings(vehicle=settings.vehicle, mu=settings.mu)
        self.session = session or build_session(car, substep_s=SUBSTEP_S)
        self._vehicle = self.session.vehicle.parameters
        self._release = settings.as_release
        self._stiffness = TyreStiffness(self.session.vehicle)
        self.driver = Driver(
            self._vehicle,
            settings.steer_max_deg,
            self._release,
            self._release.steer_positive,
            settings.reported_sign,
        )
        self._commanders = Commanders()
        self.ghost: EgoGhost | None = None
        self.lamps = morai.LampControl(morai.TurnSignal.OFF, morai.EmergencySignal.OFF)
        self.paused = False
        self.time_s = 0.0
        self._periods_n = self._ticks_n = 0
        self._scene_start_s = {"npc": 0.0, "pedestrian": 0.0}
        self._shown = {"npc": True, "pedestrian": True, "object": True}
        self._other_egos: tuple[Thing, ...] = ()
        self._npc_ghosts: tuple[Thing, ...] = ()
        self.light = TrafficLight()
        self.intersection = Intersection()
        self._handlers = {
            morai.EgoGhostCmd: self._on_ego_ghost,
            morai.NpcGhostCmd: self._on_npc_ghosts,
            morai.MultiEgoSetting: self._on_egos,
            morai.SetTrafficLight: self._on_light,
            morai.SetIntersection: self._on_intersection,
            morai.LampControl: self._on_lamps,
            morai.ScenarioLoad: self._on_scenario,
            morai.SensorControl: self._on_sensor,
            morai.SaveSensorData: self._on_save,
        }

    # ---- what comes in -------------------------------------------------------------------------

    def receive(self, datagram: bytes, source: str = "") -> tuple[Notice, ...]:
        """Apply a message of `source`; return lines for the log about it. Never raises."""
        packet = morai.decode(datagram)
        if isinstance(packet, morai.Reject):
            about = f"{packet.kind} {packet.reason.value}"
            return (Notice(about, f"dropped a datagram{_by(source)}: {packet}"),)
        title = packet.kind.title
        if isinstance(packet.body, morai.EgoCtrlCmd):
            return self._on_control(packet.body, source)
        handler: Any = self._handlers.get(packet.kind.table)
        if handler is None:
            text = f"dropped {title}{_by(source)}: it goes {packet.kind.direction.value}"
        elif faults := morai.faults_of(packet.body):
            text = f"dropped {title}{_by(source)}: {'; '.join(faults)}"
        else:
            text = handler(packet.body)
        return (Notice(title, text),) if text else ()

    def _on_control(self, command: morai.EgoCtrlCmd, source: str) -> tuple[Notice, ...]:
        """Use a command: one with an undefined code is dropped, one out of range is limited."""
        title, faults = "Ego Ctrl Cmd", "; ".join(morai.faults_of(command))
        codes = (command.gear, command.ctrl_mode, command.cmd_type)
        if not all(isinstance(code, enum.IntEnum) for code in codes):
            return (Notice(f"{title} dropped", f"dropped {title}{_by(source)}: {faults}"),)
        notices = []
        if faults:
            command = replace(
                command,
                accel=min(max(command.accel, 0.0), 1.0),
                brake=min(max(command.brake, 0.0), 1.0),
                steering=min(max(command.steering, -1.0), 1.0),
            )
            text = f"limited {title}{_by(source)}: {faults}"
            notices.append(Notice(f"{title} limited", text))
        before = self.driver.ctrl_mode
        if self.ghost is None or not self.ghost.holds(self.time_s):
            self.driver.take(command, self.time_s)
            self.ghost = None
        if several := self._commanders.add(source, self.time_s):
            notices.append(Notice(f"{title} senders", several))
        if self.driver.ctrl_mode != before:
            mode = morai.CtrlMode(self.driver.ctrl_mode).name
            notices.append(Notice(title, f"control mode {mode}{_by(source)}"))
        return tuple(notices)

    def _on_ego_ghost(self, order: morai.EgoGhostCmd) -> str:
        if max(map(abs, (order.pos_x_m, order.pos_y_m, order.yaw_deg))) > WORLD_LIMIT:
            return "ego ghost: out of the world"
        try:
            self.session.reset(
                InitialState(
                    x_m=order.pos_x_m,
                    y_m=order.pos_y_m,
                    yaw_rad=math.radians(order.yaw_deg),
                    vx_mps=order.velocity_kph / 3.6,
                )
            )
        except ParameterError as error:
            return f"ego ghost: not taken: {error}"
        begins, self.ghost = self.ghost is None, EgoGhost(order, self.time_s)
        if not begins:
            return ""
        gear = morai.Gear.REVERSE if order.velocity_kph < 0.0 else morai.Gear.DRIVE
        self.driver.put(gear, morai.CtrlMode.AUTO)
        return "ego ghost: poses move the car"

    def _on_npc_ghosts(self, order: morai.NpcGhostCmd) -> str:
        ghosts = npc_ghosts(order)
        if any(max(abs(ghost.x_m), abs(ghost.y_m)) > WORLD_LIMIT for ghost in ghosts):
            return "NPC ghosts: a vehicle lies out of the world"
        changed = len(ghosts) != len(self._npc_ghosts)
        self._npc_ghosts = ghosts
        return f"NPC ghosts: {len(ghosts)} vehicles" if changed else ""

    def _on_egos(self, order: morai.MultiEgoSetting) -> str:
        egos = order.egos[: order.num_of_ego]
        others = []
        for ego in egos:
            if max(map(abs, (ego.pos_x_m, ego.pos_y_m, ego.heading_deg))) > WORLD_LIMIT:
                return f"multi ego setting: vehicle {ego.ego_index} lies out of the world"
            if ego.ego_index != EGO_ID:
                others.append(self._parked(ego))
        for ego in egos:
            if ego.ego_index == EGO_ID:
                self._place(ego)
        self._other_egos = tuple(others)
        return f"multi ego setting: {len(egos)} vehicles, camera on {order.camera_index}"

    def _place(self, ego: morai.EgoRecord) -> None:
        start = InitialState(
            x_m=ego.pos_x_m,
            y_m=ego.pos_y_m,
            yaw_rad=math.radians(ego.heading_deg),
            vx_mps=ego.velocity_kph / 3.6,
        )
        try:
            self.session.reset(start)
        except ParameterError:
            return  # a speed that no car can have; it stays where it is
        self.ghost = None
        keyboard = ego.ctrl_mode == morai.MultiEgoCtrlMode.KEYBOARD
        mode = morai.CtrlMode.KEYBOARD if keyboard else morai.CtrlMode.AUTO
        gear = ego.gear if isinstance(ego.gear, morai.Gear) else morai.Gear.PARKING
        self.driver.put(gear, mode)

    def _parked(self, ego: morai.EgoRecord) -> Thing:
        return Thing(
            object_id=ego.ego_index,
            object_type=morai.ObjectType.EGO,
            x_m=ego.pos_x_m,
            y_m=ego.pos_y_m,
            yaw_rad=math.radians(ego.heading_deg),
            **actors.CAR,
        )

    def _on_light(self, order: morai.SetTrafficLight) -> str:
        if self.light.take(order):
            return f"traffic light {order.index}: lamps {int(order.lamps)}"
        return f"no traffic light {order.index!r} with lamps {int(order.lamps)}"

    def _on_intersection(self, order: morai.SetIntersection) -> str:
        if self.intersection.take(order, self.time_s):
            return f"intersection {order.index}: state {order.status}"
        return f"intersection {order.index} has no state {order.status} at {order.time_s:g} s"

    def _on_lamps(self, lamps: morai.LampControl) -> str:
        before, self.lamps = self.lamps, lamps
        if lamps == before:
            return ""
        return f"lamps: turn signal {int(lamps.turn)}, emergency {int(lamps.emergency)}"

    def _on_scenario(self, order: morai.ScenarioLoad) -> str:
        """Every name loads the only scene; the flags select its parts."""
        parts = {
            "npc": order.load_npc,
            "pedestrian": order.load_pedestrian,
            "object": order.load_object,
        }
        for name, load in parts.items():
            if load:
                self._shown[name] = True
                self._scene_start_s[name] = self.time_s
            elif order.delete_all:
                self._shown[name] = False
        if order.load_ego:
            self.ghost = None
            self.session.reset()
            self.driver.put(morai.Gear.PARKING, morai.CtrlMode.KEYBOARD)
        if order.load_network:
            self.light, self.intersection = TrafficLight(), Intersection()
        if order.delete_all:
            self._other_egos = self._npc_ghosts = ()
        self.paused = order.set_pause
        pause = ", paused: load one without set_pause to run" if order.set_pause else ""
        return f"scenario {order.file_name!r} loaded{pause}"

    def _on_sensor(self, order: morai.SensorControl) -> str:
        where = f"{order.pos_x_m:g}, {order.pos_y_m:g}, {order.pos_z_m:g} m"
        return f"sensor {order.sensor_index} to {where}: accepted, there are no sensors"

    def _on_save(self, order: morai.SaveSensorData) -> str:
        name = order.file_name if order.is_custom_file_name else "a name of its own"
        return f"save sensor data as {name} in {order.file_dir!r}: accepted, nothing is written"

    # ---- what goes out -------------------------------------------------------------------------

    def step(self) -> None:
        """Advance by one period, unless paused."""
        while not self.tick():
            pass

    def tick(self) -> bool:
        """Advance by one tick of the car, unless paused; return whether a period ends with it."""
        if self.paused:
            self._ticks_n = (self._ticks_n + 1) % TICKS_A_PERIOD
            return self._ticks_n == 0
        if self.ghost is None:
            if self._ticks_n == 0:
                motion = self.session.state()
                self.session.set_input(self.driver.pedals(motion, PERIOD_S, self.time_s))
            self.session.tick(TICK_S)
            self._ticks_n = (self._ticks_n + 1) % TICKS_A_PERIOD
            if self._ticks_n:
                return False
        self._advance()
        return True

    def _advance(self) -> None:
        self._periods_n += 1
        self.time_s = self._periods_n * PERIOD_S

    def messages(self) -> Iterator[Outgoing]:
        """Every message that the simulator sends in a period."""
        motion = self.session.state()
        stiffness = self._stiffness.of(motion)
        status = encoding.ego_status(motion, self._vehicle, self.driver, stiffness, self.time_s)
        if self.ghost is not None:
            status = self.ghost.shown(status)
        yield self._out("status", status)
        competition = encoding.competition_status(status)
        yield Outgoing("competition", morai.encode(competition, COMPETITION_GENERATION))
        ego, npcs, things = self.ego(), self._npcs(), self._things()
        near = sorted(things, key=lambda thing: distance_m(ego, thing))[:MOST_OBJECTS]
        yield self._out("objects", encoding.object_info(near, self.time_s))
        hits = [encoding.collision(ego, thing) for thing in near if touch(ego, thing)]
        stamp = encoding.stamp(self.time_s)
        yield self._out("collisions", morai.CollisionData(tuple(hits[:MOST_COLLISIONS]), *stamp))
        pairs = [encoding.npc_collision(a, b) for a, b in combinations(npcs, 2) if touch(a, b)]
        yield self._out("npc_collisions", morai.NpcCollision(tuple(pairs[:MOST_NPC_COLLISIONS])))
        yield self._out("traffic_light", self.light.status(self.time_s))
        yield self._out("intersection", self.intersection.status(self.time_s))
        yield self._out("imu", sensor_streams.imu(motion, self.time_s))
        if self._periods_n % GPS_PERIODS == 0:
            for sentence in sensor_streams.gps(motion, self._settings.origin, self.time_s):
                yield Outgoing("gps", sentence)

    def _out(self, port: str, body: Any) -> Outgoing:
        """A message in the layout of the release."""
        return Outgoing(port, morai.encode(body, self._release.generation(type(body))))

    def ego(self) -> Thing:
        """The ego vehicle, by the middle of its body."""
        motion, body = self.session.state(), self._vehicle.body
        ahead_m = body.cg_to_front_axle_m + body.front_overhang_m - 0.5 * body.length_m
        return Thing(
            object_id=EGO_ID,
            object_type=morai.ObjectType.EGO,
            x_m=motion.x_m + ahead_m * math.cos(motion.yaw_rad),
            y_m=motion.y_m + ahead_m * math.sin(motion.yaw_rad),
            yaw_rad=motion.yaw_rad,
            length_m=body.length_m,
            width_m=body.width_m,
            height_m=encoding.CAR_HEIGHT_M,
            speed_mps=motion.vx_mps,
        )

    def _npcs(self) -> tuple[Thing, ...]:
        if not self._shown["npc"]:
            return ()
        return actors.vehicles(self.time_s - self._scene_start_s["npc"])

    def _things(self) -> tuple[Thing, ...]:
        """Everything but the ego vehicle."""
        people: tuple[Thing, ...] = ()
        if self._shown["pedestrian"]:
            people = actors.pedestrians(self.time_s - self._scene_start_s["pedestrian"])
        boxes = actors.static_boxes(self._settings.boxes) if self._shown["object"] else ()
        return (*self._npcs(), *people, *boxes, *self._other_egos, *self._npc_ghosts)
