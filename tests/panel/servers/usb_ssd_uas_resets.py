"""A small board that boots from an SSD in a USB case; the log has UAS aborts of it. The expert: power, cable, or the
bridge's UAS, and not the SSD.
"""

from tests.panel import build

FIRST = ("disk-resets-in-log disk:sda",)
NEVER = ("drive-failing", "disk-errors-in-log")
HUB = "platform/scb/fd500000.pcie/pci0000:00/0000:00:00.0/0000:01:00.0/usb2/2-1/2-1:1.0"


def server():
    disk = build.sata(0, "Samsung SSD 870 EVO 500GB", 500107862016)
    disk.made = (disk.made[0], {"/sys/block/sda": f"../devices/{HUB}/host0/target0:0:0/0:0:0:0/block/sda"})
    disk.commands = {}
    said = (
        "sd 0:0:0:0: [sda] tag#12 uas_eh_abort_handler 0 uas-tag 13 inflight: CMD OUT",
        "sd 0:0:0:0: [sda] tag#12 CDB: Write(10) 2a 00 01 2f 08 00 00 04 00 00",
        "scsi host0: uas_eh_device_reset_handler start",
        "usb 2-1: reset SuperSpeed USB device number 2 using xhci_hcd",
        "scsi host0: uas_eh_device_reset_handler success",
    )
    return build.server(disk, mounts=[build.root(disk)], kernel="6.6.51+rpt-rpi-v8", log=said * 3)
