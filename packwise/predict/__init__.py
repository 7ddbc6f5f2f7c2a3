"""Run-time estimates: what the scheduler is told."""

from packwise.predict.exact import Exact as Exact
from packwise.predict.predictor import Predictor as Predictor
from packwise.predict.requested import Requested as Requested
