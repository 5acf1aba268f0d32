"""The interface as pure objects: safety side, vehicle side, and the pipeline of both."""
