"""The command line `vdsim_explain`."""
