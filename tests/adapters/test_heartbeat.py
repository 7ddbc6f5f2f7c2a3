"""The heartbeat, with a clock that is set by hand."""

from __future__ import annotations

from threading import Event

import pytest

from packwise.adapters.slurm.commands import Answer, Command, Unreachable
from packwise.adapters.slurm.heartbeat import Heartbeat
from packwise.adapters.slurm.writer import SlurmWriter, renew_reservation


class Site:
    """Counts renewals, and can say no."""

    def __init__(self):
        self.now = 0.0
        self.asked: list[Command] = []
        self.said: list[str] = []
        self.err = ""
        self.error: Exception | None = None
        self.heard = Event()

    def ask(self, command):
        self.asked.append(command)
        self.heard.set()
        if self.error is not None:
            raise self.error
        return Answer(0, "", self.err, 0.0)

    def heart(self, lease=30.0):
        command = lambda: renew_reservation("packwise", 30)  # noqa: E731
        return Heartbeat(SlurmWriter(self.ask), command, lease, self.said.append, lambda: self.now)


@pytest.fixture
def site():
    return Site()


def test_nothing_is_renewed_before_a_round_has_ended_well(site):
    assert not site.heart().renew()
    assert not site.asked


def test_it_renews_for_a_lease_after_the_last_good_round(site):
    heart = site.heart()
    heart.beat()
    for site.now in (0.0, 10.0, 29.9, 30.0):
        assert heart.renew()
    site.now = 30.1
    assert not heart.renew()
    assert len(site.asked) == 4
    heart.beat()
    assert heart.renew()


def test_a_pause_that_is_meant_counts(site):
    heart = site.heart()
    heart.beat(20.0)
    site.now = 50.0
    assert heart.renew()
    site.now = 51.0
    assert not heart.renew()


def test_nodes_are_not_kept_for_longer_than_another_lease(site):
    heart = site.heart()
    heart.beat(1000.0)
    site.now = 60.0
    assert heart.renew()
    site.now = 61.0
    assert not heart.renew()


def test_what_goes_wrong_is_told_and_tried_again(site):
    heart = site.heart()
    heart.beat()
    site.err = "Error updating the reservation: it is gone\n"
    assert heart.renew()
    site.err, site.error = "", Unreachable("nobody answers")
    assert heart.renew()
    assert len(site.said) == 2
    assert "it is gone" in site.said[0]
    assert "nobody answers" in site.said[1]
    site.error = None
    assert heart.renew()
    assert len(site.said) == 2


def test_the_thread_beats_and_ends(site):
    heart = site.heart(lease=0.003)
    heart.beat(10**6)
    with heart:
        assert site.heard.wait(60)
        heart.stop()
        count = len(site.asked)
        heart.stop()
    assert len(site.asked) == count
    assert not heart._thread.is_alive()


def test_one_that_has_not_begun_can_be_stopped(site):
    site.heart().stop()
