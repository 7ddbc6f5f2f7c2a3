"""packwise policies: which there are, what one does, and whether one keeps its contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options.arguments import Json
from packwise.cli.terminal.failures import INFEASIBLE

if TYPE_CHECKING:
    from packwise.model.decision import Policy
    from packwise.predict import Predictor

_SYNTAX = (
    ("order", "how the queue is sorted: an order, or two, the second for ties (laf/ljf)"),
    ("option", "a job that does not fit: strict (stop), greedy (skip), backfill (reserve)"),
    ("depth", "how many waiting jobs get a reservation: 0, 1 (EASY), ..., unlimited"),
    ("backfill", "the order in which candidates for backfilling are tried"),
    ("threshold", "a job that waited longer goes first: seconds, or 12h, 1d"),
    ("cap", "how many jobs of the queue a round looks at"),
)


def policies(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="Explain this policy or estimate only.", show_default=False
        ),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            "--check",
            metavar="NAME",
            help="Test a policy, such as my.py:mine, against the contract; exit status 1 if it "
            "breaks it.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the policies, orders and estimates; explain one; or test your own.

    Examples:
      $ packwise policies
      $ packwise policies easy-sjbf
      $ packwise policies last2
      $ packwise policies --check my.py:mine
    """
    if check is not None:
        _check(check, json)
    elif name is not None:
        _explain(name, json)
    else:
        _list(json)


def _check(name: str, json: bool) -> None:
    from packwise import registry
    from packwise.cli.terminal import print_json, stdout
    from packwise.contract import check_policy

    policy = registry.policy(name)
    report = check_policy(policy)
    if json:
        facts = {"policy": report.policy, "scenarios": report.scenarios, "ok": report.ok}
        print_json({**facts, "problems": list(report.problems)})
    elif report.ok:
        stdout().print(
            f"{report.policy}: [bold green]keeps its contract[/] in {report.scenarios} scenarios"
        )
    else:
        console = stdout()
        count = f"{len(report.problems)} problem(s) in {report.scenarios} scenarios"
        console.print(f"{report.policy}: [bold red]breaks its contract[/], {count}")
        for problem in report.problems:
            console.print(f"  {problem}", markup=False, soft_wrap=True)
    if not report.ok:
        raise typer.Exit(INFEASIBLE)


def _facts(policy: Policy) -> dict[str, Any]:
    from packwise.policies.catalogue import ALIASES
    from packwise.registry import meaning

    return {
        "name": policy.name,
        "meaning": meaning(policy),
        "source": getattr(policy, "source", ""),
        "aliases": [alias for alias, meant in ALIASES.items() if meant == policy.name],
    }


def _parameters(policy: Policy) -> dict[str, str]:
    from packwise.policies.list_scheduling import ListPolicy

    if not isinstance(policy, ListPolicy):
        return {}

    def pair(first: str, second: str) -> str:
        return first if second == "fcfs" else f"{first}/{second}"

    backfill = policy.backfill_order
    given: dict[str, Any] = {
        "order": pair(policy.order.name, policy.tie.name),
        "option": policy.option,
        "depth": ("unlimited" if policy.depth is None else policy.depth)
        if policy.option == "backfill"
        else None,
        "backfill": backfill and pair(backfill.name, policy.backfill_tie.name),
        "threshold": policy.threshold,
        "cap": policy.cap,
        "power_cap": policy.power_cap,
    }
    return {key: str(value) for key, value in given.items() if value is not None}


def _estimate_facts(estimate: Predictor) -> dict[str, Any]:
    from packwise.predict.catalogue import PREDICTORS, meaning

    like = (one for one in PREDICTORS.values() if isinstance(one.make(), type(estimate)))
    parameters = getattr(estimate, "parameters", tuple)
    return {
        "name": estimate.name,
        "meaning": meaning(estimate),
        "source": next(like).source,
        "parameters": list(parameters()),
    }


def _explain(name: str, json: bool) -> None:
    import shlex

    from packwise.cli.terminal import print_json
    from packwise.registry import Parametrised

    found = _named(name)
    if hasattr(found, "decide"):
        facts, settings = _facts(found), _parameters(found)
        own = dict(found.parameters) if isinstance(found, Parametrised) else {}
        facts["parameters"] = settings or own
        rows = {
            "meaning": facts["meaning"],
            "paper": facts["source"],
            "also called": ", ".join(facts["aliases"]),
            "the same as": f"list({','.join(f'{k}={v}' for k, v in settings.items())})"
            if settings
            else "",
            "parameters": "\n".join(f"{key}: {means}" for key, means in own.items()),
            "try": f"packwise replay log.swf --policy {shlex.quote(name)}",
        }
    else:
        facts = _estimate_facts(found)
        rows = {
            "meaning": facts["meaning"],
            "paper": facts["source"],
            "parameters": ", ".join(facts["parameters"]),
            "try": f"packwise predict log.swf --predictors '{name}'",
        }
    if json:
        print_json(facts)
    else:
        _print_rows(facts["name"], rows)


def _named(name: str) -> Any:
    """The policy of that name, or else the estimate."""
    from packwise import registry
    from packwise.model.errors import UnknownName
    from packwise.policies.catalogue import ALIASES
    from packwise.predict.catalogue import PREDICTORS, predictor

    for find in (registry.policy, predictor):
        try:
            return find(name)
        except UnknownName as error:
            if error.name != name:  # of a parameter: the name itself is known
                raise
    raise UnknownName(
        "policy or estimate",
        name,
        [*registry.POLICIES, *registry.HISTORY, *ALIASES, *PREDICTORS],
        remedy="`packwise policies` lists them all.",
    )


def _print_rows(title: str, rows: dict[str, str]) -> None:
    from rich.table import Table

    from packwise.cli.terminal import stdout

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for key, value in rows.items():
        if value:
            grid.add_row(key, value)
    console = stdout()
    console.print(title, style="bold", markup=False)
    console.print(grid, markup=False)


def _list(json: bool) -> None:
    from packwise.cli.terminal import print_json, stdout, table
    from packwise.model.energy.cap import MEANING
    from packwise.policies.orders import ORDERS
    from packwise.predict.catalogue import PREDICTORS
    from packwise.predict.correctors import CORRECTORS
    from packwise.registry import HISTORY, POLICIES

    known = [*POLICIES.values(), *HISTORY.values()]
    if json:
        orders = {one.name: one.meaning for one in ORDERS.values()}
        facts = [_facts(policy) for policy in known]
        believed = [_estimate_facts(entry.make()) for entry in PREDICTORS.values()]
        print_json(
            {"policies": facts, "orders": orders, "estimates": believed, "correctors": CORRECTORS}
        )
        return
    console = stdout()
    rows = table("policy", "meaning", "paper", title="Policies (--policy)")
    for policy in known:
        facts_of = _facts(policy)
        also = f" (also {', '.join(facts_of['aliases'])})" if facts_of["aliases"] else ""
        rows.add_row(facts_of["name"], f"{facts_of['meaning']}{also}", facts_of["source"])
    orders_table = table("order", "who goes first", "paper", title="\nOrders")
    for one in ORDERS.values():
        orders_table.add_row(one.name, one.meaning, one.source)
    syntax = table("parameter", "meaning", title="\nA policy of your own choice")
    for parameter, meaning in (*_SYNTAX, ("power_cap", MEANING)):
        syntax.add_row(parameter, meaning)
    for part in (rows, orders_table, syntax):
        console.print(part)
    console.print(
        "For example: --policy 'list(order=saf,depth=4,backfill=sjf,threshold=1d)'\n"
        "Your own file: --policy my.py:mine, a class, a function of a view, or an order_key",
        style="dim",
        markup=False,
    )
    estimates = table("estimate", "meaning", "paper", title="\nEstimates (--estimate)")
    for estimate, entry in PREDICTORS.items():
        estimates.add_row(estimate, entry.meaning, entry.source)
    correctors = table(
        "corrector", "the new estimate of a job that outlives its own", title="\nCorrectors"
    )
    for corrector, meaning in CORRECTORS.items():
        correctors.add_row(corrector, meaning)
    console.print(estimates)
    console.print(correctors)
    console.print(
        "For example: --estimate exact*K, 'last2(corrector=steps)', 'sp-5%(update=submission)'\n"
        "Your own file: --estimate my.py:mine, with predict(job) and learn(job, runtime)",
        style="dim",
        markup=False,
    )
