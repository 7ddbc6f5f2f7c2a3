"""What policies and estimates are, in words."""

from __future__ import annotations

from packwise.experiments.glossary import glossary
from packwise.experiments.study_file import read_study
from packwise.registry import POLICIES, meaning, policy


def test_policies_and_estimates(tmp_path):
    (tmp_path / "my.py").write_text(
        'def mine(view):\n    """Nobody ever starts."""\n\ndef silent(view): ...\n'
    )
    (tmp_path / "s.toml").write_text(
        'policies = ["easy", "my.py:mine", "my.py:silent"]\n'
        'estimates = ["requested", "exact", "exact*1.5"]\n'
        '[[policy]]\nname = "list-saf"\nlabel = "SAF"\n'
        '[[policy]]\nname = "list"\norder = "laf"\ndepth = 3\n'
        "[[workload]]\ngenerate = { jobs = 9, procs = 4 }\n"
    )
    told = dict(glossary(read_study(tmp_path / "s.toml")))
    assert told["easy"] == meaning(policy("easy"))
    assert told["mine"] == "my.py:mine: Nobody ever starts."
    assert told["SAF"].startswith("list-saf: smallest area")
    laf = told["list(order=laf,depth=3)"]
    assert laf.startswith("largest area")
    assert laf.endswith("up to 3 jobs that cannot start get a reservation")
    assert "silent" not in told
    assert "limits" in told["requested"]
    assert "true run times" in told["exact"]
    assert "1.5 times" in told["exact*1.5"]


def test_every_named_policy_has_a_meaning():
    assert all(meaning(one) for one in POLICIES.values())
