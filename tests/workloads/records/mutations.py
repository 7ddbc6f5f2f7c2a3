"""Records of every kind, damaged at random."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.workloads.records import site

_SPLICES = (
    b"|", b"\n", b"\r\n", b"\x00", b"\xff\xfe", b"Unknown", b"UNLIMITED", b"-1", b"9" * 25, b"1e309", b"nan",
    b"{", b"}", b'"', b"[", b"]", b";", b"=", b"2024-02-30T25:61:00", b"\xc3\xa9", b"_", b".batch", b"null",
    b"\t", b"\xef\xbb\xbf", b"9" * 5000, b"0x" + b"f" * 5000, b"[" * 3000, b'{"a":' * 3000, b"a." * 3000,
    b"[1]" * 3000, b" " * 20_000, b"," * 5000, b"(" * 5000, b'"' * 3, b"'" * 3, b"\\\n", b",\\\n ", b"-0",
    b"2147483648", b"4294967296", b"\xc2\xb2", b"\ninclude slurm.conf\n", b"\xe2\x80\xa8", b"\x0b", b"\x0c",
    b"[1-1000000]",
)  # fmt: skip


def samples() -> dict[str, bytes]:
    """A small file of each kind, by its name."""
    jobs = site.jobs(12)
    return {
        "sacct.txt": site.sacct(jobs).encode(),
        "bare.txt": site.sacct(jobs, [*site.USUAL[:2], *reversed(site.USUAL[2:])]).encode(),
        "old.json": site.sacct_json(jobs, newer=False).encode(),
        "new.json": site.sacct_json(jobs, newer=True).encode(),
        "filetxt.txt": site.filetxt(jobs).encode(),
        "pbs.txt": site.pbs(jobs).encode(),
        "batsim.json": site.batsim(jobs).encode(),
        "table.csv": site.csv(jobs).encode(),
    }


def mutated(rng: Random, content: bytes) -> bytes:
    """The content with one to six things done to it."""
    data = bytearray(content)
    for _ in range(rng.randrange(1, 7)):
        at = rng.randrange(len(data) + 1)
        length = rng.choice([1, 2, 5, 40, 400])
        match rng.randrange(8):
            case 0:
                data[at:at] = rng.choice(_SPLICES)
            case 1:
                del data[at : at + length]
            case 2:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 3:
                data[at : at + length] = rng.choice(_SPLICES)
            case 4:
                lines = bytes(data).split(b"\n")
                lines.insert(rng.randrange(len(lines)), rng.choice(lines))
                data = bytearray(b"\n".join(lines))
            case 5:
                del data[at:]
            case 6:
                other = rng.randrange(len(data) + 1)
                data[at:at] = data[other : other + length]
            case 7:
                lines = bytes(data).split(b"\n")
                rng.shuffle(lines)
                data = bytearray(b"\n".join(lines))
        if not data:
            return b""
    return bytes(data)


def damaged(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """So many damaged files, of each kind in turn."""
    rng = Random(seed)
    whole = list(samples().items())
    for k in range(count):
        name, content = whole[k % len(whole)]
        yield name, mutated(rng, content)
