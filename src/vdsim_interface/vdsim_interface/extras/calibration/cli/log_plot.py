"""The picture of a fit from a log: the map before, by differences of the speed, and after."""

from __future__ import annotations

from pathlib import Path

from vdsim_interface.extras.calibration.log_maps import LogMaps


def plot_log(maps: LogMaps, origin: str, path: Path) -> None:
    """Draw acceleration over speed, one curve a pedal, before and after."""
    # Imported here: only --plot needs matplotlib.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5), layout="constrained")
    FigureCanvasAgg(figure)
    fit = maps.pedals
    titles = "before: differences of the speed", "after: likelihood of its steps"
    axes = figure.subplots(1, 2, sharey=True)
    for ax, cells, title in zip(axes, (maps.before, fit.cells), titles, strict=True):
        for column, pedal in enumerate(fit.columns):
            shade = (0.8, 0.1, 0.1) if pedal < 0 else (0.1, 0.3, 0.8)
            color = shade if pedal else "black"
            ax.plot(fit.rows, cells[:, column], ".-", color=color, linewidth=0.8)
        ax.set_title(title)
        ax.set_xlabel("speed [m/s]")
        ax.grid(visible=True, linewidth=0.3)
    axes[0].set_ylabel("acceleration [m/s$^2$]")
    figure.suptitle(f"{origin}: pedals {fit.columns[0]:g} to {fit.columns[-1]:g}")
    figure.savefig(path)
