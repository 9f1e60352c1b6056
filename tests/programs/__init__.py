"""Programs of Debian's packages, run for real: what fsadvisor tells of each is what the program itself says."""
