"""A run as the dashboard shows it: states at the rate of a screen, in compressed chunks. Pure.

    PlayedTick -> every n-th of a vehicle -> JSON -> chunks of CHUNK_S, deflated

A run of an hour is some 20 MB this way, and a page loads what is near the moment that it shows.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import hypot
from typing import Any

from vdsim_plant.realtime.watched_session import STANDING_MPS, Drive
from vdsim_plant.session import SessionOutput

from vdsim_plant_node.dataport.json_views import Json, snapshot_view
from vdsim_plant_node.runs.run_table import PlayedTick
from vdsim_plant_node.settings.server_settings import WorldOrigin

RATE_HZ = 30.0
CHUNK_S = 5.0
_DIGITS = 7
_NEIGHBOURS_SHOWN = 64


@dataclass
class _Track:
    """One vehicle of the run."""

    origin: WorldOrigin
    ticks: int = 0
    drive: str = Drive.WAITING.value
    lost: bool = False
    samples: int = 0
    waiting: list[Json] = field(default_factory=list)
    """Samples that are in no chunk yet."""
    poses: list[tuple[float, float, float]] = field(default_factory=list)
    """x, y, yaw of every sample, for the other vehicles."""
    chunks: list[bytes] = field(default_factory=list)


class ReplayChunks:
    """Takes the ticks of a run in the order in which they are played."""

    def __init__(self, tick_s: float, origins: Mapping[int, WorldOrigin]) -> None:
        self._every = max(1, round(1.0 / (RATE_HZ * tick_s)))
        self._sample_s = self._every * tick_s
        self.samples_per_chunk = max(1, round(CHUNK_S / self._sample_s))
        self._tracks = {number: _Track(origin) for number, origin in origins.items()}

    @property
    def chunk_s(self) -> float:
        """What a chunk covers [s]."""
        return self.samples_per_chunk * self._sample_s

    @property
    def duration_s(self) -> float:
        """From the first to the last sample [s]."""
        most = max((track.samples for track in self._tracks.values()), default=0)
        return max(0, most - 1) * self._sample_s

    def take(self, played: PlayedTick) -> None:
        """Receive one tick of one vehicle."""
        track = self._tracks[played.vehicle_id]
        if played.drive != track.drive:
            track.drive = played.drive
            track.lost = played.drive == Drive.FAILSAFE.value and _is_moving(played.output)
        if track.ticks % self._every == 0:
            self._add(track, played)
        track.ticks += 1

    def finish(self) -> None:
        """The run has ended: what is left becomes the last chunk of each vehicle."""
        self._pack(at_least=1)

    def chunk(self, vehicle_id: int, number: int) -> bytes | None:
        """The deflated JSON of a chunk, {"states": [...]}; None when there is none."""
        chunks = self._tracks[vehicle_id].chunks
        return chunks[number] if 0 <= number < len(chunks) else None

    def _add(self, track: _Track, played: PlayedTick) -> None:
        state = _rounded(snapshot_view(played.output, track.origin))
        track.poses.append((state["x"], state["y"], state["yaw"]))
        at = track.samples * self._sample_s
        about = {"at": round(at, 6), "driver": played.drive, "lost": track.lost}
        track.waiting.append({**state, **about, "running": True, "restarts": 0})
        track.samples += 1
        if len(track.waiting) >= self.samples_per_chunk:
            self._pack(at_least=self.samples_per_chunk)

    def _pack(self, at_least: int) -> None:
        """Make a chunk of each vehicle once all have that many samples for it."""
        lengths = [len(track.waiting) for track in self._tracks.values()]
        if at_least > 1 and min(lengths) < at_least:
            return
        while max(lengths, default=0) >= at_least:
            for number, track in self._tracks.items():
                states = track.waiting[: self.samples_per_chunk]
                del track.waiting[: self.samples_per_chunk]
                first = len(track.chunks) * self.samples_per_chunk
                shown = [
                    {**state, "vehicle": number, "others": self._others(number, first + k)}
                    for k, state in enumerate(states)
                ]
                track.chunks.append(_packed(shown))
            lengths = [len(track.waiting) for track in self._tracks.values()]

    def _others(self, vehicle_id: int, sample: int) -> Json:
        others = [(n, each) for n, each in self._tracks.items() if n != vehicle_id]
        return {
            str(number): each.poses[min(sample, len(each.poses) - 1)]
            for number, each in others[:_NEIGHBOURS_SHOWN]
            if each.poses
        }


def _packed(states: list[Json]) -> bytes:
    text = json.dumps({"states": states}, separators=(",", ":"), allow_nan=False)
    return zlib.compress(text.encode(), 6)


def _is_moving(output: SessionOutput) -> bool:
    return hypot(output.motion.vx_mps, output.motion.vy_mps) > STANDING_MPS


def _rounded(value: Any) -> Any:
    """The same with as many digits as a screen can show."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, (tuple, list)):
        return [_rounded(each) for each in value]
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return value
