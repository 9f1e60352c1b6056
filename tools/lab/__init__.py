"""The lab: QEMU guests with the hardware that most machines lack, over this machine's own root, without KVM."""
