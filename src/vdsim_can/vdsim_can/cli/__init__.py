"""The command `vdsim_can`."""
