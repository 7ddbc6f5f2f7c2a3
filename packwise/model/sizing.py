"""How the size of a machine is known, and what speaks against it."""

from __future__ import annotations

from typing import Literal, NamedTuple

#: What a guess rests on.
IN_USE, WIDEST = "the most in use at once", "the widest job"


class Sizing(NamedTuple):
    """Somebody has told the size, the log's header tells it, or it is guessed: then ``basis`` says from what.

    ``doubt``: why nothing that a replay on this machine shows is a gain, in sentences; empty if the log does
    not speak against the machine.
    """

    source: Literal["told", "header", "guessed"] = "told"
    basis: str = ""
    doubt: str = ""

    @property
    def guess(self) -> str:
        """What to write behind the size of a machine that was guessed; else nothing."""
        return f"a guess: {self.basis}" if self.source == "guessed" else ""

    @property
    def lead(self) -> str:
        """The first line of every result that is not to be believed; else nothing."""
        return f"No verdict. {self.doubt}" if self.doubt else ""

    @classmethod
    def from_facts(cls, facts: object) -> Sizing:
        """From what ``_asdict`` has given, and a store has kept; a ValueError if it is something else."""
        told = cls(**facts) if isinstance(facts, dict) and set(facts) <= set(cls._fields) else None
        if told is None or told.source not in ("told", "header", "guessed"):
            raise ValueError("expected how the size of the machine is known")
        if not all(isinstance(word, str) for word in told):
            raise ValueError("expected texts on how the size of the machine is known")
        return told


#: Of machines that somebody has told.
TOLD = Sizing()
