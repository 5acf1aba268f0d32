"""The pytest plug-in of launch tests."""
