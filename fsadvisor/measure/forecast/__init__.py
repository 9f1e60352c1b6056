"""Seed 001's expectation of throughput from a device's latency: pure, nothing here looks at a machine."""
