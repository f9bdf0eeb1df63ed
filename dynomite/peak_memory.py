"""Greatest resident memory of processes."""

from __future__ import annotations

import os
import sys


def peak_of_process(pid: int | None = None) -> int:
    """Greatest resident memory so far of a process (default: this one) in bytes; 0 if it cannot be known.

    Linux tells it per address space. `getrusage` does not serve there: its figure survives `exec`, so that a
    young process shows the size of the one that started it.
    """
    try:
        with open(f"/proc/{os.getpid() if pid is None else pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    if pid is not None or sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
