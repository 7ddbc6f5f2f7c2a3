"""The ways of solving a round, by name."""

from __future__ import annotations

from packwise.optimise.cp.nodes.auto import AUTO
from packwise.optimise.cp.nodes.hcp19 import HCP19
from packwise.optimise.cp.nodes.method import Method
from packwise.optimise.cp.nodes.pcp19 import PCP19
from packwise.optimise.cp.nodes.pcp21_method import PCP21
from packwise.optimise.cp.nodes.pcp21s import PCP21S

METHODS: dict[str, Method] = {
    "pcp19": PCP19,
    "hcp19": HCP19,
    "pcp21": PCP21,
    "pcp21s": PCP21S,
    "pcp-auto": AUTO,
}
