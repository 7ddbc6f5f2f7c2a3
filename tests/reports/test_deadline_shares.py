"""Which workloads of a study are one workload with several shares of jobs with a deadline."""

from __future__ import annotations

import pytest

from packwise.experiments.study_file import read_study
from packwise.reports.deadlines.shares import deadline_shares
from packwise.reports.material import DeadlineShare

HEAD = 'policies = ["easy", "cbf"]\n'
LOG = "[[workload]]\ngenerate = { jobs = 50, procs = 16 }\n"


@pytest.fixture
def shares(tmp_path):
    def of(text):
        file = tmp_path / "study.toml"
        file.write_text(HEAD + text)
        return deadline_shares(read_study(file).scenarios)

    return of


def test_a_sweep(shares):
    found = shares(LOG + 'label = "a 20%"\ndeadlines = "slack"\ndeadline_share = [0.2, 0.075]\n')
    assert found == {
        "a 20% 20%": DeadlineShare("a 20%", 20.0),
        "a 20% 7.5%": DeadlineShare("a 20%", 7.5),
    }


def test_replicas_and_loads_and_machines(shares):
    found = shares(
        LOG.replace("procs = 16", "procs = 16, seeds = [1, 2]")
        + 'label = "a"\ndeadlines = "slack"\ndeadline_share = [0.2, 0.8]\nscale_load = [1, 1.1]\n'
        + "[[machine]]\nfactor = 1\n[[machine]]\nfactor = 2\n"
    )
    assert {share.of for share in found.values()} == {"a x1", "a x1.1"}
    assert found["a x1.1 80%"].percent == 80.0


def test_workloads_that_were_given_names(shares):
    text = "".join(
        f'{LOG}label = "KTH {name}"\ndeadlines = "slack{rule}"\n'
        for name, rule in (("few", "(share=10%)"), ("fair", "(share=50%)"), ("all", ""))
    )
    found = shares(text)
    assert [(share.of, share.percent) for share in found.values()] == [
        ("KTH", 10.0),
        ("KTH", 50.0),
        ("KTH", 100.0),
    ]


def test_what_is_no_sweep(shares):
    rules = ("slack(share=10%)", "slack(share=20%,seed=2)", "slack(share=30%,factor=3)")
    text = "".join(f'{LOG}label = "w{k}"\ndeadlines = "{rule}"\n' for k, rule in enumerate(rules))
    assert shares(text + LOG + 'label = "none"\n') == {}


def test_a_share_of_a_queue_is_not_one_of_all_jobs(shares):
    found = shares(LOG + 'label = "w"\ndeadlines = "slack(user=1)"\ndeadline_share = [0.2, 0.4]\n')
    assert {share.of_all for share in found.values()} == {False}
