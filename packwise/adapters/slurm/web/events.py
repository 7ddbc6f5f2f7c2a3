"""Server-sent events: a browser is told when the status or the journal has changed, and fetches it then."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

from packwise.adapters.slurm.web.folder import StateFolder

#: Seconds between two looks at the files, and from one sign of life to the next.
LOOK = 0.5
BEAT = 15.0
#: So many listen at most; whoever comes after them asks by himself from time to time.
MOST = 64


class Events:
    """The streams of a server. They end by themselves once it ``closes``."""

    def __init__(self, folder: StateFolder, closes: Callable[[], bool]) -> None:
        self._folder = folder
        self._closes = closes
        self._open = 0

    @property
    def full(self) -> bool:
        return self._open >= MOST

    async def stream(self) -> AsyncIterator[str]:
        """What there is at first, then each change; a sign of life when nothing happens."""
        self._open += 1
        try:
            yield "retry: 2000\n\n"
            last: tuple[str, str] | None = None
            quiet = 0.0
            while not self._closes():
                tags = await asyncio.to_thread(self._folder.tags)
                if tags != last:
                    told = json.dumps({"status": tags[0], "journal": tags[1]})
                    yield f"event: change\ndata: {told}\n\n"
                    last, quiet = tags, 0.0
                elif quiet >= BEAT:
                    yield "event: beat\ndata: {}\n\n"
                    quiet = 0.0
                await asyncio.sleep(LOOK)
                quiet += LOOK
        finally:
            self._open -= 1
