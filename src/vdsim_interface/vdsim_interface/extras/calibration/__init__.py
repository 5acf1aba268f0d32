"""Pedal maps and understeer from drives: what `vdsim_calibrate` measures and fits."""
