"""Deadlines: rules that give them to jobs, files that tell them, and those that nobody could meet."""

from packwise.workloads.deadlines.assignment import assign_deadlines as assign_deadlines
from packwise.workloads.deadlines.assignment import deadline_remarks as deadline_remarks
from packwise.workloads.deadlines.assignment import make_deadlines as make_deadlines
from packwise.workloads.deadlines.assignment import recorded_deadlines as recorded_deadlines
from packwise.workloads.deadlines.impossible import Impossible as Impossible
from packwise.workloads.deadlines.impossible import impossible_deadlines as impossible_deadlines
from packwise.workloads.deadlines.rules import DeadlineRule as DeadlineRule
from packwise.workloads.deadlines.text import RULES as RULES
from packwise.workloads.deadlines.text import parse_rules as parse_rules
