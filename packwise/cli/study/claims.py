"""The claims of a study on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.experiments.tables.claims import ClaimVerdict, Finding
    from packwise.experiments.tables.results import StudyResults

_COLOURS = {"holds": "green", "does not hold": "red", "does not hold, explained": "yellow"}


def print_claims(
    results: StudyResults, verdicts: Sequence[ClaimVerdict], *, all_places: bool
) -> None:
    """Each claim, where those do not hold that do not, and how many hold."""
    from packwise.cli.terminal import printable, stdout
    from packwise.experiments.tables.claim_checks import Held
    from packwise.experiments.tables.claims_text import counted_claims
    from packwise.experiments.tables.part import part_words

    console = stdout()
    _print_verdicts(verdicts)
    places = [
        (number, verdict, finding)
        for number, verdict in enumerate(verdicts, 1)
        for finding in verdict.findings
        if all_places or finding.checked.held in (Held.FAILS, Held.NOT_RUN)
    ]
    if places:
        console.print()
        _print_places(places)
    for number, verdict in enumerate(verdicts, 1):
        if verdict.held is Held.EXPLAINED:
            words = f"{number}: {verdict.claim.explained}"
            console.print(printable(words), style="dim", markup=False, soft_wrap=True)
    console.print()
    console.print(counted_claims(verdicts), style="bold", markup=False, soft_wrap=True)
    if told := part_words(results.study, results.filtered):
        console.print(told, style="dim", markup=False, soft_wrap=True)


def _print_verdicts(verdicts: Sequence[ClaimVerdict]) -> None:
    from packwise.cli.terminal import plain, stdout, table
    from packwise.experiments.tables.claims_text import measured_text

    shown = table("", "claim", "expected", "measured", "verdict", right=("",))
    for number, verdict in enumerate(verdicts, 1):
        claim = verdict.claim
        source = f" ({claim.source})" if claim.source else ""
        held = verdict.held.value
        shown.add_row(
            plain(str(number)),
            plain(f"{claim.says}{source}"),
            plain(f"{claim.quantity}: {claim.check}"),
            plain(measured_text(verdict)),
            plain(held, _COLOURS.get(held, "dim")),
        )
    shown.columns[-1].no_wrap = True
    stdout().print(shown)


def _print_places(places: Sequence[tuple[int, ClaimVerdict, Finding]]) -> None:
    from packwise.cli.terminal import plain, stdout, table
    from packwise.experiments.tables.claims_text import finding_text

    shown = table("", "place", "found", "expected", "verdict", right=("",))
    for number, verdict, finding in places:
        held = finding.checked.held.value
        shown.add_row(
            plain(str(number)),
            plain(str(finding)),
            plain(finding_text(verdict.claim, finding)),
            plain(str(verdict.claim.check)),
            plain(held, _COLOURS.get(held, "dim")),
        )
    stdout().print(shown)
