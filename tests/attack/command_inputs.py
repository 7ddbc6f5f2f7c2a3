"""Files that command lines read, as small as they can be, and a store with the results of a study."""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

_JOBS = [(n, 40 * n, 30 + 97 * n % 600, 1 + 3 * n % 7) for n in range(1, 13)]
#: id submit wait run procs ... requested procs and time ... user
_SWF = "".join(
    f"{n} {at} {5 * n} {run} {wide} -1 -1 {wide} {2 * run} -1 1 {n % 3} 1 -1 1 -1 -1 -1\n"
    for n, at, run, wide in _JOBS
)
_HOURS = "".join(f"1970-01-{d:02}T{h:02}:00Z,{d + h}\n" for d in range(1, 9) for h in range(24))
_FILES = {
    "log.swf": f"; MaxProcs: 8\n; UnixStartTime: 0\n{_SWF}",
    "ran.swf": f"; MaxProcs: 64\n{_SWF}",
    "due.csv": "job_id,deadline\n1,100000\n",
    "nodes.csv": "name,cores\na,4\nb,4\n",
    "site.toml": '[[group]]\nname = "cpu"\ncount = 2\ncores = 4\n',
    "slurm.conf": "ClusterName=c\nInclude included.conf\n",
    "included.conf": "NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=ALL\n",
    "prices.csv": f"time,price\n{_HOURS}",
    "power.toml": '[price]\nunit = "EUR/MWh"\nfile = "prices.csv"\ncolumn = "price"\ntime = "time"\n'
    "[jobs]\nwatts_per_core = 10\n[revenue]\nper_core_hour = 0.1\n",
    "my.py": "from packwise.model import Decision\n\n\ndef mine(view):\n"
    "    fits = [j for j in view.queue if view.demand[j] <= view.free][:1]\n    return Decision(fits)\n",
    "own.py": "class Own:\n    name = 'own'\n    def predict(self, job):\n        return job.limit\n",
    "metric.py": "def spread(jobs):\n    return float(jobs.wait.std())\n",
    "published.csv": "metric,policy,trace,estimate,value\nBSLD,easy,log,requested,1\n",
    "study.toml": 'policies = ["easy", "my.py:mine"]\nmetrics = ["BSLD", "metric.py:spread"]\n'
    'store = "store"\n[[machine]]\ncluster = "slurm.conf"\nenergy = "power.toml"\n'
    '[[workload]]\nfile = "log.swf"\ndeadlines = "column(file=due.csv)"\n',
}
_OF_STUDY = (
    "study.toml", "log.swf", "slurm.conf", "included.conf", "power.toml", "prices.csv", "due.csv",
    "my.py", "metric.py", "store/store.json", "store/index.parquet",
)  # fmt: skip
_CLUSTER = {
    "nodes.csv": ("nodes.csv",),
    "site.toml": ("site.toml",),
    "slurm.conf": ("slurm.conf", "included.conf"),
}
_POWER = {"power.toml": ("power.toml", "prices.csv")}
_LOG, _RAN = {"log.swf": ("log.swf",)}, {"ran.swf": ("ran.swf",)}
_POLICY, _PREDICTOR = {"my.py:mine": ("my.py",)}, {"own.py:Own": ("own.py",)}
_METRIC = {"metric.py:spread": ("metric.py",)}
_STUDY = {"study.toml": _OF_STUDY}

#: Parameter: what may be given for it, and the files that are read then.
READS: dict[str, dict[str, tuple[str, ...]]] = {
    "trace": _LOG,
    "what": {**_LOG, **_STUDY},
    "schedule": _RAN,
    "cluster": _CLUSTER,
    "energy": _POWER,
    "scenario": _POWER,
    "deadlines": {"column(file=due.csv)": ("due.csv",)},
    "policy": _POLICY,
    "policies": {"easy,my.py:mine": ("my.py",)},
    "estimate": _PREDICTOR,
    "estimates": {"requested,own.py:Own": ("own.py",)},
    "predictors": _PREDICTOR,
    "metric": _METRIC,
    "metrics": _METRIC,
    "study": _STUDY,
    "where": {**_STUDY, "store": ("store/store.json", "store/index.parquet", "store/results/new")},
    "published": {"published.csv": ("published.csv",)},
}
#: Parameters that are paths and have no place in READS: where results go, and what is a case of its own.
WRITES = ("output", "plot", "csv", "latex", "markdown", "queue", "movable", "figures")
OTHER_PATHS = ("store", "traces", "resume")


def make_inputs(folder: Path) -> None:
    shutil.copytree(_made(), folder, dirs_exist_ok=True)


@cache
def _made() -> Path:
    """Once in a process."""
    from packwise.experiments.execution import make_plan, run_plan
    from packwise.experiments.scenario import Scenario
    from packwise.experiments.store import Store
    from packwise.experiments.study_file import read_study
    from packwise.experiments.work import Done, Failed
    from tests.experiments.conftest import InProcess

    folder = Path(mkdtemp(prefix="packwise-attack-inputs-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, text in _FILES.items():
        (folder / name).write_text(text)
    study = read_study(folder / "study.toml")
    store = Store.open(folder / "store", create=True)
    failed: list[str] = []

    def hear(_: Scenario, done: Done | Failed) -> None:
        if isinstance(done, Failed):
            failed.append(str(done.record["message"]))

    run_plan(make_plan(study, store), store, InProcess(), hear, lambda _: None)
    assert not failed, failed
    store.frame()
    return folder
