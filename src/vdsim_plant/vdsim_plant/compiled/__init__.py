"""The compiler behind the kernel: inlining, compiling, keeping and linking; no physics."""
