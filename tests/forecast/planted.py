"""Curves whose truth is known."""

import random

from fsadvisor.measure.forecast import MeasuredPoint, Model, curve

PAPER_MS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def planted(c, software_ms, latencies=PAPER_MS, noise=0.0, runs=1, seed=0, shape=None):
    """Points of a filesystem that follows the model, times what `shape` says of a latency, times noise."""
    dice = random.Random(seed)
    model = Model(c, software_ms)
    return [
        MeasuredPoint(ms, ms, model.throughput(ms) * (shape(ms) if shape else 1) * (1 + dice.gauss(0, noise)))
        for _ in range(runs)
        for ms in latencies
    ]


def planted_curve(*given, filesystem="ext4", workload="mail", **more):
    return curve(filesystem, workload, planted(*given, **more))
