"""Forecasts to report on: planted curves, and results of one device."""

from fsadvisor.measure.forecast.analysis import by_latency, study
from fsadvisor.measure.probe.result import Figure, Result
from tests.forecast.planted import planted

MS = (0.0, 0.5, 1.0, 2.0, 5.0, 6.0, 8.0, 10.0)


def _points(filesystem, workload, c, software_ms, seed, shape=None, noise=0.004, latencies=MS):
    return [
        (filesystem, workload, it)
        for it in planted(c, software_ms, latencies=latencies, noise=noise, runs=2, seed=seed, shape=shape)
    ]


SEVERAL = study(
    [
        *_points("ext4", "mail", 1000, 0.4, 1, lambda ms: 0.6 if ms < 1 else 1),
        *_points("xfs", "mail", 1150, 1.4, 2),
        *_points("nilfs2", "mail", 700, 0.2, 3, lambda ms: 0.5 if ms < 2 else 1),
        *_points("nilfs2", "file-server", 1, 1, 4, lambda ms: (300 + 10 * ms) * (ms + 1)),
        *_points("[red]\x1b]8;;<b>|", "web", 400, 3, 5, noise=0.3, latencies=MS[1:]),
    ]
)


def result(job="mail", us=1500.0, rate=640.0, **more):
    return Result(
        job=job,
        question="q",
        target="/srv",
        mount="/srv",
        when="2026-11-21T12:00:00+00:00",
        engine="fsadvisor 0.1.0",
        headline="IOPS",
        figure=Figure(median=rate, low=rate * 0.97, high=rate * 1.03, windows=9),
        end="settled",
        device_us=us,
        depends={"mount.fs_type": "ext4"},
        **more,
    )


ONE_DEVICE = by_latency([result(), result("web", 900.0, 4000.0)], "/srv")
EMPTY = study([])
