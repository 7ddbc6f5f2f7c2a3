"""The study file: a TOML description of a grid of scenarios."""

from packwise.experiments.study_file.reading import DEFAULT_METRICS as DEFAULT_METRICS
from packwise.experiments.study_file.reading import DEFAULT_STORE as DEFAULT_STORE
from packwise.experiments.study_file.reading import adhoc_study as adhoc_study
from packwise.experiments.study_file.reading import example_study as example_study
from packwise.experiments.study_file.reading import read_study as read_study
