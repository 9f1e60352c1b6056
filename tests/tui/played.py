"""Trials and comparisons that tell what a test has them tell, in place of a process that measures."""

from fsadvisor.measure import messages
from fsadvisor.measure.compare import Side as CompareSide
from fsadvisor.measure.probe.cost import Cost
from fsadvisor.measure.probe.result import Figure, Result
from fsadvisor.measure.trial import TrialComparison, TrialInterim, TrialSide
from fsadvisor.survey.tried import Ratio

COST = Cost(written_bytes=1 << 30, room_bytes=600 << 20, files=4, least_seconds=30.0, most_seconds=200.0)
_GAIN = Ratio(middle=1.11, low=1.08, high=1.15, blocks=12)
_ALIKE = Ratio(middle=1.0, low=0.99, high=1.02, blocks=12)
_FIGURE = Figure(median=1234.0, low=1200.0, high=1270.0, windows=24)
_SIDE = TrialSide(figure=_FIGURE, windows=24, left_out=0, operations=9000, flushes_per_operation=1.0, amplification=2.1)
COMPARISON = TrialComparison(
    gain=_GAIN,
    control=_ALIKE,
    bare=_ALIKE,
    sides={"default": _SIDE, "again": _SIDE, "changed": _SIDE, "bare": _SIDE},
    blocks=12,
    left_out=0,
    voids=(),
    end="settled",
    error="",
    seconds=40.0,
)
_IMAGE = CompareSide(name="ext4", kind="image", fs_type="ext4", options="rw,relatime", in_image=True)
_PATH = CompareSide(name="/", kind="mounted", fs_type="ext4", options="rw,relatime")


def result(job, median, side):
    """Of a job on a side."""
    return Result(
        job=job,
        question=job,
        target=side,
        mount="/",
        when="2026-11-21T20:08:34+00:00",
        engine="own",
        headline="IOPS",
        figure=Figure(median=median, low=median * 0.97, high=median * 1.03, windows=9),
        end="settled",
        windows=9,
    )


def window(**more):
    """Of a job on a side."""
    fields = {
        "headline": "IOPS",
        "value": 1234.0,
        "void": "",
        "counted": 1,
        "operations_per_s": 1234.0,
        "bytes_per_s": 0.0,
        "p50_us": None,
        "p99_us": None,
    }
    return messages.Progress(**(fields | more))


class Played:
    """Trials that tell what a test has them tell; what they were told is kept."""

    def __init__(self, *findings):
        self.findings, self.asked, self.said = findings, [], []

    def __call__(self, asked, hear):
        self.asked.append(asked)
        self.hear = hear
        told = messages.Estimate(
            title="noatime on ext4, in images on /",
            says=(("job", "read-names: reads"),),
            cost=COST,
            findings=self.findings,
            dangers=("noatime: programs that ask when a file was last read get no answer",),
        )
        hear(told)
        return self

    def go(self, *, gentle=False):  # noqa: ARG002 - as of a probe
        self.said.append("go")
        if isinstance(self.asked[-1], messages.TrialAsked):
            self.hear(messages.Note(text="turn 1 of 3: making the side default", kind="step"))
            for blocks in (6, 7):
                gain = Ratio(middle=1.1, low=0.97, high=1.3, blocks=blocks)
                went = TrialInterim(blocks=blocks, gain=gain, seconds=20.0, seconds_left=160.0)
                self.hear(messages.BlockProgress(progress=went))
        else:
            job = self.asked[-1].jobs[0]
            self.hear(messages.Started(at=1, job=job, side="ext4"))
            went = window(at=1, job=job, side="ext4", figure=_FIGURE, used=0.5)
            self.hear(went)

    def stop(self):
        self.said.append("stop")
        self.hear(messages.Finished(state="cancelled"))

    def finish(self):
        if isinstance(self.asked[-1], messages.TrialAsked):
            self.hear(messages.TrialDone(comparison=COMPARISON))
        else:
            cells = [
                messages.CellDone(side=side, job=job, result=result(job, median, side))
                for job in ("create-1", "mail")
                for side, median in (("/", 900.0), ("ext4", 1000.0))
            ]
            self.hear(
                messages.CompareDone(
                    sides=(_PATH, _IMAGE),
                    jobs=("create-1", "mail"),
                    cells=tuple(cells),
                    when="2026-11-21T20:08:34+00:00",
                    image_folder="/",
                    image_bytes=1 << 29,
                    seed=7,
                )
            )
        self.hear(messages.Finished(state="done"))
