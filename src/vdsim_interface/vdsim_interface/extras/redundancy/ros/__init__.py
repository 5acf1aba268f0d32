"""The switcher's topic."""
