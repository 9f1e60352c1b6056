"""What sort of disk a cloud gives to its machines: on the network, or in the host and gone with it.

Model names: https://docs.aws.amazon.com/ebs/latest/userguide/nvme-ebs-volumes.html,
https://docs.cloud.google.com/compute/docs/disks, https://learn.microsoft.com/azure/virtual-machines/enable-nvme-faqs
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown

if TYPE_CHECKING:
    from fsadvisor.storage import CloudDisk

_BY_MODEL: tuple[tuple[re.Pattern[str], CloudDisk], ...] = (
    (re.compile(r"Amazon Elastic Block Store$|nvme_card-pd$|PersistentDisk$|MSFT NVMe Accelerator"), "network"),
    (re.compile(r"Amazon EC2 NVMe Instance Storage$|nvme_card\d*$|EphemeralDisk$|Microsoft NVMe Direct Disk"), "local"),
)


def cloud_disk(model: Fact[str], in_vm: Fact[bool]) -> Fact[CloudDisk]:
    """By the model's name; other names say nothing inside a virtual machine."""
    if isinstance(model, Known):
        for pattern, kind in _BY_MODEL:
            if pattern.match(model.value):
                return Known(kind, f"model {model.value}")
    if isinstance(in_vm, Unknown):
        return in_vm
    if not in_vm.value:
        return Known("none", in_vm.source)
    return Unknown(Cause.NOT_EXPOSED, "", "a model's name that no cloud is known to use")
