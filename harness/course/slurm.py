"""Hands a grading run over to Slurm: an array job, whose tasks share a state folder and claim submissions there (harness/grade/claims.c),
and a job behind it, which judges what they left and writes the reports."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import toml_lines

OWN = {"--slurm": False, "--shards": True, "--sbatch": True, "--runtime": True, "--again": False}  # True: with a value
FOR_GPU = re.compile(r"-G|--gpus|--gres")
OUTCOME = re.compile(r".*-[0-9a-f]{16}")


class NoSlurm(Exception):
    """Something of Slurm is missing on this machine."""


def take_own(words):
    """A command line without the options that say how it is handed over; and these."""
    rest, own, left = [], {}, list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        option = next((o for o in OWN if len(name) > 2 and o.startswith(name)), None)
        if option is None:
            rest.append(word)
            continue
        own[option] = (value if equals else left.pop(0)) if OWN[option] else True
    return rest, own


def call(program, *words):
    if not shutil.which(program):
        raise NoSlurm(f"{program}: not found; --slurm is given where jobs are submitted")
    environment = {name: value for name, value in os.environ.items() if name != "SLURM_RESTART_COUNT"}  # of a job that submits
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False, env=environment)


def sbatch(*words):
    """The number of the job."""
    ended = call("sbatch", "--parsable", "--requeue", "--open-mode=append", *words)
    if ended.returncode:
        raise toml_lines.Mistake("nothing was submitted: " + (ended.stderr.strip().splitlines() or ["sbatch says nothing"])[-1])
    return ended.stdout.strip().split(";")[0]


def check_idle(state):
    """Two runs with one state folder would judge everything twice."""
    try:
        jobs = (state / "cluster" / "jobs").read_text().split()
    except OSError:
        return
    there = []
    for job in jobs:
        ended = call("squeue", "--noheader", "--format=%A", f"--jobs={job}")
        if ended.returncode and "Invalid job id" not in ended.stderr:
            raise NoSlurm((ended.stderr.strip().splitlines() or ["squeue says nothing"])[-1])
        there += [job] if ended.stdout.strip() else []
    if there:
        raise toml_lines.Mistake(f"{state}: job {' '.join(there)} still grades there; wait for it, or `scancel {' '.join(there)}`")


def prepare(state, again):
    """A new folder for claims, scripts and logs; `again` forgets outcomes here, since no task may."""
    call("sbatch", "--version")
    check_idle(state)
    cluster = state / "cluster"
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.rmtree(cluster, ignore_errors=True)
    (cluster / "log").mkdir(parents=True)
    for kept in list(state.iterdir()) if again else []:
        if OUTCOME.fullmatch(kept.name):
            kept.unlink()


def write_script(path, words):
    """Words that begin with the program and "grade". A task has as many processors as it was given."""
    first, rest = shlex.join(map(str, words[:2])), shlex.join(map(str, words[2:]))
    here = shlex.quote(os.getcwd())
    path.write_text(f'#!/bin/sh\ncd {here} || exit 3\nexec {first} -j "${{SLURM_CPUS_PER_TASK:-1}}" {rest}\n', encoding="utf-8")
    return path


def log(cluster, name):
    return "--output=" + str((cluster / "log").resolve()).replace("%", "%%") + "/" + name


def options_of(own):
    """Of sbatch: a GPU where submissions are timed, and what the user gave."""
    given = shlex.split(own.get("--sbatch") or "")
    gpu = own.get("--runtime") == "gpu" and not any(FOR_GPU.match(word) for word in given)
    return ["--gres=gpu:1"] * gpu + given


def runtime_of(own):
    """The same on all nodes, since an outcome belongs to what it was graded on."""
    return ["--runtime", "gpu" if own.get("--runtime") == "gpu" else "sim"]


def submit_tasks(state, shards, words, own):
    """The array job; `words` are the program, "grade" and what a plain run has."""
    cluster = state / "cluster"
    script = write_script(cluster / "task.sh", [*words[:2], *runtime_of(own), "--claims", cluster / "claims", *words[2:]])
    job = sbatch(f"--job-name=grade-{words[2]}", f"--array=1-{shards}", log(cluster, "%a.txt"), *options_of(own), script)
    (cluster / "jobs").write_text(job + "\n")
    return job


def submit_last(state, jobs, words, own):
    """The job behind the tasks, with whose end all is done. Without it the tasks are of no use."""
    cluster = state / "cluster"
    script = write_script(cluster / "last.sh", [*words[:2], *runtime_of(own), "--gather", *words[2:]])
    try:
        last = sbatch("--job-name=grade-reports", "--dependency=afterany:" + ":".join(jobs), log(cluster, "last.txt"), *options_of(own), script)
    except toml_lines.Mistake:
        cancel(jobs)
        raise
    (cluster / "jobs").write_text("\n".join([*jobs, last]) + "\n")
    return last


def cancel(jobs):
    if jobs:
        call("scancel", *jobs)


def tell(jobs, last, state):
    who = f"job {jobs[0]} grades" if len(jobs) == 1 else f"jobs {', '.join(jobs)} grade"
    print(f"{who}; job {last} writes the reports after it, and the table to {state}/cluster/log/last.txt")
    print(f"`squeue -j {','.join([*jobs, last])}` shows them, `scancel {' '.join([*jobs, last])}` ends them; the same command goes on from there")


def command(words):
    """`run grade ... --slurm`: state folder, tasks, sbatch's options, then the command line from "grade" on."""
    state, shards = pathlib.Path(words[0]).absolute(), int(words[1])
    rest, own = take_own(words[3:])
    own["--sbatch"] = words[2]
    plain = [os.environ["LAB_RUN"], *rest]
    prepare(state, own.get("--again"))
    job = submit_tasks(state, shards, plain, own)
    last = submit_last(state, [job], [*plain[:2], "--claims", state / "cluster" / "claims", *plain[2:]], own)
    tell([job], last, state)
    return 0
