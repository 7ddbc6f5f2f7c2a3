"""Server-sent events: a change is told, and the stream ends with the server."""

from __future__ import annotations

import http.client
import json
from contextlib import closing

from packwise.adapters.slurm.web import events
from packwise.adapters.slurm.web.folder import StateFolder
from packwise.adapters.slurm.web.serving import open_door, serving
from tests.adapters.web.statuses import entry, make_status, write, write_journal


def stream(port):
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    line.request("GET", "/events")
    return line, line.getresponse()


def following(answer):
    """The next event: its name, and what it tells."""
    name, told = "", None
    while True:
        text = answer.readline().decode()
        if not text:
            return "end", None
        if text.startswith("event: "):
            name = text[7:].strip()
        elif text.startswith("data: "):
            told = json.loads(text[6:])
        elif text == "\n" and name:
            return name, told


def test_changes_are_told_as_they_come(tmp_path, served):
    line, answer = stream(served(tmp_path).port)
    with closing(line):
        assert answer.getheader("content-type").startswith("text/event-stream")
        assert "default-src 'none'" in answer.getheader("content-security-policy")
        assert following(answer) == ("change", {"status": "", "journal": ""})
        write(tmp_path, make_status())
        name, first = following(answer)
        assert name == "change"
        assert first["status"]
        write_journal(tmp_path, entry(1))
        _, second = following(answer)
        assert second["status"] == first["status"]
        assert second["journal"]
        write(tmp_path, make_status(cycle=8))
        _, third = following(answer)
        assert third["status"] != first["status"]


def test_a_sign_of_life_when_nothing_happens(tmp_path, served, monkeypatch):
    monkeypatch.setattr(events, "BEAT", 0.0)
    line, answer = stream(served(tmp_path).port)
    with closing(line):
        assert [following(answer)[0] for _ in range(3)] == ["change", "beat", "beat"]


def test_the_stream_ends_with_the_server(tmp_path):
    door = open_door("127.0.0.1", 0)
    with serving(door, StateFolder(tmp_path), None):
        line, answer = stream(door.port)
        assert following(answer)[0] == "change"
    with closing(line):
        assert following(answer) == ("end", None)


def test_not_everybody_can_listen(tmp_path, served, monkeypatch):
    monkeypatch.setattr(events, "MOST", 1)
    site = served(tmp_path)
    line, answer = stream(site.port)
    with closing(line):
        following(answer)
        assert site.ask("/events").code == 503
        assert site.ask("/status.json").code == 404
