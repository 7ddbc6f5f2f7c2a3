"""Jobs of a made-up site in every format, with faults of which it is known what they leave."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from tests.workloads.records import site
from tests.workloads.records.site import Job

#: Submission (Unix seconds), wait, run time, processors and name.
Truth = tuple[int, int | None, int, int, str | None]

_ABSURD = (2**31, 2**40 - 1, 10**9, 10**15, 10**25)
_CENTURIES = 900 * 365 * 86400
_GARBAGE = ("no record at all", "5", "-- cut here --", "|", "a,b", "\x00\x01", '"', "=;=")
_NAMES = ('"train', 'relax"', 'post "2"', '"a"b', "5'", "grün", "c\td", "a=b", "''", '"', "#1")
MAP = (
    "nr=id,who=user,queued=submit,begin=start,secs=elapsed,cores=cpus,wall=limit:s,what=name",
)  # fmt: skip


@dataclass
class Broken:
    """A file, and what has to come of it: so many records read or counted, and all that is told of sound ones.

    ``besides``: what is counted besides records; ``pause``: a job lies centuries behind the others.
    """

    name: str
    content: bytes
    written: int
    sound: dict[int, Truth]
    what: str
    mapping: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    origin: int = 1
    tells_starts: bool = True
    tells_names: bool = True
    pause: bool = False


@dataclass
class _Plan:
    """Jobs and what is done to some of them; ``spoilt`` are places of those that need not come back."""

    jobs: list[Job]
    spoilt: set[int] = field(default_factory=set)
    garbage: list[int] = field(default_factory=list)
    cut: set[int] = field(default_factory=set)
    words: list[str] = field(default_factory=list)
    pause: bool = False


def broken(rng: Random) -> Broken:
    plan = _plan(rng)
    make = rng.choice(
        (_squeue, _sacct, _sacct_bars, _filetxt, _scontrol, _pbs, _csv, _json, _batsim, _swf)
    )
    return make(rng, plan)


def _plan(rng: Random) -> _Plan:
    jobs = site.without_tasks(site.jobs(rng.randrange(8, 40), rng.randrange(10**6)))
    plan = _Plan(jobs)
    places = rng.sample(range(len(jobs)), len(jobs))
    if rng.random() < 0.6:
        for k in places[:3]:
            jobs[k] = replace(jobs[k], name=rng.choice(_NAMES))
        plan.words.append("names")
    if rng.random() < 0.3:
        for k in places[3 : 3 + rng.randrange(1, 3)]:
            jobs[k] = replace(jobs[k], cpus=rng.choice(_ABSURD))
            plan.spoilt.add(k)
        plan.words.append("processors")
    if rng.random() < 0.2:
        k = places[5]
        late = {
            name: getattr(jobs[k], name) + _CENTURIES
            for name in ("submit", "eligible", "start", "end")
        }
        jobs[k] = replace(jobs[k], **late)
        plan.spoilt.add(k)
        plan.pause = True
        plan.words.append("centuries")
    if rng.random() < 0.4:
        plan.garbage = places[6 : 6 + rng.randrange(1, 3)]
        plan.words.append("garbage")
    if rng.random() < 0.3:  # two broken lines that follow one another may be parts of one
        cut = next(k for k in places if not {k - 1, k} & set(plan.garbage))
        plan.cut.add(cut)
        plan.spoilt.add(cut)
        plan.words.append("a line cut off")
    return plan


def _truths(
    plan: _Plan, *, names: bool = True, starts: bool = True, origin: int = 0
) -> dict[int, Truth]:
    return {
        job.id: (
            job.eligible - origin,
            job.start - job.eligible if starts else None,
            min(job.end - job.start, job.limit),
            job.cpus,
            job.name if names else None,
        )
        for k, job in enumerate(plan.jobs)
        if k not in plan.spoilt
    }


def _lines(
    rng: Random, plan: _Plan, name: str, write: Callable[[Sequence[Job]], str], head: str = ""
) -> Broken:
    """A file of lines, with lines among them that are no record."""
    rows: list[str] = []
    for k, job in enumerate(plan.jobs):
        rows += write([job]).splitlines()
        if k in plan.cut:
            rows[-1] = rows[-1][: rng.randrange(1, len(rows[-1]))].rstrip() or "5"
        if k in plan.garbage:
            rows.append(rng.choice(_GARBAGE))
    end = rng.choice(["\n", "\n", "\r\n"])
    text = head.replace("\n", end) + end.join(rows) + rng.choice([end, ""])
    mark = rng.choice(["", "", "\ufeff"])
    what = f"{name}: {', '.join(plan.words)}"
    content = (mark + text).encode()
    return Broken(name, content, len(rows), _truths(plan), what, pause=plan.pause)


def _sacct(rng: Random, plan: _Plan) -> Broken:
    names = list(site.USUAL)
    if rng.random() < 0.5:
        rng.shuffle(names)
    return _lines(
        rng,
        plan,
        "sacct.txt",
        lambda jobs: site.sacct(jobs, names, header=False),
        "|".join(names) + "\n",
    )


def _sacct_bars(rng: Random, plan: _Plan) -> Broken:
    """``sacct -p``: a bar behind the last cell, too."""

    def write(jobs: Sequence[Job]) -> str:
        return site.sacct(jobs, header=False).replace("\n", "|\n")

    return _lines(rng, plan, "bars.txt", write, "|".join(site.USUAL) + "|\n")


def _filetxt(rng: Random, plan: _Plan) -> Broken:
    return _lines(rng, plan, "filetxt.txt", site.filetxt)


def _scontrol(rng: Random, plan: _Plan) -> Broken:
    def write(jobs: Sequence[Job]) -> str:
        text = site.filetxt(jobs).replace(" Name=", " JobName=")
        return text.replace(" NodeCnt=", " NumNodes=").replace(" ProcCnt=", " NumCPUs=")

    return _lines(rng, plan, "scontrol.txt", write)


def _pbs(rng: Random, plan: _Plan) -> Broken:
    return _lines(rng, plan, "pbs.txt", site.pbs)


def _csv(rng: Random, plan: _Plan) -> Broken:
    separator = rng.choice(",;\t|")
    plan.garbage = [k for k in plan.garbage if separator != "|"]
    always = rng.random() < 0.3

    def cell(text: str) -> str:
        """As people write it: in quotes where it needs them, or a quote that stands there alone."""
        if separator in text or always:
            return '"' + text.replace('"', '""') + '"'
        return text

    def write(jobs: Sequence[Job]) -> str:
        return "".join(
            separator.join(
                cell(str(part))
                for part in (
                    job.id, job.user, job.eligible, job.start, job.end - job.start, job.cpus, job.limit,
                    job.name,
                )
            )
            + "\n"
            for job in jobs
        )  # fmt: skip

    head = separator.join(("nr", "who", "queued", "begin", "secs", "cores", "wall", "what")) + "\n"
    return replace(_lines(rng, plan, "table.csv", write, head), mapping=MAP)


def _json(rng: Random, plan: _Plan) -> Broken:
    document = json.loads(site.sacct_json(plan.jobs, newer=rng.random() < 0.5))
    for _ in plan.garbage:
        at = rng.randrange(len(document["jobs"]) + 1)
        document["jobs"].insert(at, rng.choice([5, "x", None, {}, [], {"name": "x"}, [[[]]]]))
    written = len(document["jobs"])
    content = json.dumps(document, indent=rng.choice([None, 1])).encode()
    what = f"json: {', '.join(plan.words)}"
    return Broken(
        "sacct.json",
        content,
        written,
        _truths(plan),
        what,
        besides=("steps of jobs",),
        pause=plan.pause,
    )


def _squeue(rng: Random, plan: _Plan) -> Broken:
    """``squeue --json`` of jobs that have ended."""
    newer = rng.random() < 0.5

    def number(value: int) -> object:
        return {"set": True, "infinite": False, "number": value} if newer else value

    jobs: list[object] = [
        {
            "job_id": job.id, "job_state": [job.state] if newer else job.state, "user_name": job.user,
            "submit_time": number(job.submit), "eligible_time": number(job.eligible),
            "start_time": number(job.start), "end_time": number(job.end), "time_limit": number(job.limit // 60),
            "cpus": number(job.cpus), "node_count": number(job.nodes), "name": job.name,
            "tres_alloc_str": site.tres(job), "partition": job.partition, "nodes": site.hosts(job),
        }
        for job in plan.jobs
    ]  # fmt: skip
    for _ in plan.garbage:
        jobs.insert(rng.randrange(len(jobs) + 1), rng.choice([5, "x", None, {}, [], {"name": "x"}]))
    what = f"squeue: {', '.join(plan.words)}"
    content = json.dumps({"jobs": jobs}).encode()
    return Broken("squeue.json", content, len(jobs), _truths(plan), what, pause=plan.pause)


def _batsim(rng: Random, plan: _Plan) -> Broken:
    document = json.loads(site.batsim(plan.jobs))
    if rng.random() < 0.3:
        del document["nb_res"]
    else:
        document["nb_res"] = rng.choice([64, 2**31, 64])
    for _ in plan.garbage:
        document["jobs"].append(rng.choice([5, "x", None, {}, {"id": 5}]))
    sound = _truths(plan, names=False, starts=False, origin=site.EPOCH)
    return Broken(
        "batsim.json", json.dumps(document).encode(), len(document["jobs"]), sound,
        f"batsim: {', '.join(plan.words)}", origin=0, tells_starts=False, tells_names=False, pause=plan.pause,
    )  # fmt: skip


def _swf(rng: Random, plan: _Plan) -> Broken:
    """Nothing of SWF is set aside: what is no line of it is refused, and is not written here."""
    first = min(job.eligible for job in plan.jobs)
    rows = [
        f"{job.id} {job.eligible - first} {job.start - job.eligible} {job.end - job.start} {job.cpus} -1 -1 "
        f"{job.cpus} {job.limit} -1 1 1 1 1 1 1 -1 -1\n"
        for job in plan.jobs
        if job.cpus < 2**40 and job.submit - first < 2**40
    ]
    procs = rng.choice([64, 2**31, 10**12])
    head = f"; MaxProcs: {procs}\n; UnixStartTime: {first}\n"
    sound = {number: job for number, job in _truths(plan, names=False).items() if job[3] <= procs}
    return Broken(
        "log.swf", (head + "".join(rows)).encode(), len(rows), sound, f"swf: {', '.join(plan.words)}",
        tells_names=False, pause=plan.pause,
    )  # fmt: skip
