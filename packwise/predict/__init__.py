"""Run-time estimates: what the scheduler is told."""

from packwise.predict.ceiling import Ceiling as Ceiling
from packwise.predict.correctors import Corrector as Corrector
from packwise.predict.data_driven import DataDriven as DataDriven
from packwise.predict.exact import Exact as Exact
from packwise.predict.gradient_boosting import GradientBoosting as GradientBoosting
from packwise.predict.hierarchy import Hierarchy as Hierarchy
from packwise.predict.knn import NearestNeighbours as NearestNeighbours
from packwise.predict.last2 import Last2 as Last2
from packwise.predict.predictor import Predictor as Predictor
from packwise.predict.regression import Regression as Regression
from packwise.predict.requested import Requested as Requested
from packwise.predict.survival import SurvivalProbability as SurvivalProbability
