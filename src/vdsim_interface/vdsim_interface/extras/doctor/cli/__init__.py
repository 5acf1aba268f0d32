"""The command line `vdsim_doctor`."""
