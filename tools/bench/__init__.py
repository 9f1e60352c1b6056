"""Is fsadvisor as fast as it has to be? `make bench` measures it against other programs in the same run."""
