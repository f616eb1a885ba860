#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures applications that scientists use: which launches are split, how much of the kernel time that is, and why
others are not split. It also says whether results are equal.

Each workload runs bare twice, once with every launch timed by itself, and under MKMD in several configurations. The
time of a kernel is shared out equally over its launches."""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CONFIGURATIONS = {
    "default": ["--devices", "pocl/2"],
    "waiting": ["--devices", "pocl/2"],
    "anywhere": ["--devices", "pocl/2", "--policy", "random-cuts:seed=1"],
    "apart": ["--devices", "pocl/2", "--separate-memory"],
    "anywhere, apart": ["--devices", "pocl/2", "--separate-memory", "--policy", "random-cuts:seed=1"],
}


BEFORE = ", before"


def run(command, limit, **variables):
    begin = time.monotonic()
    environment = dict(os.environ, PYOPENCL_CTX="0", PYOPENCL_NO_CACHE="1", POCL_AFFINITY="1", **variables)
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit, cwd=HERE)
    except subprocess.TimeoutExpired:
        return {"exit": "no end", "results": [], "seconds": limit, "errors": ""}
    return {"exit": done.returncode, "seconds": time.monotonic() - begin, "errors": done.stderr[-2000:],
            "results": [line for line in done.stdout.splitlines() if line.startswith("result ")]}


def general(reason):
    """One name for reasons that differ in a name of the program's own."""
    return re.sub(r"'[^']*'", "'…'", reason)


def launches_of(inspected):
    """Of each kernel: launches, split ones, and those of each reason."""
    kernels = collections.defaultdict(lambda: {"launches": 0, "split": 0, "reasons": collections.Counter()})
    for task in inspected["tasks"]:
        if "planned_pieces" not in task:
            continue
        kernel = kernels[task["name"]]
        kernel["launches"] += 1
        kernel["split"] += task["planned_pieces"] > 1
    for whole in inspected["not_split"]:
        kernel = kernels[whole["kernel"]]
        kernel["launches"] += 0 if whole["captured"] else whole["launches"]
        kernel["reasons"][general(whole["why"])] += whole["launches"]
    return kernels


def inspect(mkmd, trace):
    done = subprocess.run([mkmd, "inspect", trace, "--json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"tasks": [], "not_split": []}


def compare(one, two, other):
    """Lines that differ between both bare runs are not compared."""
    if other["exit"] != one["exit"]:
        return f"exit {other['exit']}"
    if len(one["results"]) != len(other["results"]):
        return "other results"
    varying = {a for a, b in zip(one["results"], two["results"]) if a != b}
    differing = [a for a, b in zip(one["results"], other["results"]) if a != b and a not in varying]
    if differing:
        return "differ: " + ", ".join(line.split()[1] for line in differing[:3])
    return "equal" if not varying else f"equal, {len(varying)} vary"


def runs_of(options):
    """Names of configurations, with the command that each is for."""
    both = [(BEFORE, options.before)] if options.before else []
    return [(name + suffix, mkmd) for name in options.configurations for suffix, mkmd in [*both, ("", options.mkmd)]]


def measure(options, workload, command, folder):
    record = {"workload": workload, "kernels": {}, "configurations": {}}
    bare = [run(command, options.limit) for _ in range(2)]
    record["bare"] = {"exit": bare[0]["exit"], "seconds": bare[1]["seconds"], "results": bare[0]["results"],
                      "errors": bare[0]["errors"] if bare[0]["exit"] != 0 else ""}
    times = folder / f"{workload}.times"
    run(command, options.limit, OPENCL_LAYERS=options.layer, LD_PRELOAD=options.layer, LAUNCH_TIMES=str(times))
    for line in times.read_text().splitlines() if times.exists() else []:
        for name, (launches, seconds) in json.loads(line).items():
            before = record["kernels"].get(name, [0, 0.0])
            record["kernels"][name] = [before[0] + launches, before[1] + seconds]
    for configuration, mkmd in runs_of(options):
        trace = folder / f"{workload}-{configuration.replace(', ', '-')}.jsonl"
        base = configuration.removesuffix(BEFORE)
        waits = {"MKMD_WAIT_FOR_CODE": "1"} if base == "waiting" else {}
        done = run([mkmd, "run", *CONFIGURATIONS[base], "--trace", str(trace), "--", *command], options.limit, **waits)
        record["configurations"][configuration] = {
            "exit": done["exit"], "seconds": done["seconds"], "errors": done["errors"] if done["exit"] != 0 else "",
            "outcome": compare(*bare, done), "kernels": launches_of(inspect(mkmd, str(trace)))}
        print(f"{workload}: {configuration}: {record['configurations'][configuration]['outcome']}", file=sys.stderr)
    return record


def shares(record, configuration):
    """Launches, seconds, and of both what is split and what stays whole for each reason."""
    total = collections.Counter()
    reasons = collections.defaultdict(collections.Counter)
    for name, kernel in record["configurations"][configuration]["kernels"].items():
        count, seconds = record["kernels"].get(name, [0, 0.0])
        each = seconds / count if count else 0.0
        total.update(launches=kernel["launches"], seconds=each * kernel["launches"], split=kernel["split"],
                     split_seconds=each * kernel["split"])
        for reason, launches in kernel["reasons"].items():
            reasons[reason].update(launches=launches, seconds=each * launches)
    return total, reasons


def tables(records):
    for configuration in records[0]["configurations"]:
        print(f"\n### {configuration}\n\n| workload | launches | split | kernel time | of it split | results |\n"
              "| --- | --- | --- | --- | --- | --- |")
        everything, all_reasons = collections.Counter(), collections.defaultdict(collections.Counter)
        for record in records:
            total, reasons = shares(record, configuration)
            everything.update(total)
            for reason, counts in reasons.items():
                all_reasons[reason].update(counts)
            print(row(record["workload"], total, record["configurations"][configuration]["outcome"]))
        print(row("all", everything, ""))
        print("\n| reason | launches | share | time | share |\n| --- | --- | --- | --- | --- |")
        for reason, counts in sorted(all_reasons.items(), key=lambda r: -r[1]["seconds"]):
            print(f"| {reason} | {counts['launches']} | {percent(counts['launches'], everything['launches'])}"
                  f" | {counts['seconds']:.2f} s | {percent(counts['seconds'], everything['seconds'])} |")


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def row(name, total, outcome):
    return (f"| {name} | {total['launches']} | {percent(total['split'], total['launches'])} | {total['seconds']:.2f} s"
            f" | {percent(total['split_seconds'], total['seconds'])} | {outcome} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", help="names of scripts in this folder; default: all")
    parser.add_argument("--mkmd", default="mkmd", help="the command")
    parser.add_argument("--before", help="the command of another version, which runs in the same configurations")
    parser.add_argument("--limit", type=float, default=300, help="seconds for each run")
    parser.add_argument("--configurations", nargs="*", choices=CONFIGURATIONS, default=list(CONFIGURATIONS))
    parser.add_argument("--output", help="file for what was measured, as JSON; read it again with --show")
    parser.add_argument("--show", action="store_true", help="only print the tables of --output")
    options = parser.parse_args()
    if options.show:
        records = json.loads(pathlib.Path(options.output).read_text())
        return tables(records)
    names = options.workloads or sorted(p.stem for p in HERE.glob("*_*.py"))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="applications-"))
    options.layer = str(folder / "launch_times.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", options.layer, str(HERE / "launch_times.c")], check=True)
    records = []
    for name in names:
        records.append(measure(options, name, [sys.executable, str(HERE / f"{name}.py")], folder))
        if options.output:
            pathlib.Path(options.output).write_text(json.dumps(records, indent=1))
    tables(records)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
