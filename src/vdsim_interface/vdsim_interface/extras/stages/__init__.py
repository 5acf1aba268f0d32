"""The pipeline in parts: each stage a node of its own, in processes or in one container."""
