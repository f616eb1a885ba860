#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The equations of bench/apps are recorded, and their plans made again from the traces alone: each must be the same.

    recorded_plans.py BUILD [--keep]

--keep writes a small window of each trace to tests/data/plans, where recorded_plans_test.cpp replays them without
any driver. Needed again when a planner decides otherwise on purpose, or asks for something else.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
KEPT = os.path.join(ROOT, "tests/data/plans")
SIZE = ["--size", "256", "--repeat", "3"]
PROGRAMS = {"abe": SIZE, "bicgstab": SIZE + ["--iters", "2"], "care": SIZE, "commutator": SIZE, "gabe": SIZE,
            "gramian": SIZE, "jacobi": SIZE + ["--iters", "3"], "lyapunov": SIZE, "stein": SIZE, "svd": SIZE,
            "sylvester": SIZE, "gsylvester": SIZE}
MEMORIES = {"shared": [], "separate": ["--separate-memory"]}
POLICIES = {"default": [], "mkmd": ["--policy", "mkmd"]}
NO_PLAN = 2  # exit code of mkmd simulate --replay
MOST_BYTES = 60_000  # of a window that is kept


def run(command, build):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MKMD_")}
    cache = os.path.join(build, "tests/programs")
    environment.update(MKMD_WAIT_FOR_CODE="1", MKMD_LEARN="0", XDG_CACHE_HOME=cache + "/cache", XDG_DATA_HOME=cache + "/data")
    os.makedirs(environment["XDG_CACHE_HOME"], exist_ok=True)
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)


def windows_of(trace):
    with open(trace) as file:
        events = [json.loads(line) for line in file]
    return [e["window"] for e in events if "planned" in e.get("window", {})]


def kept_of(windows):
    """The smallest window in which a kernel is split, or of those in which none is."""
    def splits(window):
        return any(len(t.get("pieces", ())) > 1 for t in window["planned"]["plan"])
    small = [{key: w[key] for key in ("graph", "schedule", "planned") if key in w} for w in windows]
    return min(small, key=lambda w: (len(json.dumps(w)) > MOST_BYTES, not splits(w), len(json.dumps(w))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    mkmd = os.path.join(options.build, "mkmd")
    failed, plans = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.jsonl")
        for program, arguments in PROGRAMS.items():
            for memory, of_memory in MEMORIES.items():
                for policy, of_policy in POLICIES.items():
                    what = f"{program}-{memory}-{policy}"
                    command = [mkmd, "run", "--devices", "pocl/2", "--trace", trace, "--trace-planning", *of_memory,
                               *of_policy, "--", os.path.join(options.build, "bench/apps", program), *arguments]
                    recorded = run(command, options.build)
                    replayed = run([mkmd, "simulate", trace, "--replay"], options.build)
                    again = re.search(r"([1-9]\d*) planned again, 0 differently", replayed.stdout)
                    # By default nothing may be worth capturing here and now.
                    idle = policy == "default" and replayed.returncode == NO_PLAN and not options.keep
                    if recorded.returncode == 0 and idle:
                        continue
                    if recorded.returncode != 0 or replayed.returncode != 0 or again is None:
                        failed += 1
                        print(f"{what}: {recorded.stderr}{replayed.stdout}{replayed.stderr}")
                        continue
                    plans += int(again[1])
                    if options.keep:
                        with open(os.path.join(KEPT, what + ".json"), "w") as file:
                            json.dump(kept_of(windows_of(trace)), file, separators=(",", ":"))
                            file.write("\n")
    print(f"{plans} plans made again, {failed} runs failed")
    return 1 if failed or plans == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
