"""The places of the explorer, a module each."""
