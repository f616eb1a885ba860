#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times applications that scientists use from start to end, bare and under MKMD.

All sides run in turns, in the caches of a folder of this measurement. The driver has compiled the kernels before the
first round. "first" is a run of a program that MKMD has not met, on a machine that it has calibrated. "later" is a run
after several others. A ratio is the bare time over MKMD's of one round. The table has the medians of the ratios with
95 % bootstrap intervals, and of the processor seconds (user and system). "bare, again" is the noise of the machine."""
import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
from bootstrap import interval  # noqa: E402
WARMING_RUNS = 3


def run(command, environment):
    """Seconds from start to end, processor seconds, and the result lines."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=HERE, check=False)
    seconds = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    results = [line for line in done.stdout.splitlines() if line.startswith("result ")]
    return {"seconds": seconds, "results": results,
            "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def forget_programs(folder):
    """Removes what MKMD knows of programs; what it knows of the machine stays."""
    for file in (folder / "mkmd").glob("*.mkmd"):
        file.unlink()


def measure(options, name, folder):
    command = [sys.executable, str(HERE / f"{name}.py")]
    separate = ["--separate-memory"] if options.separate_memory else []
    under = [options.mkmd, "run", "--devices", options.devices, *separate, "--", *command]
    caches = {"later": folder / "later", "first": folder / "first"}
    environments = {}
    for side, cache in caches.items():
        environments[side] = dict(os.environ, PYOPENCL_CTX="0", PYOPENCL_NO_CACHE="1", POCL_AFFINITY="1",
                                  XDG_CACHE_HOME=str(cache), POCL_CACHE_DIR=str(folder / "pocl"))
    environments["bare"] = environments["bare, again"] = environments["later"]
    bare = run(command, environments["bare"])["results"]
    varying = {a for a, b in zip(bare, run(command, environments["bare"])["results"]) if a != b}
    run(under, environments["first"])
    for _ in range(WARMING_RUNS):
        run(under, environments["later"])
    sides = {side: [] for side in ("bare", "first", "later", "bare, again")}
    equal = True
    for index in range(options.rounds):
        for side in list(sides) if index % 2 == 0 else reversed(sides):
            forget_programs(caches["first"])
            done = run(command if side.startswith("bare") else under, environments[side])
            equal &= all(a == b or a in varying for a, b in zip(bare, done["results"]))
            sides[side].append({key: done[key] for key in ("seconds", "processor")})
    return {"workload": name, "equal": equal, "varying": len(varying), "sides": sides}


def ratio(record, side, key="seconds"):
    ratios = [bare[key] / other[key] for bare, other in zip(record["sides"]["bare"], record["sides"][side])]
    low, high = interval(ratios)
    return f"{statistics.median(ratios):.3f} [{low:.3f}, {high:.3f}]"


def row(record):
    bare = statistics.median(run["seconds"] for run in record["sides"]["bare"])
    results = "equal" if record["equal"] else "**differ**"
    return (f"| {record['workload']} | {bare:.2f} | {ratio(record, 'bare, again')} | {ratio(record, 'first')} | "
            f"{ratio(record, 'later')} | {ratio(record, 'later', 'processor')} | {results} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", help="names of scripts in this folder; default: all")
    parser.add_argument("--mkmd", default="mkmd", help="the command")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--devices", default="pocl/2")
    parser.add_argument("--separate-memory", action="store_true")
    parser.add_argument("--output", help="file for what was measured, as JSON")
    options = parser.parse_args()
    options.mkmd = shutil.which(options.mkmd) or sys.exit(f"--mkmd {options.mkmd}: there is no such command")
    options.mkmd = os.path.abspath(options.mkmd)
    records = []
    print("| workload | bare, s | bare, again | first | later | later, processor | results |\n"
          "| --- | ---: | --- | --- | --- | --- | --- |")
    for name in options.workloads or sorted(path.stem for path in HERE.glob("*_*.py")):
        with tempfile.TemporaryDirectory(prefix="applications-") as folder:
            records.append(measure(options, name, pathlib.Path(folder)))
        print(row(records[-1]), flush=True)
        if options.output:
            pathlib.Path(options.output).write_text(json.dumps(records, indent=1))


if __name__ == "__main__":
    main()
