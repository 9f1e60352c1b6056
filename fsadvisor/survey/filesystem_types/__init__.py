"""The types of filesystem: a module for each, and a line in `registry`."""
