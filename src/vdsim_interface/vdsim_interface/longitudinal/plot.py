"""A picture of a pedal map: its curves, and the samples that were held back."""

from pathlib import Path

import numpy as np

from vdsim_interface.longitudinal.fit import Fit
from vdsim_interface.longitudinal.samples import Samples


def plot_fit(samples: Samples, fit: Fit, origin: str, path: Path) -> None:
    """Draw acceleration over speed, one curve a pedal."""
    # Imported here: only whoever asks for a picture needs matplotlib.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    pedal_map = fit.pedal_map
    speeds = np.linspace(pedal_map.speeds_mps[0], pedal_map.speeds_mps[-1], 200)
    for pedal in pedal_map.pedals:
        shade = (0.8, 0.1, 0.1) if pedal < 0 else (0.1, 0.3, 0.8)
        curve = [pedal_map.accel(pedal, float(speed)) for speed in speeds]
        axes.plot(speeds, curve, color=shade if pedal else "black", linewidth=0.8)
    held = ~np.isin(samples.pedal, pedal_map.pedals)
    axes.plot(samples.speed_mps[held], samples.accel_mps2[held], ".", color="gray", markersize=1)
    axes.set_xlabel("speed [m/s]")
    axes.set_ylabel("acceleration [m/s$^2$]")
    axes.set_title(
        f"{origin}: pedal map, rms {fit.rms_error_mps2:.3f} m/s$^2$ on held-back samples (gray)"
    )
    axes.grid(visible=True, linewidth=0.3)
    figure.savefig(path)
