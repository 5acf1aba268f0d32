"""What ABS, traction control and ESC change: full braking, pulling away and a sine with dwell.

    ./ws python examples/driver_assistance.py --level l3

Prints a Markdown table, without, with `assist="abs"` and with `assist="passenger_car"`. Where the
sides of the road grip differently, a driver has to steer against the brakes' yaw moment: the table
has a car that nobody steers, and two drivers. A car that leaves the slippery half stops shorter
than the least that both halves allow.
"""

from __future__ import annotations

import argparse
import math

from vdsim_plant.assembly import LEVELS
from vdsim_plant.ground import Ground, SplitMu, flat
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import GRAVITY_MPS2
from vdsim_plant.vehicle import Vehicle

from vdsim_plant import VDSimPlant

START_MPS = 100.0 / 3.6
SPLIT = Ground(split=SplitMu(mu_left=0.2, mu_right=0.8, y_m=0.0))


def car(level: str, assist: str | None, name: str, ground: Ground, speed_mps: float) -> Vehicle:
    """A car that rolls at a speed."""
    plant = VDSimPlant(name, ground=ground, level=level, assist=assist)
    plant.vehicle.reset(InitialState(vx_mps=speed_mps))
    return plant.vehicle


def stopping(level: str, assist: str | None, ground: Ground, gain: float = 0.0) -> str:
    """Brake pedal to the floor from 100 km/h; the driver steers to keep straight, by a gain."""
    vehicle = car(level, assist, "ioniq5_awd_r13h", ground, START_MPS)
    turned = aside = 0.0
    while vehicle.speed_mps() > 0.05:
        seen = vehicle.motion()
        off = 0.1 * seen.y_m + seen.yaw_rad + 0.2 * seen.yaw_rate_radps
        steer = min(max(-gain * off, -0.2), 0.2)
        vehicle.step_pedals(PedalInput(steer, 0.0, 1.0), 0.01)
        turned, aside = max(turned, abs(seen.yaw_rad)), max(aside, abs(seen.y_m))
    length = f"{vehicle.motion().x_m:.1f} m"
    return f"{length}, turned by {math.degrees(turned):.0f} deg, {aside:.1f} m aside"


def least(mu: float) -> str:
    """The distance from 100 km/h at the whole friction of every wheel, without drag."""
    return f"{START_MPS**2 / (2.0 * mu * GRAVITY_MPS2):.1f} m"


def pulling_away(level: str, assist: str | None, ground: Ground) -> str:
    """Accelerator to the floor for 5 s."""
    vehicle = car(level, assist, "compact_fwd", ground, 0.0)
    vehicle.step_pedals(PedalInput(throttle=1.0), 5.0)
    return f"{3.6 * vehicle.speed_mps():.1f} km/h"


def swerving(level: str, assist: str | None) -> str:
    """A sine of 0.7 Hz with a dwell of 0.5 s, 0.1 rad at 80 km/h: the largest sideslip angle."""
    vehicle = car(level, assist, "compact_fwd", flat(), 80.0 / 3.6)
    period, sideslip = 1.0 / 0.7, 0.0
    for k in range(350):
        t = 0.01 * k
        t -= min(max(t - 0.75 * period, 0.0), 0.5)
        steer = 0.1 * math.sin(2.0 * math.pi * t / period) if t < period else 0.0
        vehicle.step_force(steer, 0.0, 0.01)
        sideslip = max(sideslip, abs(vehicle.motion().beta_rad))
    return f"{math.degrees(sideslip):.1f} deg of sideslip"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--level", choices=[level for level in LEVELS if level != "kinematic"],
                        default="l2")  # fmt: skip
    level = parser.parse_args().level
    aids = (None, "abs", "passenger_car")
    print("| drive | least possible | without | `abs` | `passenger_car` |")
    print("|---|---|---|---|---|")
    stops = (
        ("mu 0.9", 0.9, flat(0.9), 0.0),
        ("mu 0.3", 0.3, flat(0.3), 0.0),
        ("mu 0.2 / 0.8, nobody steers", 0.5, SPLIT, 0.0),
        ("mu 0.2 / 0.8, a driver keeps straight", 0.5, SPLIT, 1.0),
        ("mu 0.2 / 0.8, a driver of twice the gain", 0.5, SPLIT, 2.0),
    )
    for name, mean_mu, ground, gain in stops:
        cells = " | ".join(stopping(level, assist, ground, gain) for assist in aids)
        print(f"| full braking from 100 km/h, {name} | {least(mean_mu)} | {cells} |")
    for name, ground in (("mu 0.2", flat(0.2)), ("mu 0.2 / 0.8", SPLIT)):
        cells = " | ".join(pulling_away(level, assist, ground) for assist in aids)
        print(f"| full throttle for 5 s, {name} | | {cells} |")
    print(f"| sine with dwell | | {' | '.join(swerving(level, assist) for assist in aids)} |")


if __name__ == "__main__":
    main()
