"""The program `vdsim_autoware_conformance`."""
