"""Helpers of the tests of vdsim_protocol; not installed."""
