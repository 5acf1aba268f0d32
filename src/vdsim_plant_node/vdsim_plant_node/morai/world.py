"""The emulator's world: the plant as ego vehicle, scripted traffic, lights. No clock, no socket.

    datagrams in -> ego's driver, lights, scene        every 20 ms: status messages out

Limits of the model: things that touch pass through each other, none avoids another, there is
no map and no sensor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from vdsim_plant.motion import InitialState
from vdsim_plant.parameters import ParameterError

from vdsim_plant_node.live.sessions import build_session
from vdsim_plant_node.morai import actors, encoding
from vdsim_plant_node.morai.driver import Driver
from vdsim_plant_node.morai.settings import EmulatorSettings
from vdsim_plant_node.morai.shapes import Thing, distance_m, touch
from vdsim_plant_node.morai.signals import Intersection, TrafficLight
from vdsim_plant_node.settings.server_settings import VehicleSettings
from vdsim_protocol import morai

PERIOD_S = 0.02
TICK_S = 0.005
SUBSTEP_S = 5e-4
EGO_ID = 0
WORLD_LIMIT = 1e6
"""Largest coordinate [m] and heading [deg] that is taken."""
MOST_OBJECTS, MOST_COLLISIONS, MOST_NPC_COLLISIONS = 20, 5, 10


class Outgoing(NamedTuple):
    """A datagram, and the name of the port that it goes to."""

    port: str
    data: bytes


class Notice(NamedTuple):
    """A line for the log about a datagram."""

    about: str
    """Title of its message; empty when it is none."""
    text: str
    """Empty: nothing."""


class World:
    """One scene."""

    def __init__(self, settings: EmulatorSettings) -> None:
        self._settings = settings
        car = VehicleSettings(vehicle=settings.vehicle, mu=settings.mu)
        self.session = build_session(car, substep_s=SUBSTEP_S)
        self._vehicle = self.session.vehicle.parameters
        self.driver = Driver(self._vehicle, settings.steer_max_deg)
        self.lamps = morai.LampControl(morai.TurnSignal.OFF, morai.EmergencySignal.OFF)
        self.paused = False
        self.time_s = 0.0
        self._periods_n = 0
        self._scene_start_s = {"npc": 0.0, "pedestrian": 0.0}
        self._shown = {"npc": True, "pedestrian": True, "object": True}
        self._other_egos: tuple[Thing, ...] = ()
        self.light = TrafficLight()
        self.intersection = Intersection()
        self._handlers = {
            morai.EgoCtrlCmd: self._on_control,
            morai.MultiEgoSetting: self._on_egos,
            morai.SetTrafficLight: self._on_light,
            morai.SetIntersection: self._on_intersection,
            morai.LampControl: self._on_lamps,
            morai.ScenarioLoad: self._on_scenario,
            morai.SensorControl: self._on_sensor,
            morai.SaveSensorData: self._on_save,
        }

    # ---- what comes in -------------------------------------------------------------------------

    def receive(self, datagram: bytes) -> Notice:
        """Apply a message; return a line for the log about it. Never raises."""
        packet = morai.decode(datagram)
        if isinstance(packet, morai.Reject):
            return Notice("", f"dropped a datagram: {packet}")
        title = packet.kind.title
        handler: Any = self._handlers.get(packet.kind.table)
        if handler is None:
            return Notice(title, f"dropped {title}: it goes {packet.kind.direction.value}")
        return Notice(title, handler(packet.body))

    def _on_control(self, command: morai.EgoCtrlCmd) -> str:
        codes = (command.gear, command.ctrl_mode, command.cmd_type)
        kinds = (morai.Gear, morai.CtrlMode, morai.CmdType)
        if not all(isinstance(code, kind) for code, kind in zip(codes, kinds, strict=True)):
            return f"dropped Ego Ctrl Cmd: gear, mode, type {codes} are not all defined"
        before = self.driver.ctrl_mode
        self.driver.take(command, self.time_s)
        if command.ctrl_mode == before:
            return ""
        return f"control mode {morai.CtrlMode(command.ctrl_mode).name}"

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
            self.session.reset()
            self.driver.put(morai.Gear.PARKING, morai.CtrlMode.KEYBOARD)
        if order.load_network:
            self.light, self.intersection = TrafficLight(), Intersection()
        if order.delete_all:
            self._other_egos = ()
        self.paused = order.set_pause
        return f"scenario {order.file_name!r} loaded{', paused' if order.set_pause else ''}"

    def _on_sensor(self, order: morai.SensorControl) -> str:
        where = f"{order.pos_x_m:g}, {order.pos_y_m:g}, {order.pos_z_m:g} m"
        return f"sensor {order.sensor_index} to {where}: accepted, there are no sensors"

    def _on_save(self, order: morai.SaveSensorData) -> str:
        name = order.file_name if order.is_custom_file_name else "a name of its own"
        return f"save sensor data as {name} in {order.file_dir!r}: accepted, nothing is written"

    # ---- what goes out -------------------------------------------------------------------------

    def step(self) -> None:
        """Advance by one period, unless paused."""
        if self.paused:
            return
        self.session.set_input(self.driver.pedals(self.session.state(), PERIOD_S, self.time_s))
        for _ in range(round(PERIOD_S / TICK_S)):
            self.session.tick(TICK_S)
        self._periods_n += 1
        self.time_s = self._periods_n * PERIOD_S

    def messages(self) -> Iterator[Outgoing]:
        """Every message that the simulator sends in a period."""
        motion = self.session.state()
        status = encoding.ego_status(motion, self._vehicle, self.driver, self.time_s)
        yield Outgoing("status", morai.encode(status, self._settings.generation))
        ego, npcs, things = self.ego(), self._npcs(), self._things()
        near = sorted(things, key=lambda thing: distance_m(ego, thing))[:MOST_OBJECTS]
        yield Outgoing("objects", morai.encode(encoding.object_info(near)))
        hits = [encoding.collision(ego, thing) for thing in near if touch(ego, thing)]
        collisions = morai.CollisionData(tuple(hits[:MOST_COLLISIONS]))
        yield Outgoing("collisions", morai.encode(collisions))
        pairs = [encoding.npc_collision(a, b) for a, b in combinations(npcs, 2) if touch(a, b)]
        npc_collisions = morai.NpcCollision(tuple(pairs[:MOST_NPC_COLLISIONS]))
        yield Outgoing("npc_collisions", morai.encode(npc_collisions))
        yield Outgoing("traffic_light", morai.encode(self.light.status(self.time_s)))
        yield Outgoing("intersection", morai.encode(self.intersection.status(self.time_s)))

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
        return (*self._npcs(), *people, *boxes, *self._other_egos)
