"""The end of what a probe has killed: waited for, but not for ever."""

from __future__ import annotations

import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LAST_WAIT_SECONDS: Final = 2.0


def reap(killed: Sequence[subprocess.Popen[Any]], seconds: float = LAST_WAIT_SECONDS) -> bool:
    """Wait for processes that were killed; False where one of them waits inside the kernel and is still there.

    That one is reaped when the disk answers, or by init after us.
    """
    end = time.monotonic() + seconds
    gone = True
    for child in killed:
        try:
            child.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            threading.Thread(target=child.wait, daemon=True).start()
            gone = False
    return gone
