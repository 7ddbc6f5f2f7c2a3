"""What a site allows, and why not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from packwise.adapters.slurm import probe as module
from packwise.adapters.slurm.commands import Answer, SlurmError
from packwise.adapters.slurm.probe import probe

GOOD = {
    "clustername": "toy",
    "slurm_version": "22.05.8",
    "prioritytype": "priority/multifactor",
    "schedulertype": "sched/backfill",
    "accountingstoragetype": "accounting_storage/slurmdbd",
    "slurmuser": "slurm(64030)",
}


@pytest.fixture(autouse=True)
def ordinary(monkeypatch):
    """Whoever runs the tests: somebody without rights of the system."""
    monkeypatch.setattr(module.os, "geteuid", lambda: 1000)


def says(text):
    return lambda command: Answer(0, text, "", 0.0)


def look(level="Operator\n", **settings):
    return probe({**GOOD, **settings}, says(level), "ann")


def test_an_operator_may_do_everything():
    site = look()
    assert (site.cluster, site.rank, site.account) == ("toy", "Operator", "ann")
    assert all(site.allows(mode) for mode in module.MODES)
    assert not site.warnings


@pytest.mark.parametrize("kind", ["priority/basic", None])
def test_priorities_that_ignore_site_factors(kind):
    told = (
        {**GOOD, "prioritytype": kind}
        if kind
        else {k: v for k, v in GOOD.items() if k != "prioritytype"}
    )
    site = probe(told, says("Operator\n"), "ann")
    assert not site.allows("steer")
    assert site.allows("advise")
    (why,) = site.forbids["steer"]
    assert "priority/multifactor" in why
    assert (kind or "not told") in why


def test_a_plugin_of_the_site_sets_the_factor():
    site = look(prioritysitefactorplugin="site_factor/ours")
    assert "site_factor/ours" in site.forbids["steer"][0]
    assert look(prioritysitefactorplugin="site_factor/none").allows("steer")


@pytest.mark.parametrize("level", ["None\n", "", "\n", "nonsense; rm\n"])
def test_who_has_no_rights(level):
    site = look(level)
    assert site.rank == "none"
    assert site.allows("advise")
    assert "sacctmgr modify user ann set AdminLevel=Operator" in " ".join(site.forbids["steer"])


def test_without_accounting_only_the_owner_may():
    told = {"accountingstoragetype": "accounting_storage/none"}
    assert look(**told).rank == "none"
    assert look(**told, slurmuser="ann(1000)").rank == "SlurmUser"


def test_who_we_are_is_what_slurm_sees(monkeypatch):
    """`runuser -u packwise` leaves the name of root in the environment."""
    monkeypatch.setenv("LOGNAME", "root")
    monkeypatch.setenv("USER", "root")
    monkeypatch.setattr(module.pwd, "getpwuid", {1000: SimpleNamespace(pw_name="ann")}.__getitem__)
    assert probe(GOOD, says("Operator\n")).account == "ann"
    monkeypatch.setattr(module.os, "geteuid", lambda: 1001)
    assert probe(GOOD, says("")).account == "1001"  # a name is nowhere


def test_root_may(monkeypatch):
    monkeypatch.setattr(module.os, "geteuid", lambda: 0)
    assert look("").rank == "root"


def test_accounting_that_does_not_answer():
    def ask(command):
        raise SlurmError("no sacctmgr here")

    assert probe(GOOD, ask, "ann").rank == "none"


@pytest.mark.parametrize("version", ["20.02.7", "19.05", "", "next"])
def test_versions_that_are_too_old_or_unknown(version):
    site = look(slurm_version=version)
    assert site.allows("advise")
    assert not site.allows("steer")
    assert version in site.forbids["steer"][0]


@pytest.mark.parametrize("version", ["20.11.0", "22.05.8", "24.11.5", "25.05.0-0rc1"])
def test_versions_that_will_do(version):
    assert look(slurm_version=version).allows("steer")


def test_schedulers_that_are_not_known():
    site = look(schedulertype="sched/hold")
    assert "sched/hold" in site.forbids["steer"][0]
    assert look(schedulertype="sched/builtin").allows("steer")


def test_what_is_hidden_is_told():
    assert "jobs, nodes" in look("", privatedata="jobs,nodes,usage").warnings[0]
    assert not look(privatedata="jobs").warnings  # an Operator sees them
    assert not look("", privatedata="none").warnings


def test_preemption_and_federations_are_told():
    site = look(preempttype="preempt/qos", federationparameters="fed_display")
    assert len(site.warnings) == 2


def test_the_account_is_asked_for_by_name():
    asked = []

    def ask(command):
        asked.append(command.argv)
        return Answer(0, "Administrator\n", "", 0.0)

    assert probe(GOOD, ask, "ann").rank == "Administrator"
    assert asked == [("sacctmgr", "-n", "-P", "show", "user", "ann", "format=AdminLevel")]
