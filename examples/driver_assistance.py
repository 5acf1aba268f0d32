"""What ABS, traction control and ESC change: full braking, pulling away and a sine with dwell.

    ./ws python examples/driver_assistance.py --level l3

Prints a Markdown table, without and with `assist="passenger_car"`.
"""

from __future__ import annotations

import argparse
import math

from vdsim_plant.assembly import LEVELS
from vdsim_plant.ground import Ground, SplitMu, flat
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.vehicle import Vehicle

from vdsim_plant import VDSimPlant

START_MPS = 100.0 / 3.6
SPLIT = Ground(split=SplitMu(mu_left=0.2, mu_right=0.8, y_m=0.0))


def car(level: str, assist: str | None, name: str, ground: Ground, speed_mps: float) -> Vehicle:
    """A car that rolls at a speed."""
    plant = VDSimPlant(name, ground=ground, level=level, assist=assist)
    plant.vehicle.reset(InitialState(vx_mps=speed_mps))
    return plant.vehicle


def stopping(level: str, assist: str | None, ground: Ground) -> str:
    """Brake pedal to the floor from 100 km/h."""
    vehicle = car(level, assist, "ioniq5_awd_r13h", ground, START_MPS)
    turned = 0.0
    while vehicle.speed_mps() > 0.05:
        vehicle.step_pedals(PedalInput(brake=1.0), 0.01)
        turned = max(turned, abs(vehicle.motion().yaw_rad))
    return f"{vehicle.motion().x_m:.1f} m, turned by {math.degrees(turned):.0f} deg"


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
    print("| drive | without | `passenger_car` |")
    print("|---|---|---|")
    aids = (None, "passenger_car")
    for name, ground in (("mu 0.9", flat(0.9)), ("mu 0.3", flat(0.3)), ("mu 0.2 / 0.8", SPLIT)):
        cells = " | ".join(stopping(level, assist, ground) for assist in aids)
        print(f"| full braking from 100 km/h, {name} | {cells} |")
    for name, ground in (("mu 0.2", flat(0.2)), ("mu 0.2 / 0.8", SPLIT)):
        cells = " | ".join(pulling_away(level, assist, ground) for assist in aids)
        print(f"| full throttle for 5 s, {name} | {cells} |")
    print(f"| sine with dwell | {' | '.join(swerving(level, assist) for assist in aids)} |")


if __name__ == "__main__":
    main()
