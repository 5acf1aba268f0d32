"""The documentation as a site: which page stands where, how pages are staged, built, searched."""
