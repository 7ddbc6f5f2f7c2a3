"""What is compiled before a study runs: for nodes, where jobs run on nodes."""

from __future__ import annotations

import pytest

from packwise.experiments import compiling
from packwise.experiments.study_file import read_study


@pytest.mark.parametrize(
    ("lines", "nodes"),
    [
        ("generate = { jobs = 9, procs = 4 }", False),
        ("generate = { jobs = 9, procs = 4 }\n[[machine]]\ncluster = 'eurora'", True),
        ("generate = { jobs = 9, cluster = 'eurora' }", True),
    ],
)
def test_parts(tmp_path, monkeypatch, lines, nodes):
    file = tmp_path / "s.toml"
    file.write_text(f'policies = ["easy"]\n[[workload]]\n{lines}\n')
    made = []
    monkeypatch.setattr(compiling, "ready", made.extend)
    compiling.compile_for(read_study(file).scenarios)
    assert ("nodes" in made) == nodes
    assert ("lists" in made) != nodes
