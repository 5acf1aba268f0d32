"""What a running interface answers for `vdsim_why`."""
