"""Records and tables of every reader, some lines broken in known ways, or any bytes at random: no traceback, no
record lost or changed without a remark, no machine or log sized by one absurd cell in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import polars as pl  # noqa: TID253

from packwise.clusters.finding import find_cluster
from packwise.energy.scenario_file import read_scenario
from packwise.energy.series_file import read_series
from packwise.files.csv_table import read_csv_table
from packwise.files.hostlists import hosts
from packwise.model.errors import PackwiseError
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from tests.attack.broken_records import Broken, broken
from tests.workloads.records import site
from tests.workloads.records.fuzzing import hold
from tests.workloads.records.mutations import mutated, samples

#: A message is for people.
_LONGEST = 10_000
#: A machine beyond so many times what all jobs together asked for was sized by a slip.
_TIMES = 1_000

_CONF = (
    "ClusterName=lab\nNodeName=DEFAULT CPUs=12 RealMemory=48000\nNodeName=n[1-4] Feature=IB,CPU-N\n"
    "NodeName=m[01-02] CPUs=32 Gres=gpu:tesla:2(S:0-1),mic:1 Weight=2\n"
    "SchedulerParameters=bf_window=2880,bf_interval=7\nPriorityWeightAge=1000 PriorityMaxAge=7-0\n"
    "PartitionName=batch Nodes=n[1-4],m[01-02] Default=YES MaxTime=2-00:00:00\nPartitionName=all Nodes=ALL\n"
)
_CLUSTER = (
    'name = "lab"\n[[group]]\nname = "thin"\ncount = 32\ncores = 16\nmemory = "16 GB"\n'
    '[[partition]]\nname = "batch"\nnumber = 1\ngroups = ["thin"]\n'
    '[[outage]]\nnodes = ["thin-[1-4]"]\nfrom = "1d"\nuntil = "36h"\n'
)
_ENERGY = (
    'name = "site"\nzone = "Europe/Paris"\n[price]\nunit = "EUR/MWh"\nvalue = 50\n[carbon]\nunit = "g/kWh"\n'
    "hours = [" + ", ".join(map(str, range(24))) + "]\n[jobs]\nwatts_per_core = [7.8, 11.11]\n"
    '[sleep]\nafter = "10m"\nboot_time = 120\nwatts_per_core = 0.5\n'
)
_SERIES = '"Datetime (UTC)","Zone","Carbon intensity gCO2eq/kWh"\n' + "".join(
    f'"2024-01-01 {hour:02}:00:00","FR, ""N""",{30 + hour}.5\n' for hour in range(24)
)
_NODES = "name,cores,memory,gpus\n" + "".join(f"n{k},16,{1000 * k},0\n" for k in range(1, 9))
_SWF = "; MaxProcs: 64\n; UnixStartTime: 1700000000\n; Queue: 1 batch\n" + "".join(
    f"{k} {60 * k} 5 {30 * k} {k} -1 -1 {k} {40 * k} -1 1 {k % 3} 1 1 1 1 -1 -1\n"
    for k in range(1, 13)
)

#: A sound file of each kind, by its name, and who reads it.
_OTHERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "slurm.conf": (_CONF, lambda path: find_cluster(str(path))),
    "cluster.toml": (_CLUSTER, lambda path: find_cluster(str(path))),
    "nodes.csv": (_NODES, lambda path: find_cluster(str(path))),
    "energy.toml": (_ENERGY, read_scenario),
    "series.csv": (_SERIES, lambda path: read_series(path, "carbon")),
    "log.swf": (_SWF, lambda path: load_trace(path, None, Window())),
    "hosts.txt": (
        "n[001-016,20],gpu1,r[1-2]c[1-4]",
        lambda path: hosts(path.read_text(errors="replace")),
    ),
}


def case(seed: int, folder: Path) -> list[str]:
    rng = Random(seed)
    kinds = (
        _broken_records, _damaged_records, _damaged_others, _quotes_in_tables, _folded_lines, _damaged_parquet,
    )  # fmt: skip
    (kind,) = rng.choices(kinds, (60, 40, 40, 10, 10, 0.5))
    return kind(rng, folder)


def _broken_records(rng: Random, folder: Path) -> list[str]:
    """Known jobs with known faults, against what comes of them."""
    given = broken(rng)
    path = folder / given.name
    path.write_bytes(given.content)
    window = Window(mapping=given.mapping)
    try:
        trace = load_trace(path, None, window)
    except PackwiseError as error:
        return _long(error) or [f"{given.what}: refused: {error}"]
    remarks = trace.remarks()
    assert trace.cleaning is not None
    facts = trace.cleaning.facts()
    lines = facts.get("lines", {})
    counted = sum(count for reason, count in lines.items() if reason not in given.besides)
    found = facts.get("records", facts.get("jobs_read")) + counted
    faults = []
    if found != given.written:
        faults.append(f"{given.what}: {given.written} written, {found} read or counted: {remarks}")
    jobs = trace.workload
    there = {
        int(jobs.id[k]): (
            int(jobs.submit[k]) + given.origin * jobs.start_time,
            int(jobs.extra["wait"][k]) if given.tells_starts else None,
            int(jobs.runtime[k]),
            int(jobs.demand[k]),
            jobs.name_of("app", jobs.app[k]) if given.tells_names else None,
        )
        for k in range(len(jobs))
    }
    for number, job in given.sound.items():
        if there.get(number) != job:
            faults.append(f"{given.what}: job {number} was {job}, became {there.get(number)}")
    return [*faults, *_unsaid(given, trace.cluster.procs, remarks)]


def _unsaid(given: Broken, procs: int, remarks: list[str]) -> list[str]:
    """What is out of proportion without a remark."""
    text = "\n".join(remarks)
    asked = sum(job[3] for job in given.sound.values())
    faults = []
    if procs > _TIMES * asked and "proportion" not in text:
        faults.append(f"{given.what}: a machine of {procs}, though all ask for {asked}: {text}")
    if given.pause and "years between" not in text:
        faults.append(f"{given.what}: centuries between two jobs without a remark: {text}")
    return faults


def _damaged_records(rng: Random, folder: Path) -> list[str]:
    name, content = rng.choice(list(samples().items()))
    hold(folder / name, mutated(rng, content))
    return []


def _damaged_others(rng: Random, folder: Path) -> list[str]:
    name, (text, read) = rng.choice(list(_OTHERS.items()))
    path = folder / name
    path.write_bytes(mutated(rng, text.encode()))
    try:
        read(path)
    except PackwiseError as error:
        return _long(error)
    except ValueError as error:
        if name != "hosts.txt":
            raise
        return _long(error)
    return []


def _damaged_parquet(rng: Random, folder: Path) -> list[str]:
    """Rare: each is read by a process of its own first."""
    path = folder / "table.parquet"
    text = samples()["table.csv"].decode().replace('"', "").splitlines()
    rows = [line.split(";") for line in text]
    pl.DataFrame(rows[1:], schema=rows[0], orient="row").write_parquet(path)
    path.write_bytes(mutated(rng, path.read_bytes()))
    try:
        load_trace(path, None, Window(mapping=site.MAP))
    except PackwiseError as error:
        return _long(error)
    return []


def _long(error: Exception) -> list[str]:
    size = len(str(error))
    return [f"a message of {size:,} characters: {str(error)[:200]}"] if size > _LONGEST else []


def _quotes_in_tables(rng: Random, folder: Path) -> list[str]:
    """A table with quotes that nobody meant is refused, or all of its rows are there."""
    count = rng.randrange(2, 30)
    marked = rng.sample(range(count), rng.randrange(1, 3))
    names = [rng.choice(["a", "b c", "x1"]) for _ in range(count)]
    for k in marked:
        names[k] = rng.choice([f'"{names[k]}', f'{names[k]}"', f'"{names[k]}"', f'"{names[k]}"x'])
    path = folder / "table.csv"
    rows = "".join(f"{k},{name},{k % 7 + 1}\n" for k, name in enumerate(names))
    path.write_text("group,name,cores\n" + rows)
    try:
        found = len(read_csv_table(path)), find_cluster(str(path)).nodes
    except PackwiseError as error:
        return _long(error)
    return [] if found == (count, count) else [f"{found} of {count} rows: {rows!r}"]


def _folded_lines(rng: Random, folder: Path) -> list[str]:
    """A slurm.conf says the same when its lines go on, wherever they are broken."""
    path = folder / "slurm.conf"
    path.write_text(_CONF)
    plain = find_cluster(str(path))
    places = rng.sample(range(1, len(_CONF)), rng.randrange(1, 8))
    text = _CONF
    for place in sorted((at for at in places if _CONF[at] != "\n"), reverse=True):
        text = text[:place] + "\\" + rng.choice(["", " ", " # and so on"]) + "\n" + text[place:]
    path.write_text(text)
    folded = find_cluster(str(path))
    return [] if folded == plain else [f"{text!r} says {folded}, not {plain}"]
