"""What ``scontrol show`` and sdiag print."""

from __future__ import annotations

import pytest

from packwise.adapters.slurm.site_text import (
    read_diagnosis,
    read_nodes,
    read_partitions,
    read_reservations,
    read_settings,
)
from packwise.adapters.slurm.snapshot import NOT_TOLD

NODE = (
    "NodeName=n001 Arch=x86_64 CoresPerSocket=16  CPUAlloc=8 CPUEfctv=31 CPUTot=32 CPULoad=0.10 "
    "AvailableFeatures=fast,big ActiveFeatures=big Gres=gpu:a100:4(S:0-1) NodeAddr=n001 NodeHostName=n001 "
    "Port=6818 Version=22.05.8 OS=Linux 6.1.0 #1 SMP Debian RealMemory=64000 AllocMem=16000 FreeMem=100 "
    "Sockets=2 Boards=1 State={state} ThreadsPerCore=1 TmpDisk=0 Weight=10 Owner=N/A MCS_label=N/A "
    "Partitions=batch BootTime=1 CfgTRES=cpu=31,mem=64000M,billing=31,gres/gpu=4 "
    "AllocTRES=cpu=8,mem=16000M,gres/gpu=1 Reason=bad CPUTot=0 State=IDLE NodeName=x [root@1]"
)


def read(state="MIXED"):
    (found,) = read_nodes(NODE.format(state=state) + "\n")
    return found


def test_a_node():
    found = read()
    assert found._asdict() == {
        "name": "n001", "state": "MIXED", "cpus": 31, "used_cpus": 8, "memory": 64000, "used_memory": 16000,
        "gpus": 4, "used_gpus": 1, "features": ("big", "fast"), "weight": 10, "usable": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    "state",
    [
        "IDLE", "ALLOCATED", "MIXED", "COMPLETING", "MIXED+PLANNED", "IDLE+CLOUD", "IDLE~", "IDLE#",
        "IDLE+POWERED_DOWN", "IDLE+CLOUD+POWERED_DOWN", "IDLE+POWERING_UP", "ALLOCATED+COMPLETING",
        "IDLE+RESERVED", "IDLE+DYNAMIC_NORM", "mixed", "MIXED-",
    ],
)  # fmt: skip
def test_states_in_which_jobs_start(state):
    assert read(state).usable


@pytest.mark.parametrize(
    "state",
    [
        "DOWN", "DOWN*", "IDLE+DRAIN", "MIXED+DRAIN", "DRAINED", "DOWN*+DRAIN", "IDLE*", "IDLE*+PLANNED",
        "FAIL", "IDLE+FAIL", "ERROR", "FUTURE", "IDLE+DYNAMIC_FUTURE", "UNKNOWN", "IDLE+NOT_RESPONDING",
        "IDLE+POWERING_DOWN", "IDLE%", "IDLE+MAINTENANCE", "IDLE+REBOOT_REQUESTED", "IDLE@", "IDLE^",
        "IDLE+INVALID_REG", "IDLE+BLOCKED", "down",
    ],
)  # fmt: skip
def test_states_in_which_none_does(state):
    assert not read(state).usable


def test_a_node_of_which_little_is_told():
    (found,) = read_nodes(
        "NodeName=x State=IDLE CPUTot=(null) Gres=(null) AvailableFeatures=(null)"
    )
    assert (found.cpus, found.memory, found.gpus, found.features, found.weight) == (0, 0, 0, (), 1)
    assert not list(read_nodes("No nodes in the system\n\nState=IDLE\n"))
    (found,) = read_nodes("NodeName=x CPUTot=4")
    assert not found.usable


def test_cores_in_versions_that_do_not_tell_the_effective_ones():
    (found,) = read_nodes("NodeName=x CPUAlloc=3 CPUTot=16 State=MIXED")
    assert (found.cpus, found.used_cpus) == (16, 3)


def test_partitions():
    text = (
        "PartitionName=batch AllowGroups=ALL Default=YES MaxTime=1-00:00:00 Nodes=n[001-016] OverSubscribe=NO\n"
        "PartitionName=long MaxTime=UNLIMITED Nodes=(null)\n\n"
    )
    first, second = read_partitions(text)
    assert (first["partitionname"], first["nodes"], first["maxtime"]) == (
        "batch", "n[001-016]", "1-00:00:00",
    )  # fmt: skip
    assert second["partitionname"] == "long"


def test_reservations():
    text = (
        "ReservationName=maint StartTime=1000 EndTime=2000 Duration=00:16:40 Nodes=n[1-2] NodeCnt=2 CoreCnt=8 "
        "Features=(null) PartitionName=(null) Flags=MAINT,SPEC_NODES TRES=cpu=8 Users=root Groups=(null) "
        "Accounts=(null) Licenses=(null) State=ACTIVE BurstBuffer=(null)\n"
        "ReservationName=licences StartTime=1000 EndTime=2000 Nodes=(null) Users=(null) State=INACTIVE\n"
    )
    first, second = read_reservations(text)
    assert first == ("maint", 1000, 2000, "n[1-2]", "root", "MAINT,SPEC_NODES", True)
    assert (second.nodes, second.active) == ("", False)
    assert not list(read_reservations("No reservations in the system\n"))


def test_settings():
    text = (
        "Configuration data as of 1800000000\nAccountingStorageType   = accounting_storage/none\n"
        "ClusterName             = toy\nPriorityParameters      = (null)\nSLURM_VERSION = 22.05.8\n"
        "SchedulerParameters     = bf_interval=30,bf_continue\nEmpty =\n\n"
        "Slurmctld(primary) at ctl is UP\n"
    )
    assert read_settings(text) == {
        "accountingstoragetype": "accounting_storage/none",
        "clustername": "toy",
        "slurm_version": "22.05.8",
        "schedulerparameters": "bf_interval=30,bf_continue",
    }


def test_diagnosis():
    text = """*******************************************************
sdiag output at Wed Nov 18 13:01:12 2026 (1800000001)
Data since      Wed Nov 18 00:00:00 2026 (1799950000)
*******************************************************
Server thread count:  3
Agent queue size:     7
Agent count:          0

Jobs submitted: 44
Main schedule statistics (microseconds):
\tLast cycle:   123
\tMax cycle:    999
Backfilling stats
\tLast cycle: 456
\tLast cycle when: Wed Nov 18 13:00:00 2026 (1799999999)
"""
    assert read_diagnosis(text) == (1_800_000_001, 3, 7, 123, 456)
    assert read_diagnosis("") == (NOT_TOLD,) * 5
