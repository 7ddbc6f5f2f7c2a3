"""A process that compiles parts: names come in on stdin, what was made goes out on stdout.

It is started as a program of its own, and not by ``multiprocessing``, which would run the script or notebook of
the user once more. It ends when stdin does, so with whoever has started it, however that one ends.
"""

from __future__ import annotations

import _thread
import os
import sys
import time
from queue import SimpleQueue
from threading import Event, Thread

from packwise.warm_up.parts import make

#: Seconds that a compilation has to be given up, until the process ends as it is.
_PATIENCE = 5.0


def main() -> None:
    """Compile part after part until stdin ends."""
    names: SimpleQueue[str] = SimpleQueue()
    busy = Event()

    def listen() -> None:
        for line in sys.stdin:
            busy.set()
            names.put(line.strip())
        if busy.is_set():
            _thread.interrupt_main()  # so that a file half written is taken away
            time.sleep(_PATIENCE)
        os._exit(0)

    Thread(target=listen, daemon=True).start()
    while True:
        made = make(names.get())
        busy.clear()
        print(made.part, made.seconds, made.cpu_seconds, flush=True)


if __name__ == "__main__":
    main()
