#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs kernels that CLsmith makes bare, under `mkmd verify` and divided, and compares what its launcher prints.

clsmith.py --clsmith FOLDER --seconds N. FOLDER is where CMake has built https://github.com/ChrisLidbury/CLSmith
(Lidbury et al., PLDI 2015), with m4 installed. Kernels are made in turn in each of CLsmith's modes; --kinds names some
of them. A kernel that ends badly bare, takes too long or gives two results is counted as no test. What differs is
written to --found.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import run

KINDS = {"basic": [], "vectors": ["--vectors"], "barriers": ["--barriers"], "atomics": ["--atomics"],
         "reductions": ["--atomic_reductions"], "fake-divergence": ["--fake_divergence", "--group_divergence"],
         "communication": ["--inter_thread_comm"], "messages": ["--message_passing"], "emi": ["--emi"],
         "all": ["--vectors", "--barriers", "--atomic_reductions", "--fake_divergence", "--group_divergence", "--emi"]}
HEADERS = ("CLSmith.h", "safe_math_macros.h", "cl_safe_math_macros.h")


class Kernels(run.Runs):
    """Runs of one kernel. The launcher's arguments are in the kernel's first line."""
    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.program = os.path.join(options.clsmith, "cl_launcher")

    def execute(self, command, cache, **variables):
        # Runs names the program and its only argument last.
        launcher = [*command[:-2], self.program, "-f", command[-1], "-p", "0", "-d", "0", "-i", self.options.include]
        code, out, error = super().execute(launcher, cache, **variables)
        if code in (0, 1) and not re.search(r"0x[0-9a-f]+,", out):
            code = "no results"  # the launcher does not say so itself
        return code, out, error

    def make(self, seed, flags):
        path = os.path.join(self.folder, "kernel.cl")
        command = [os.path.join(self.options.clsmith, "CLSmith"), "--seed", str(seed), "-o", path, *flags]
        try:
            p = subprocess.run(command, capture_output=True, timeout=60, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return None
        return path if p.returncode == 0 and os.path.exists(path) else None


def difference(bare, ours):
    if ours[0] == "hangs":  # a run on copies may take as long as many
        return None
    if ours[1] != bare[1] and ours[0] == bare[0]:
        pairs = list(zip(bare[1].split(","), ours[1].split(",")))
        wrong = [i for i, (a, b) in enumerate(pairs) if a != b]
        return f"{len(wrong)} of {len(pairs) - 1} results differ, the first at {wrong[:1]}"
    return run.difference(bare, ours)


def check(seed, kind, options, total):
    """What differs, by mode; None where the kernel is no test."""
    flags = KINDS[kind] + ([] if seed % 8 == 7 else ["--small"])
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        runs = Kernels(options, folder)
        path = runs.make(seed, flags)
        bare = runs.bare(path) if path else ("CLsmith made none", "", "")
        if bare[0] != 0:
            return None, str(bare[0])
        found = {}
        for mode in options.modes:
            for cuts in range(1 if mode == run.VERIFY else options.cuts):
                ours, some, others = runs.ours(path, mode, seed % 1000 + 1000 * cuts)
                total[mode]["launches"] += some + others
                total[mode]["done"] += some
                total[mode]["too long"] += ours[0] == "hangs"
                what = difference(bare, ours)
                if what:
                    found[mode] = what
                    break
        if found:
            again = runs.bare(path)
            if bare[:2] != again[:2]:
                return None, "two results"
            os.makedirs(options.found, exist_ok=True)
            shutil.copy2(path, os.path.join(options.found, f"{kind}-{seed}.cl"))
        return found, ""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clsmith", required=True, help="where CLsmith is built")
    parser.add_argument("--build", default=os.path.join(run.HERE, "../../build"))
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", type=int, default=1 << 30, help="at most")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--modes", default="verify,shared,separate")
    parser.add_argument("--policy", default="random-cuts:seed={seed}", help="of `mkmd run`")
    parser.add_argument("--cuts", type=int, default=2, help="runs of a kernel in each mode, cut differently")
    parser.add_argument("--timeout", type=float, default=40, help="seconds of a run")
    parser.add_argument("--found", help="where failures go (BUILD/tests/fuzz/clsmith)")
    parser.add_argument("--scratch", help="folder for caches (the system's)")
    options = parser.parse_args()
    options.clsmith, options.build, options.player = os.path.abspath(options.clsmith), os.path.abspath(options.build), None
    options.found = options.found or os.path.join(options.build, "tests/fuzz/clsmith")
    options.modes, options.kinds = options.modes.split(","), options.kinds.split(",")
    for name, known in [(m, [*run.MODES, run.VERIFY]) for m in options.modes] + [(k, KINDS) for k in options.kinds]:
        if name not in known:
            parser.error(f"'{name}' is none of {', '.join(known)}")
    return options


def gather_headers(options):
    with open(os.path.join(options.clsmith, "CMakeCache.txt")) as file:
        sources = re.search(r"(?m)^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", file.read()).group(1)
    for name in HEADERS:
        places = [os.path.join(folder, name) for folder in (options.clsmith, os.path.join(sources, "runtime"))]
        there = [place for place in places if os.path.exists(place)]
        if not there:
            sys.exit(f"{name} is missing: CLsmith's build makes it where m4 is installed")
        shutil.copy2(there[0], options.include)


def main():
    options = arguments()
    failures = 0
    with tempfile.TemporaryDirectory(dir=options.scratch) as options.include:
        gather_headers(options)
        total = {mode: collections.Counter() for mode in options.modes}
        tested, no_test = collections.Counter(), collections.Counter()
        end = time.monotonic() + options.seconds
        made = 0
        while made < options.kernels and time.monotonic() < end:
            seed, kind = options.seed * 1_000_000 + made, options.kinds[made % len(options.kinds)]
            made += 1
            found, why = check(seed, kind, options, total)
            if found is None:
                no_test[why] += 1
                continue
            tested[kind] += 1
            failures += bool(found)
            for mode, what in found.items():
                total[mode]["differ"] += 1
                print(f"FAILED {kind} {seed}: {mode}: {what}", flush=True)
    print(f"{made} kernels, {sum(tested.values())} tests: {', '.join(f'{n} {kind}' for kind, n in tested.items())}")
    print(f"no test: {', '.join(f'{n} {why}' for why, n in no_test.items()) or 'none'}")
    for mode, counts in total.items():
        done = "checked" if mode == run.VERIFY else "split"
        print(f"{mode}: {counts['launches']} launches, {counts['done']} {done}, {counts['too long']} runs took too long, "
              f"{counts['differ']} kernels differ")
    return 1 if failures or not tested else 0


if __name__ == "__main__":
    sys.exit(main())
