"""Reads a scenario: what happens to one car over time, from a YAML file or a CSV of commands. Pure.

    duration_s: 8.0
    vehicle: {vehicle: ioniq5_awd, mu: 0.9, start: {vx_mps: 16.7}, failsafe: {brake: 0.3}}
    road: {base_mu: 0.9, x_patches: [[40.0, 60.0, 0.4]]}
    commands:
      - {t_s: 0.0, throttle: 0.2}
      - {t_s: 2.0, brake: 0.6, throttle: 0.0, steer_rad: 0.05}
    interpolation: linear
    link: {...}                   # faults between the commanding side and the car

The vehicle's keys are those of a fleet file. docs/scenarios.md lists everything.
"""

from __future__ import annotations
