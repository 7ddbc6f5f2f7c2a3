"""Compiling side by side: what is missing goes to processes of their own, as many as there are cores.

In one process inner functions that several parts have in common are compiled once, so a worker stays with a
family of parts as long as it can. One worker takes what is needed first; the others take what takes longest.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from threading import Condition, Thread

from packwise.warm_up import telling
from packwise.warm_up.parts import PARTS, Made, make, missing

#: Less than this, in seconds of a processor, is compiled here: a worker takes one until it begins.
_SMALL = 2.0
#: Seconds between two chances for Ctrl-C, where waiting gives none.
_BREATH = 1.0


def begin(names: Iterable[str]) -> None:
    """Have what is missing of these parts compiled meanwhile, those first that are named first."""
    wanted = missing(names)
    if _seconds(wanted) > _SMALL and _may_start_processes():
        _crew.begin(wanted, _cores())


def ready(names: Iterable[str]) -> None:
    """Come back when these parts are compiled: wait for those that are, and compile the others."""
    wanted = missing(names)
    if not wanted:
        return
    if len(wanted) > 1 or _crew.has(wanted[0]):
        begin(wanted)
        _crew.wait(wanted)
    left = missing(wanted)
    if left:
        telling.say_begin([PARTS[name].label for name in left], _seconds(left))
    for place, name in enumerate(left):
        words = f"Compiling {PARTS[name].label} ({place + 1} of {len(left)}), first use only"
        with telling.while_waiting(lambda words=words: words):  # type: ignore[misc]
            make(name)


def are_ready(names: Iterable[str]) -> bool:
    """Whether nobody would wait for these parts."""
    return not missing(names)


def make_all(names: Iterable[str], processes: int | None = None) -> Iterator[Made]:
    """Compile what is missing of these parts side by side; each as it is done."""
    wanted = missing(names)
    workers = min(processes or _cores(), len(wanted))
    if workers > 1 and _may_start_processes():
        crew = _Crew()
        crew.begin(wanted, workers, quiet=True)
        for made in crew.each():
            yield made
            wanted.remove(made.part)
        crew.dismiss()
    yield from map(make, wanted)


def _seconds(names: Iterable[str]) -> float:
    return sum(PARTS[name].seconds for name in names)


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _may_start_processes() -> bool:
    """Not on one core, nor where no Python can be started; nor in a worker, of which there are enough."""
    is_python = bool(sys.executable) and not getattr(sys, "frozen", False)
    return _cores() > 1 and is_python and multiprocessing.parent_process() is None


class _Crew:
    """Workers, what waits for them, and what they have made."""

    def __init__(self) -> None:
        self._change = Condition()
        self._waiting: list[str] = []
        self._under_way: set[str] = set()
        self._made: list[Made] = []
        #: By worker, in the order in which they came: the families of which it has compiled something.
        self._families: dict[int, set[str]] = {}
        self._numbers = count()
        self._threads: list[Thread] = []
        self._processes: set[subprocess.Popen[str]] = set()
        self._useless = False

    def has(self, name: str) -> bool:
        """Whether a part waits for a worker, or is under way."""
        return name in self._waiting or name in self._under_way

    def begin(self, names: list[str], processes: int, quiet: bool = False) -> None:
        """Start workers for what is not under way."""
        with self._change:
            new = [name for name in names if not self.has(name)]
            if self._useless or not new:
                return
            self._waiting += new
            all_in_all = _seconds([*self._waiting, *self._under_way])
            workers = min(processes, len(self._waiting), math.ceil(all_in_all / _SMALL))
            if not quiet:
                longest = max(PARTS[name].seconds for name in new)
                seconds = max(_seconds(new) / max(workers, 1), longest)
                telling.say_begin([PARTS[name].label for name in new], seconds)
            for _ in range(workers - len(self._families)):
                number = next(self._numbers)
                self._families[number] = set()
                self._threads.append(Thread(target=self._serve, args=(number,), daemon=True))
                self._threads[-1].start()

    def dismiss(self) -> None:
        """Until the workers have ended: what they have taken of the processors counts with who started them."""
        for thread in self._threads:
            thread.join()

    def wait(self, names: list[str]) -> None:
        """Until the workers have no more to do with these parts."""

        def how_far() -> str:
            under_way = ", ".join(sorted(PARTS[name].label for name in list(self._under_way)))
            waiting = f", {len(self._waiting)} to follow" if self._waiting else ""
            return f"Compiling, first use only: {under_way}{waiting}"

        with telling.while_waiting(how_far), self._change:
            while any(map(self.has, names)):
                self._change.wait(_BREATH)

    def each(self) -> Iterator[Made]:
        """What is made, as it is done."""
        told = 0
        while True:
            with self._change:
                while len(self._made) == told and self._families:
                    self._change.wait(_BREATH)
                new = self._made[told:]
            if not new:
                return
            told += len(new)
            yield from new

    def _serve(self, number: int) -> None:
        """The life of a worker, as seen from here."""
        name = None
        with suppress(OSError, ValueError), _start() as process:
            self._processes.add(process)
            while (name := self._next(number)) is not None:
                made = _ask(process, name)
                if made is None:  # it has died: whoever waits compiles the part, and sees why
                    break
                with self._change:
                    self._made.append(made)
                    self._under_way.discard(name)
                    if missing([name]):
                        self._give_up()
                    self._change.notify_all()
            self._processes.discard(process)
        with self._change:
            self._families.pop(number, None)
            if name is not None:
                self._under_way.discard(name)
            if not self._families:  # nobody is left to take it
                self._waiting.clear()
            self._change.notify_all()

    def _give_up(self) -> None:
        """Nothing that workers make can be kept: whoever waits has to compile it."""
        self._useless = True
        self._waiting.clear()
        for process in self._processes:
            process.terminate()

    def _next(self, number: int) -> str | None:
        """What a worker should do next. If there is nothing, it is no worker any more."""
        with self._change:
            begun = set[str]().union(*self._families.values())
            mine = [n for n in self._waiting if PARTS[n].family in self._families[number]]
            fresh = [n for n in self._waiting if PARTS[n].family not in begun]
            choice = mine or fresh or self._waiting
            if not choice:
                del self._families[number]
                self._change.notify_all()
                return None
            name = (
                choice[0]
                if number == min(self._families)
                else max(choice, key=lambda n: PARTS[n].seconds)
            )
            self._waiting.remove(name)
            self._under_way.add(name)
            self._families[number].add(PARTS[name].family)
            return name


def _ask(process: subprocess.Popen[str], name: str) -> Made | None:
    """Have a worker compile a part; None if it does not answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{name}\n")
    process.stdin.flush()
    answer = process.stdout.readline().split()
    return Made(name, float(answer[1]), float(answer[2])) if len(answer) == 3 else None


def _start() -> subprocess.Popen[str]:
    """A worker, which finds the same modules. Ctrl-C is not meant for it: it ends when this process does."""
    paths = [path or os.getcwd() for path in sys.path]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "packwise.warm_up.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        process_group=0 if os.name == "posix" else None,
    )


def _begin_anew() -> None:
    """A process that was forked has no threads, and so no workers."""
    global _crew
    _crew = _Crew()


_crew = _Crew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
