"""Published data sets are recognised by their columns; units and starts are what the files say."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from packwise.clusters.presets import PRESETS
from packwise.feasibility import check_schedule
from packwise.model.errors import FormatError
from packwise.workloads.schedule_files import read_schedule

EURORA = (
    "job_id,queue,submit,start,end,runtime,req_walltime,req_nodes,req_cores,req_mem_gb,gpus,mics,"
    "nodes_cores_gpus_mics,predicted_power_w\n"
    "12,parallel,1000,1010,1070,60,100,2,8,3,4,0,33:4:2:0|34:4:2:0,120.5\n"
    "11,debug,990,1000,1200,200,100,1,16,200,0,0,1:16:0:0,\n"
    "13,debug,1001,1001,1001,0,100,1,1,1,0,0,2:1:0:0,\n"
)
PHILLY = "submit,duration,num_gpus,cluster\n100,50,8,bb\n90,1.5,0,aa\n"
PODS = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
    "scheduled_time\n"
    "a,12000,16384,1,1000,,LS,Running,0,100,5\nb,6500,100,1,460,,BE,Running,7,50,9\n"
    "c,1000,1,0,0,,BE,Pending,8,50,\n"
)
SLURM = (
    "id_job,id_user,tres_req,timelimit,time_submit,time_start,time_end,partition\n"
    '1.6e13,4.2e13,"1=80,2=170000,4=2,1002=4",60,100,150,250,normal\n'
    '1.6e13,4.3e13,"1=1,2=100,4=1",4294967295,90,95,96,normal\n'
)


def read(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return read_schedule(path)


def test_eurora(tmp_path):
    file = read(tmp_path, EURORA, "data.csv.gz")
    jobs = file.workload
    assert file.report.format == "dataset"
    assert jobs.id.tolist() == [11, 12], "in the order of their submission; one never ran"
    assert jobs.submit.tolist() == [0, 10]
    assert jobs.runtime.tolist() == [100, 60], "cut to the limit"
    assert file.report.cut.tolist() == [11]
    assert jobs.units.tolist() == [1, 2]
    assert {name: column.tolist() for name, column in jobs.per_unit.items()} == {
        "cores": [16, 4],
        "memory": [16384, 1536],
        "gpus": [0, 2],
        "mics": [0, 0],
    }
    assert jobs.power.tolist() == [0.0, 120.5]
    assert file.schedule.start.tolist() == [10, 20]
    assert file.schedule.allocation.of(1) == {32: 1, 33: 1}
    assert "taken as all of it: 1" in " ".join(file.report.notes)


def test_philly(tmp_path):
    jobs = read(tmp_path, PHILLY).workload
    assert jobs.units.tolist() == [1, 8]
    assert jobs.runtime.tolist() == [2, 50]
    assert jobs.per_unit["gpus"].tolist() == [0, 1]
    assert jobs.queue.tolist() == [0, 1]


def test_alibaba(tmp_path):
    file = read(tmp_path, PODS)
    jobs = file.workload
    assert jobs.per_unit["cores"].tolist() == [12, 7]
    assert jobs.runtime.tolist() == [95, 41]
    assert file.schedule.start.tolist() == [5, 9]
    assert "parts of cores rounded up to whole ones: 1" in file.report.notes
    assert "shares of a GPU taken as a whole one: 1" in file.report.notes
    assert "left out, as they never ran: 1" in file.report.notes


def test_supercloud(tmp_path):
    jobs = read(tmp_path, SLURM).workload
    assert jobs.units.tolist() == [1, 2]
    assert jobs.per_unit["cores"].tolist() == [1, 40]
    assert jobs.per_unit["gpus"].tolist() == [0, 2]
    assert jobs.requested_time.tolist() == [1, 3600]
    assert len(set(jobs.user.tolist())) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (EURORA.replace("33:4:2:0", "33:4:2"), "line 2: expected node:cores:gpus:mics"),
        (EURORA.replace(",60,100,2", ",x,100,2"), "line 2: expected a number"),
        (EURORA.replace("parallel,1000", "parallel,1000.5"), "line 2: expected a whole number"),
        (SLURM.replace("1=1,2=100", "1=1,2=lots"), "line 3: expected in column 'tres_req' pairs"),
        (PHILLY.split("\n")[0] + "\n1,0,1,aa\n", "expected a job that ran"),
    ],
)
def test_refusals(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, text)


@pytest.mark.papers
def test_the_published_files(shared):
    traces = shared / "traces"
    eurora = read_schedule(traces / "Eurora-2014.csv.gz")
    assert len(eurora.workload) == 5930
    assert int((eurora.workload.per_unit["gpus"] > 0).sum()) == 886
    assert int((eurora.workload.per_unit["mics"] > 0).sum()) == 32
    verdict = check_schedule(eurora.workload, PRESETS["eurora"], eurora.schedule)
    cores = [one for one in verdict.violations if "cores" in one.message and "node" in one.message]
    assert not cores, "the real machine did not share its cores"
    assert len(read_schedule(traces / "Philly-2017.csv.gz").workload) == 82247
    assert len(read_schedule(traces / "Alibaba-GPU-2023.pods.csv.gz").workload) == 8152 - 897
    sample = read_schedule(traces / "MIT-SuperCloud-2021-sample.csv.gz").workload
    assert int((sample.per_unit["gpus"] > 0).sum()) <= 2368
    assert np.all(sample.units >= 1)
