"""Helpers of the tests of vdsim_can."""
