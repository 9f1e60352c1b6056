"""Staged incidents: made by other means than fsadvisor's, and told by `fsadvisor doctor`."""
