"""What remains of a run: the recording file, tables of its ticks, plots."""
