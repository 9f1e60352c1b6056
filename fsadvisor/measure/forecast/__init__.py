"""A paper's (source 001) expectation of throughput from a device's latency: pure, nothing here looks at a machine."""
