"""`make fuzz`: attacks on what fsadvisor reads, by a seed, for as long as one likes."""
