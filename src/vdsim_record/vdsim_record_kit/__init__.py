"""What the tests of vdsim_record share."""
