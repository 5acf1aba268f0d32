"""Helpers of the tests of vdsim_plant_node; not installed."""
