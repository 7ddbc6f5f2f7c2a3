"""Write the reference pages that repeat what the code knows: metrics, policies, the command line.

    python scripts/generate_reference.py [--check]

The pages come from the catalogues and from the commands' help texts, so they cannot say anything
else. With --check nothing is written; exit status 1 if a page is out of date. A test compares too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

PAGES = Path(__file__).resolve().parents[1] / "docs" / "reference"
MARK = "<!-- Written by scripts/generate_reference.py; do not edit by hand. -->"


def main() -> None:
    stale = []
    for name, text in pages().items():
        path = PAGES / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv[1:]:
                path.write_text(text, encoding="utf-8")
    if "--check" in sys.argv[1:] and stale:
        sys.exit(f"out of date: {', '.join(stale)}. Run python scripts/generate_reference.py")
    print(f"changed: {', '.join(stale)}" if stale else "up to date")


def pages() -> dict[str, str]:
    """Each generated page by its file name."""
    return {
        "metrics.md": _page(metrics_page()),
        "policies.md": _page(policies_page()),
        "cli.md": _page(cli_page()),
    }


def _page(lines: Iterator[str]) -> str:
    title, *rest = lines
    return "\n".join([title, "", MARK, *rest]).rstrip() + "\n"


def cell(text: object) -> str:
    """Text that can stand in a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def row(*cells: object) -> str:
    return f"| {' | '.join(map(cell, cells))} |"


def header(*cells: str) -> Iterator[str]:
    yield ""
    yield row(*cells)
    yield f"|{'---|' * len(cells)}"


def metrics_page() -> Iterator[str]:
    from packwise.metrics import METRICS
    from packwise.metrics.catalogue import FAIRNESS_METRICS

    yield "# Metrics"
    yield """
Every metric is computed from the workload, the cluster and the schedule, never from what an engine
counted. Only jobs that ran are measured. Names work in any case, on the command line (`--metrics`)
and in Python (`packwise.summarize`).

No single number is the truth. BSLD and AF count jobs, so they reward policies that put small jobs
first. AWF counts computation, so it shows packing. P2SF shows packing and fairness together. Look
at all three before you decide.

In the formulas: D run time, Q wait, F = Q + D response time, r processors of the job, b start,
c end, s submission, d deadline, L limit, n number of jobs, R processors of the machine. Sums are over
jobs.

Some metrics need more than starts and ends: estimates, jobs with deadlines (`--deadlines`), or a policy that
promises starts. Where that is not there they are left out, and asking for one by name is an error. The mean of
a class without jobs is not a number: a dash in tables, null in JSON, an empty cell in CSV.

`packwise compare --drop-unaffected` measures without the jobs that have no deadline and start at once under
all runs (N'Takpé and Suter, JSSPP 2017, section 6.3). `--trim` of `metrics`, `compare` and `report` leaves
out the jobs of each run that end first or last: `last` are those that end when the last one does (the tables
of Goponenko et al., SBAC-PAD 2022), `1%` the 1 % that end first and the 1 % that end last, `1%:arrivals` the
1 % that end first and those that end after the last submission (Tsafrir, Etsion and Feitelson, IEEE TPDS
2007). Metrics of jobs are then about the others; those marked "always of all jobs" below do not change."""
    yield from header("metric", "what it is", "unit", "better")
    for one in METRICS.values():
        link = f"[`{one.name}`](#{anchor(one.name)})"
        yield row(link, one.title, one.unit or "ratio", one.better)
    yield """
## Metrics with a number in the name

| write | for |
|---|---|
| `P1.5SF` | priority-weighted specific response time of any level α |
| `BSLD(60)` | bounded slowdown with another bound, in seconds |
| `lp_norm(3)` | another norm of the response times |
| `wait_p95`, `BSLD_p75` | any percentile |

`packwise metrics --describe NAME` explains any of them on the terminal. `mine.py:fairness` is one of your own:
see [Add a metric](../howto/add-a-metric.md)."""
    yield "\n## One by one"
    for one in METRICS.values():
        yield f"\n### {one.name}\n"
        yield f"**{one.title}.** {one.meaning}\n"
        yield f"```text\n{one.formula}\n```\n"
        yield f"- Unit: {one.unit_words}. Better: {one.better}."
        if one in FAIRNESS_METRICS:
            yield "- Only when asked for: by name, or with `--fairness`."
        elif one.costly:
            yield "- Only when asked for by name."
        for needed, words in (
            (one.of_deadlines, "Only for workloads with deadlines."),
            (one.of_promises, "Only for policies that promise starts."),
            (one.of_all_jobs, "Always of all jobs."),
        ):
            if needed:
                yield f"- {words}"
        yield f"- Source: {one.paper}."


def anchor(heading: str) -> str:
    """What the site calls a heading."""
    return heading.lower().replace(" ", "-")


def policies_page() -> Iterator[str]:
    from packwise.cli.policies import _SYNTAX
    from packwise.model.slurm_settings import SETTINGS
    from packwise.optimise.catalogue import OPTIMISERS
    from packwise.policies.catalogue import ALIASES, ASKED
    from packwise.policies.list_scheduling import ListPolicy
    from packwise.policies.orders import ORDERS
    from packwise.policies.slurm import SlurmPolicy
    from packwise.registry import HISTORY, POLICIES

    yield "# Policies"
    yield f"""
There are {len(POLICIES)} named policies. Most are points of one family: an order, an option, a number of
reservations. `packwise policies` lists them on the terminal, `packwise policies NAME`
explains one. [What happens at one moment](../semantics.md) says exactly what each does.

r is the number of processors that a job asks for, E the estimate of its run time, s its submission
counted from the first one of the log."""
    families = {
        "First come, first served": lambda p: p.name in ("fcfs", "easy", "fcfs-aggressive"),
        "Optimising": lambda p: p.name in OPTIMISERS,
        "Slurm's own scheduler": lambda p: isinstance(p, SlurmPolicy),
        "Backfilling that may delay others within bounds": lambda p: p.name in ASKED,
        "Conservative backfilling": lambda p: not isinstance(p, ListPolicy),
        "A reservation for every job (List-X, JustBF)": lambda p: p.name.startswith("list-"),
        "EASY with another backfill order": lambda p: p.name.startswith("easy-"),
        "EASY with another queue order": lambda p: p.name.endswith("-easy"),
        "No reservations (aggressive)": lambda p: p.name.endswith("-aggressive"),
    }
    left = dict(POLICIES)
    for title, belongs in families.items():
        members = [one for one in left.values() if belongs(one)]
        yield f"\n## {title}"
        yield from header("policy", "meaning", "also called", "source")
        for one in members:
            del left[one.name]
            also = ", ".join(f"`{a}`" for a, meant in ALIASES.items() if meant == one.name)
            yield row(f"`{one.name}`", one.meaning, also, one.source)
    assert not left, f"policies without a family: {', '.join(left)}"
    yield """
## What really happened

Where a log tells when its jobs started, that stands beside replays under these names."""
    yield from header("policy", "meaning")
    for one in HISTORY.values():
        yield row(f"`{one.name}`", one.meaning)
    yield """
## Settings of slurm

They are read from `slurm.conf`, and can be given with the name, `slurm(bf_window=4320)`, or with
`packwise whatif --set bf_window=4320`. Cases of letters do not count."""
    yield from header("setting", "meaning", "default")
    for setting in SETTINGS.values():
        default = setting.default
        if setting.kind == "duration" and isinstance(default, int):
            default = f"{default // 86400} days" if default >= 86400 else f"{default // 60} minutes"
        yield row(
            f"`{setting.name}`", setting.meaning, "NO" if setting.kind == "choice" else str(default)
        )
    yield """
## Orders

The job with the smallest key goes first. Ties keep submission order, unless a second order is
given."""
    yield from header("order", "who goes first", "sorted", "source")
    for order in ORDERS.values():
        when = "anew at each round" if order.changing else "once, at submission"
        yield row(f"`{order.name}`", order.meaning, when, order.source)
    yield """
## A policy in parentheses

Any name of the family takes parameters; `list` is the family without any. Quote it, because shells
treat parentheses as their own.

<!-- not run: log.swf stands for your file -->
```console
$ packwise replay log.swf --policy 'list(order=saf,depth=4,backfill=sjf,threshold=1d)'
```"""
    yield from header("parameter", "meaning")
    for name, meaning in _SYNTAX:
        yield row(f"`{name}`", meaning)
    yield """
The policies that delay within bounds and the optimising ones take parameters of their own:
"""
    yield from header("policy", "parameter", "meaning")
    for one in (*ASKED.values(), *OPTIMISERS.values()):
        for name, meaning in one.parameters.items():
            yield row(f"`{one.name}`", f"`{name}`", meaning)
    yield """
`my.py:mine` names a policy of your own: see [Add a policy](../howto/add-a-policy.md)."""


def cli_page() -> Iterator[str]:
    import typer.main

    from packwise.cli.app import app
    from packwise.cli.terminal.failures import EXIT_STATUS

    root: Any = typer.main.get_command(app)
    yield "# Command line"
    yield f"""
What `packwise COMMAND --help` says, in one page. `log.swf` and the like stand for your files.

{EXIT_STATUS} [Errors and exit statuses](errors.md) has examples.
"""
    commands = list(_commands("packwise", root))
    yield from header("command", "what it does")
    for name, command in commands:
        link = anchor(name)
        yield row(f"[`{name}`](#{link})", _words(command.help)[0].splitlines()[0])
    for name, command in commands:
        yield f"\n## {name}\n"
        yield from _command(name, command)


def _commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    for part, child in getattr(command, "commands", {}).items():
        if getattr(child, "commands", None):
            yield from _commands(f"{name} {part}", child)
        elif not child.hidden:
            yield f"{name} {part}", child


def _words(help_text: str) -> tuple[str, list[str]]:
    """A help text without its examples, and the examples."""
    text, _, examples = help_text.partition("Example")
    found: list[str] = []
    for line in filter(None, map(str.strip, examples.splitlines()[1:])):
        if line.startswith("$"):
            found.append(line)
        else:
            found[-1] += f" {line}"
    return text.strip(), found


def _command(name: str, command: Any) -> Iterator[str]:
    text, examples = _words(command.help)
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    names = " ".join(one.metavar or one.name.upper() for one in arguments)
    yield f"{text}\n"
    yield f"```text\n{name} [OPTIONS] {names}".rstrip() + "\n```"
    if examples:
        yield "\n<!-- not run: the files stand for yours -->"
        yield "\n".join(["```console", *examples, "```"])
    if arguments:
        yield from header("argument", "meaning")
        for one in arguments:
            yield row(f"`{one.metavar or one.name.upper()}`", one.help)
    panels = dict.fromkeys(one.rich_help_panel for one in options)
    for panel in panels:
        yield from header(panel.lower() if panel else "option", "meaning", "default")
        for one in options:
            if one.rich_help_panel == panel:
                yield row(_option(one), one.help, _default(one))


def _option(option: Any) -> str:
    value = (
        "" if option.is_flag else f" {option.metavar or _choices(option) or option.name.upper()}"
    )
    *short, last = sorted(option.opts, key=len)
    return ", ".join([*(f"`{flag}`" for flag in short), f"`{last}{value}`"])


def _choices(option: Any) -> str:
    """'user|size|runtime' for an option with a few possible values."""
    # typer 0.29 describes its types itself; earlier ones leave that to click.
    kind = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(member.value for member in kind)
    return "|".join(getattr(getattr(option, "type", None), "choices", ()))


def _default(option: Any) -> str:
    if option.is_flag or option.default is None:
        return ""
    return f"`{getattr(option.default, 'value', option.default)}`"


if __name__ == "__main__":
    main()
