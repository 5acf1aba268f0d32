"""The bridge of what MORAI sends beside the Ego status."""
