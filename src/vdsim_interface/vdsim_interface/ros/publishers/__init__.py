"""Groups of topics that several nodes publish."""
