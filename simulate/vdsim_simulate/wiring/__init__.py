"""The shipped pure objects in virtual processes, one module a composition."""
