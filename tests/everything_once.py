"""Every policy, estimate and kind of machine once, replayed and asked round by round; every command.

Not collected by itself: ``test_warm_up.py`` runs it in a process of its own. It prints the functions of
Packwise that are compiled meanwhile.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType

from typer.testing import CliRunner

from packwise import Cluster, PackwiseError, Workload, contract, simulate
from packwise.adapters.slurm import commands
from packwise.cli.app import app
from packwise.compiled.told import listen
from packwise.energy.finding import find_energy
from packwise.model.cluster import NodeGroup, Outage
from packwise.model.energy.series import Constant
from packwise.model.energy.sleep import SleepState
from packwise.predict.catalogue import PREDICTORS
from packwise.registry import POLICIES, policy
from packwise.workloads.lublin import generate
from packwise.workloads.swf import write_swf
from tests.adapters.fake_slurm import FakeJob, FakeSlurm
from tests.at_home import working_at_home

JOBS = Workload.of([(0, 2, 9, 9), (1, 3, 5, 7), (1, 1, 20, 20), (2, 2, 4, 4), (30, 4, 2, 2)])
JOBS = JOBS.replace(start_time=1_700_000_000)
POOL = Cluster.pool(4)
NODES = Cluster("nodes", (NodeGroup("cpu", 2, {"cores": 2}),))
MARKET = find_energy("market")
demo_module = import_module("packwise.cli.demo")
SLEEPS = replace(MARKET, idle_watts=4.0, sleep=SleepState(5, 1.0, 2, 6.0, 1))
CAPPED = replace(MARKET, cap=Constant(10_000.0, "W"))
MACHINES = (
    POOL,
    replace(POOL, energy=SLEEPS),
    replace(POOL, energy=CAPPED),
    NODES,
    replace(NODES, outages=(Outage((0,), 1, 3),), energy=SLEEPS),
)
BESIDES = (
    "packwise(objective=AF)",
    "packwise(energy=0.3)",
    "packwise(power_cap=scenario)",
    "easy(power_cap=scenario)",
    "list(order=saf,depth=4)",
    "recorded-order",
)


def say(function: FunctionType) -> None:
    if function.__module__.startswith("packwise."):
        print(f"{function.__module__}:{function.__name__}")


def replays() -> int:
    """How many there were."""
    solver = importlib.util.find_spec("ortools") is not None
    named = [one for one in POLICIES.values() if solver or not getattr(one, "packages", ())]
    pairs = [(one, "requested") for one in (*named, *map(policy, BESIDES))]
    pairs += [("easy", name) for name in PREDICTORS]
    pairs += [("easy", f"{name}(corrector=conditional)") for name in PREDICTORS]
    done = 0
    for machine, (one, believed), stepped in product(MACHINES, pairs, (False, True)):
        with suppress(PackwiseError):  # not every policy is for every machine
            simulate(JOBS, machine, one, believed, reject_too_large=True, stepped=stepped)
            done += 1
    return done


def run(*words: object) -> None:
    done = CliRunner().invoke(app, [str(word) for word in words], prog_name="packwise")
    assert done.exit_code == 0, (words, done.output, done.exception)
    assert "Compiling" not in done.stderr, (words, done.stderr)


def all_commands(folder: Path) -> None:
    log, plan, out = folder / "log.swf.gz", folder / "plan.csv", folder / "out.csv"
    write_swf(log, generate(60, 16, 5, load=1.2).replace(start_time=1_700_000_000), procs=16)
    run("replay", log, "--fairness", "--output", plan)
    run("compare", log, "--metrics", "all")
    run("compare", log, "-p", "easy,packwise,cbf,dbf", "--energy", "market")
    run("whatif", log, "--policy", "packwise")
    run("predict", log)
    for name in ("easy", "packwise"):
        run("explain", log, "--at", "2h", "--policy", name)
    run("solve", log, "--budget", "1e3")
    run("plan", log, "--scenario", "summer-air", "--budget", "100")
    run("policies", "--check", "easy")
    run("metrics", plan, "--fairness")
    run("check", plan)
    run("energy", plan, "--scenario", "market")
    run("report", log, "--store", folder / "store", "--output", folder / "report.html")
    run("demo", "--output", folder / "demo")
    run("workload", "generate", out, "--cluster", "eurora", "--jobs", 30, "--load", 1.0)
    run("compare", out, "--cluster", "eurora", "-p", "easy,packwise,cbf")
    fake = FakeSlurm()
    fake.now = int(time.time())
    fake.submit(*(FakeJob(str(k), base=1000 - k) for k in range(1, 6)))
    commands.subprocess = fake.as_subprocess()
    run("slurm", "advise", "--once", "--json", "--state", folder / "state")


if __name__ == "__main__":
    listen(say, lambda function: None)
    count = replays()
    # Fewer jobs compile as much, and what workers of their own compile would not be heard.
    demo_module.JOBS = 200
    contract.check_policy = partial(contract.check_policy, jobs=9)
    with TemporaryDirectory() as place, working_at_home():
        all_commands(Path(place))
    print(f"{count} replays", file=sys.stderr)
