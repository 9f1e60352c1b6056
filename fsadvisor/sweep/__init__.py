"""A filesystem's throughput on a device whose latency is set step by step, as seed 001 measured it."""
