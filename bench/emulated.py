# SPDX-License-Identifier: Apache-2.0
"""`scripts/bench --mode emulated`: the eleven programs on an emulated platform, under several policies.

Everything is in emulated seconds: what the program itself measured, divided by the time scale. So planning, our own
host time and late wake-ups are in it. A run with more than 1 % overruns is void, and in no mean. The columns:

- `model` is what `mkmd simulate` says of the program's graph as the MKMD paper has it. It has no jitter, and the rates
  are known beforehand.
- `plan` is what the policy itself expected of the last repeat, from the program's own graph and the times learned so far.
- `makespan` is what that plan then took, from the start of its first action to the end of its last. A plan says no more.
"""
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
POLICIES = ["single:GTX760", "mkmd-coarse", "default"]  # the first is what the others are compared with
GRAPHS = {
    "abe": "ABE", "bicgstab": "BiCGSTAB", "care": "CARE", "commutator": "Commutator", "gabe": "GABE",
    "gramian": "Gramian", "jacobi": "Jacobi", "lyapunov": "Lyapunov", "stein": "Stein", "svd": "SVD",
    "sylvester": "Sylvester",
}
# Where matrices are multiplied: kernels are still cut finely enough, and two cores are quick enough for a time scale
# of 5.
SIZE = 768
# The two made of vector operations run at full size. They last some 10 ms: to be told from the real ones they are
# slowed down.
ITERATED = {"bicgstab", "jacobi"}
FULL_SIZE = 4096


def size_of(options, name):
    return options.size or (FULL_SIZE if name in ITERATED else SIZE)


def geometric_mean(values):
    """Of those that are known."""
    known = [math.log(value) for value in values if not math.isnan(value)]
    return math.exp(statistics.fmean(known)) if known else math.nan


def perturb(content, seed):
    """Every rate and bandwidth of the platform, up or down by up to 30 %."""
    generator = random.Random(seed)
    platform = content["platform"]
    for device in platform["devices"]:
        for rate in sorted(device["rates"]):
            device["rates"][rate] *= generator.uniform(0.7, 1.3)
    for link in [platform] + platform.get("links", []):
        link["bw"] *= generator.uniform(0.7, 1.3)


def scaled(platform, scale, size, folder, seed=None):
    """The platform file with another time scale, for programs of this size, and with perturbed rates if a seed is
    given."""
    with open(platform) as file:
        content = json.load(file)
    if seed is not None:
        perturb(content, seed)
    emulation = content.setdefault("emulation", {})
    emulation["time_scale"] = scale
    if "size_scale" in emulation:
        emulation["size_scale"]["factor"] = emulation["size_scale"]["full"] / size
    path = os.path.join(folder, f"platform-{scale}-{size}.json")
    with open(path, "w") as file:
        json.dump(content, file)
    return path


class RunFailed(Exception):
    """A program that did not end well: the command, and what it said."""


def last_repeat(windows, repeats, key):
    """The sum over the windows of the last repeat; there is one more than counted ones."""
    each = len(windows) // (repeats + 1)
    if each * (repeats + 1) != len(windows):
        return math.nan
    return sum(window[key] for window in windows[-each:])


def run(options, name, policy, platform, scale, folder, trace=None):
    """One run, traced: also what `mkmd inspect` says of it, idle share, seconds of planning, windows."""
    trace = trace or os.path.join(folder, "trace.jsonl")
    summary = os.path.join(folder, "summary.json")
    command = options.under + [options.mkmd, "run", "--platform", platform, "--summary", summary, "--trace", trace]
    if policy != "default":
        command += ["--policy", policy]
    command += ["--", os.path.join(options.build, "bench/apps", name), "--size", str(size_of(options, name)),
                "--repeat", str(options.repeat)]
    if name in ITERATED:
        command += ["--iters", str(options.iters or 1)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RunFailed(f"{' '.join(command)} ended with {done.returncode}\n{done.stderr}")
    values = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    with open(summary) as file:
        emulation = json.load(file)["emulation"]
    result = {"seconds": float(values["seconds"]) / scale, "checksum": values["checksum"],
              "actions": emulation["actions"], "overruns": emulation["overruns"], "valid": emulation["valid"]}
    shown = subprocess.run([options.mkmd, "inspect", trace, "--json"], capture_output=True, text=True, check=True)
    result.update({key: json.loads(shown.stdout)[key] for key in ("idle_share", "windows")})
    result["plan"] = last_repeat(result["windows"], options.repeat, "predicted")
    result["makespan"] = last_repeat(result["windows"], options.repeat, "measured")
    result["planning_seconds"] = last_repeat(result["windows"], options.repeat, "planning_seconds")
    return result


def bare(options, name):
    command = [os.path.join(options.build, "bench/apps", name), "--size", str(size_of(options, name)),
               "--repeat", str(options.repeat)]
    if name in ITERATED:
        command += ["--iters", str(options.iters or 1)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())["checksum"]


def modelled(options, name, policy):
    if options.perturb is not None or name not in GRAPHS:
        return math.nan
    graph = os.path.join(ROOT, f"tests/data/graphs/mkmd_{GRAPHS[name]}.json")
    with open(graph) as one, open(options.platform) as other:
        names = [[device["name"] for device in json.load(file)["platform"]["devices"]] for file in (one, other)]
    if names[0] != names[1]:
        return math.nan  # the graphs' times are those of another machine
    if policy == "default":
        policy = options.default_policy
    done = subprocess.run([options.mkmd, "simulate", graph, "--policy", policy], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("makespan"):
            return float(line.split()[1])
    return math.nan


def default_policy(mkmd):
    """As `mkmd help settings` names it."""
    text = subprocess.run([mkmd, "help", "settings"], capture_output=True, text=True).stdout
    return re.search(r"MKMD_POLICY\n.*?default: (\S+)", text, re.DOTALL).group(1)


def run_emulated(options):
    options.default_policy = default_policy(options.mkmd)
    scales = options.time_scale
    print(f"\nemulated: {os.path.relpath(options.platform)}; default policy {options.default_policy}; emulated ms, median"
          f" of {options.repeat} repeats after one that is not counted")
    print(f"{'program':<11} {'policy':<14} {'ms':>9} {'model':>9} {'ms/model':>8} {'plan':>9} {'ms/plan':>7}"
          f" {'makespan/plan':>13} {'ratio':>6} {'overruns':>12} result")
    programs = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.programs:
            expected = bare(options, name)
            scale = scales[1] if name in ITERATED else scales[0]
            platform = scaled(options.platform, scale, size_of(options, name), folder, options.perturb)
            row = {"program": name, "time_scale": scale, "policies": {}}
            for policy in options.policies:
                try:
                    result = run(options, name, policy, platform, scale, folder)
                except RunFailed as failure:
                    sys.exit(f"bench: {failure}")
                result["model"] = modelled(options, name, policy)
                result["identical"] = result["checksum"] == expected
                row["policies"][policy] = result
                result["ratio"] = row["policies"][options.policies[0]]["seconds"] / result["seconds"]
                print(f"{name:<11} {policy:<14} {1e3 * result['seconds']:>9.2f} {1e3 * result['model']:>9.2f}"
                      f" {result['seconds'] / result['model']:>8.3f} {1e3 * result['plan']:>9.2f}"
                      f" {result['seconds'] / result['plan']:>7.3f}"
                      f" {result['makespan'] / result['plan']:>13.3f} {result['ratio']:>6.3f}"
                      f" {result['overruns']:>5} of {result['actions']:>4}"
                      f" {'identical' if result['identical'] else 'DIFFERENT'}{'' if result['valid'] else ' VOID'}",
                      flush=True)
            programs.append(row)
    for policy in options.policies:
        results = [row["policies"][policy] for row in programs]
        valid = [r for r in results if r["valid"]]  # the others are in no mean
        ratios = [row["policies"][policy]["ratio"] for row in programs
                  if row["policies"][policy]["valid"] and row["policies"][options.policies[0]]["valid"]]
        line = (f"{policy:<14} ms/model {geometric_mean([r['seconds'] / r['model'] for r in valid]):.3f},"
                f" ms/plan {geometric_mean([r['seconds'] / r['plan'] for r in valid]):.3f},"
                f" makespan/plan {geometric_mean([r['makespan'] / r['plan'] for r in valid]):.3f};"
                f" against {options.policies[0]}: geometric mean {geometric_mean(ratios):.3f},"
                f" smallest {min(ratios, default=math.nan):.3f}")
        actions, overruns = sum(r["actions"] for r in results), sum(r["overruns"] for r in results)
        print(f"{line}; overruns {100 * overruns / max(1, actions):.2f} %,"
              f" {sum(not r['valid'] for r in results)} of {len(results)} runs void")
    return {"platform": options.platform, "time_scale": scales, "programs": programs}
