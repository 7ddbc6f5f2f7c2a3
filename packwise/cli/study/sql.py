"""packwise study sql: questions to a store."""

from __future__ import annotations

import re
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options.arguments import Json
from packwise.cli.study.options import StoreFolder, TraceFolders, open_study

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

_ROWS = 100
#: Functions of Polars that read files.
_READS = re.compile(r"((?:read|scan)_\w+)", re.IGNORECASE)
#: What may stand between two words.
_GAP = r"(?:\s|--[^\n]*\n|/\*.*?\*/)*"
#: Any function in the place of a table but unnest, for those that Polars may get.
_FROM_FUNCTION = re.compile(
    rf"\b(?:from|join)\b{_GAP}[\"`\[]?(?!unnest\b)(\w+)[\"`\]]?{_GAP}\({_GAP}['\[]",
    re.IGNORECASE | re.DOTALL,
)
#: What comes before a FROM that has no table behind it: extract(year from date('2020-01-01')).
_OTHER_FROM = re.compile(r"(?:extract|overlay|substring|trim)\s*\([^()]*$", re.IGNORECASE)
_FILTERED = (
    "metrics in 'results' are without the jobs that the study leaves out (drop_unaffected, trim; 'left_out' "
    "counts them, and is null where a result is missing that tells which); 'jobs' has all jobs"
)


def sql(
    where: Annotated[
        Path,
        typer.Argument(
            metavar="STUDY", help="A study file, or the folder of a store.", show_default=False
        ),
    ],
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="[QUERY]", help="SQL; without it, the tables and columns.", show_default=False
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write all rows of the answer as CSV.", show_default=False),
    ] = None,
    store: StoreFolder = None,
    traces: TraceFolders = None,
    json: Json = False,
) -> None:
    """Ask the store with SQL (the dialect of Polars).

    Two tables: results (one row per scenario, with all its metrics) and jobs (one row per job and
    scenario: waits, starts, ends). They share the column key. Times are seconds.

    Examples:
      $ packwise study sql study.toml
      $ packwise study sql study.toml "select policy, avg(BSLD) from results group by policy"
      $ packwise study sql packwise-results "select r.policy, max(j.wait) from jobs j join results r
        on j.key = r.key group by r.policy" --csv waits.csv
    """
    from packwise.cli.options.destination import Output, check_destinations
    from packwise.cli.terminal import print_json, stdout
    from packwise.files.output import atomic_output

    check_destinations(Output(csv))
    results, jobs = _tables(where, store, traces)
    answer = _answer(query, results, jobs)
    if csv is not None:
        content = _csv(answer)
        with atomic_output(csv) as file:
            file.write(content)
    if json:
        print_json({"rows": answer.to_dicts()})
        return
    if csv is not None:
        stdout().print(f"Wrote {csv} ({len(answer):,} rows)", markup=False, soft_wrap=True)
        return
    _print(answer)


def _tables(
    where: Path, store: Path | None, traces: list[Path] | None
) -> tuple[pl.DataFrame, pl.LazyFrame]:
    from packwise.experiments.store import Store

    if where.is_dir():
        kept = Store.open(where)
        results = kept.frame()
    else:
        from packwise.cli.study.working import add_own
        from packwise.experiments.labelling import stored_results

        study = open_study(where, store, traces)
        kept = Store.open(study.store)
        add_own(study, kept)
        frame = kept.frame()
        if study.of_a_part:
            from packwise.cli.terminal import note
            from packwise.experiments.tables.part import measured_part

            frame, _ = measured_part(study, frame)
            note(_FILTERED)
        results = stored_results(study, frame)
    return results, kept.jobs(results["key"].unique(maintain_order=True))


def _csv(answer: pl.DataFrame) -> bytes:
    import polars as pl

    from packwise.model.errors import InputError

    content = BytesIO()
    try:
        answer.write_csv(content)
    except pl.exceptions.PolarsError as error:
        reason = str(error).split("\n", 1)[0]
        raise InputError(f"the answer does not fit into CSV: {reason}. Try --json.") from error
    return content.getvalue()


def _answer(query: str | None, results: pl.DataFrame, jobs: pl.LazyFrame) -> pl.DataFrame:
    import polars as pl

    from packwise.model.errors import InputError

    try:
        if query is None:
            return _columns(results, jobs)
        if query.split(None, 1)[:1] and query.split(None, 1)[0].lower() not in ("select", "with"):
            raise InputError(
                f"the query should begin with SELECT or WITH, found '{query.split(None, 1)[0]}': a store "
                "is read, never changed."
            )
        _refuse_files(query)
        with pl.SQLContext(results=results, jobs=jobs) as context:
            answer = context.execute(query)
            assert isinstance(answer, pl.LazyFrame)
            return answer.collect()
    except (
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
        OSError,
        ValueError,
        TypeError,
    ) as error:
        reason = str(error).split("\n", 1)[0]
        raise InputError(
            f"the query could not be answered: {reason}. Tables are 'results' and 'jobs'; without a "
            'query their columns are listed. A column named like a word of SQL needs quotes: j."user".'
        ) from error


def _refuse_files(query: str) -> None:
    """Polars' SQL can read any file and address by functions such as read_csv. A query here must not.

    They are looked for everywhere, also in what may be text or a comment: what these are, only a parser knows.
    """
    from packwise.model.errors import InputError

    named = [found[1] for found in _READS.finditer(query)]
    named += [
        found[1]
        for found in _FROM_FUNCTION.finditer(query)
        if not _OTHER_FROM.search(query, 0, found.start())
    ]
    if named:
        raise InputError(
            f"the query may not use {named[0]}: it can ask the tables 'results' and 'jobs' of the store, and "
            "no other files. Read those in Python."
        )


def _columns(results: pl.DataFrame, jobs: pl.LazyFrame) -> pl.DataFrame:
    import polars as pl

    rows = [
        {"table": name, "column": column, "type": str(kind)}
        for name, schema in (("results", results.schema), ("jobs", jobs.collect_schema()))
        for column, kind in schema.items()
    ]
    return pl.DataFrame(rows)


def _print(answer: pl.DataFrame) -> None:
    from packwise.cli.terminal import fits, stdout

    console = stdout()
    columns = list(answer.columns)
    shown = _table(answer, columns)
    while len(columns) > 1 and not fits(shown):
        columns = columns[: max(1, len(columns) * 9 // 10)]
        shown = _table(answer, columns)
    console.print(shown)
    if len(columns) < answer.width:
        hidden = answer.columns[len(columns) :]
        named = ", ".join(hidden[:8]) + (", ..." if len(hidden) > 8 else "")
        console.print(
            f"{len(hidden)} more columns ({named}): name those you want, or --csv FILE", style="dim"
        )
    if len(answer) > _ROWS:
        console.print(f"{len(answer) - _ROWS:,} more rows: --csv FILE writes all", style="dim")


def _table(answer: pl.DataFrame, columns: list[str]) -> Table:
    from packwise.cli.terminal import plain, table
    from packwise.readable import number

    numeric = tuple(name for name in columns if answer.schema[name].is_numeric())
    shown = table(*columns, right=numeric)
    for row in answer.select(columns).head(_ROWS).iter_rows():
        cells = zip(columns, row, strict=True)
        shown.add_row(
            *(plain(_cell(v, number)[:12] if c == "key" else _cell(v, number)) for c, v in cells)
        )
    return shown


def _cell(value: Any, number: Any) -> str:
    if value is None:
        return "–"
    return number(float(value)) if isinstance(value, float | Decimal) else str(value)
