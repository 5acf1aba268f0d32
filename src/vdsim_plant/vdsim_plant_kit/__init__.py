"""Helpers of the tests of vdsim_plant; not installed."""
