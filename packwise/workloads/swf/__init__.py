"""The Standard Workload Format: reading and writing logs, plain or gzip."""

from packwise.workloads.swf.reading import SwfLog as SwfLog
from packwise.workloads.swf.reading import read_swf as read_swf
from packwise.workloads.swf.writing import write_swf as write_swf
