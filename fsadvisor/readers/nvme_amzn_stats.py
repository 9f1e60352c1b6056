"""How long an EBS volume asked for more than it may have: `nvme amzn stats DEVICE`.

Written against nvme-cli 2.11 to 3.1, whose amzn plug-in reads vendor log page D0h of volumes on Nitro instances. The
counters begin when the volume is attached. Instance store has a log of its own, without the volume's part.

    EBS Volume Performance Exceeded (us):
      IOPS: 81234567
      Throughput: 0

    EC2 Instance EBS Performance Exceeded (us):
      IOPS: 0
      Throughput: 0

https://docs.aws.amazon.com/ebs/latest/userguide/nvme-detailed-performance-stats.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers.parsing import refusal, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_EXCEEDED = late(
    r"^(?P<whose>EBS Volume|EC2 Instance EBS) Performance Exceeded \(us\):\n"
    r" {1,8}IOPS: (?P<iops>[0-9]{1,20})\n {1,8}Throughput: (?P<throughput>[0-9]{1,20})$",
    re.MULTILINE,
)


class AmznStats(Struct, frozen=True, kw_only=True):
    """Microseconds since the volume was attached in which more was asked than allowed."""

    volume_iops_us: int
    volume_throughput_us: int
    instance_iops_us: int
    instance_throughput_us: int


def argv(device: str) -> tuple[str, ...]:
    """Ask a volume (/dev/nvme1n1); needs root."""
    return ("nvme", "amzn", "stats", device)


def parse(text: str) -> AmznStats | Unknown:
    """The four counters, or why there are none."""
    found = {each["whose"]: each for each in _EXCEEDED.finditer(text)}
    counts = [
        whole(found[whose][what]) if whose in found else None
        for whose in ("EBS Volume", "EC2 Instance EBS")
        for what in ("iops", "throughput")
    ]
    told = [count for count in counts if count is not None]
    if len(told) != len(counts):
        return refusal(text, "the output is not that of `nvme amzn stats`")
    return AmznStats(
        volume_iops_us=told[0],
        volume_throughput_us=told[1],
        instance_iops_us=told[2],
        instance_throughput_us=told[3],
    )
