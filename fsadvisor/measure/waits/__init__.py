"""Where the time goes: what processors, disks, journals and threads did in a window, and the sentence it supports."""
