"""How good a schedule is: pure functions of (workload, cluster, schedule).

``summarize`` gives a table, ``metric(name).compute(...)`` one value, ``METRICS`` the catalogue with
formulas and sources. Series over time are in ``packwise.metrics.series``, tables by user and by
size in ``packwise.metrics.breakdown``.
"""

from packwise.metrics.catalogue import METRICS as METRICS
from packwise.metrics.catalogue import metric as metric
from packwise.metrics.catalogue import summarize as summarize
from packwise.metrics.definition import Metric as Metric
