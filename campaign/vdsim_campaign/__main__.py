"""`python -m vdsim_campaign`, as `./ws campaign` runs it."""

import sys

from vdsim_campaign.cli import main

sys.exit(main())
