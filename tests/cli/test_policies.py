"""What is listed of a policy."""

from __future__ import annotations


def test_the_other_names_of_a_policy(packwise):
    listed = {
        one["name"]: one["aliases"] for one in packwise("policies", "--json").json["policies"]
    }
    assert (
        listed["cbf"] == packwise("policies", "cbf", "--json").json["aliases"] == ["conservative"]
    )
    assert listed["easy"] == []
    assert listed["easy-sjbf"] == ["easy-sjf"]
    assert "(also conservative)" in " ".join(packwise("policies").stdout.split())
