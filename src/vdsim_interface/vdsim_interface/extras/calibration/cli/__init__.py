"""The command line `vdsim_calibrate`."""
