"""What exists: plain frozen values, validated once. Imports NumPy only."""

from packwise.model.allocation import Allocation as Allocation
from packwise.model.cluster import Cluster as Cluster
from packwise.model.cluster import NodeGroup as NodeGroup
from packwise.model.cluster import Outage as Outage
from packwise.model.cluster import Partition as Partition
from packwise.model.decision import Decision as Decision
from packwise.model.decision import Policy as Policy
from packwise.model.dispatch_time import DispatchTime as DispatchTime
from packwise.model.dispatch_time import dispatch_time as dispatch_time
from packwise.model.referee import Referee as Referee
from packwise.model.referee import Ruling as Ruling
from packwise.model.run import Interrupted as Interrupted
from packwise.model.run import RoundLog as RoundLog
from packwise.model.run import Run as Run
from packwise.model.schedule import Schedule as Schedule
from packwise.model.view import Nodes as Nodes
from packwise.model.view import View as View
from packwise.model.workload import Job as Job
from packwise.model.workload import Workload as Workload
