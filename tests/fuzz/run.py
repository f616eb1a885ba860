#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random cases bare and in several modes with random cuts, and compares what fuzz_case prints.

run.py --seconds N --seed S --modes verify,shared,separate,three. In mode verify a case runs under `mkmd verify`. The bare
run is the oracle. Where a mode differs it is made twice: a case in which the two disagree, or which ends badly bare, is
counted as no test. What differs is written to --found: the case as it was and, unless --keep is given, a shrunk one
(shrink.py). With --failing N, devices fail in N more runs of each case and mode (failing.py).
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import failing  # noqa: E402
import generate  # noqa: E402
import shrink  # noqa: E402

VERIFY = "verify"  # each piece on poisoned copies, by `mkmd verify`; a difference there is one
MODES = {"shared": ["--devices", "pocl/2"],
         "separate": ["--devices", "pocl/2", "--separate-memory"],
         "three": ["--devices", "pocl/3"], "three-separate": ["--devices", "pocl/3", "--separate-memory"]}
THREE = {"POCL_MAX_PTHREAD_COUNT": "3", "POCL_AFFINITY": "0"}


class Runs:
    """Runs of one case, with caches of their own that go with it."""
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.program = options.player or os.path.join(options.build, "tests/fuzz/fuzz_case")
        self.mkmd = os.path.join(options.build, "mkmd")

    def write(self, case):
        path = os.path.join(self.folder, "case.json")
        with open(path, "w") as file:
            json.dump(case, file)
        return path

    def execute(self, command, cache, **variables):
        environment = {**os.environ, "LC_ALL": "C", "MKMD_KC_SECONDS": "600", "OCL_ICD_VENDORS": "pocl.icd",
                       "POCL_CACHE_DIR": os.path.join(self.folder, cache), "XDG_CACHE_HOME": self.folder,
                       "XDG_DATA_HOME": os.path.join(self.folder, "data"), **variables}
        try:
            p = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace",
                               timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            return "hangs", "", ""
        return p.returncode, p.stdout, p.stderr

    def bare(self, path):
        return self.execute([self.program, path], "pocl")

    def verified(self, path):
        verdict = os.path.join(self.folder, "verdict.json")
        if os.path.exists(verdict):
            os.remove(verdict)
        code, out, error = self.execute([self.mkmd, "verify", "--all", "--json", verdict, *MODES["shared"], "--",
                                         self.program, path], "pocl")
        try:
            with open(verdict) as file:
                said = json.load(file)
        except (OSError, ValueError):
            return (code, out, error + "\nmkmd: there is no verdict"), 0, 0
        lines = [line for line in error.splitlines() if not line.startswith("mkmd:")]
        if said["differences"]:
            lines.append("mkmd: verify: " + json.dumps(said["differences"][0]))
        checked = sum(kernel["checked"] for kernel in said["kernels"])
        launches = sum(kernel["launches"] for kernel in said["kernels"])
        return (said["exit"], out, "\n".join(lines)), checked, launches - checked

    def sound(self, path):
        """Whether Oclgrind sees nothing wrong with it: no access outside a buffer, no race, no value out of nothing."""
        log = os.path.join(self.folder, "oclgrind")
        outcome = self.execute(["oclgrind", "--data-races", "--uninitialized", "--log", log, self.program, path], "oclgrind",
                               OCL_ICD_VENDORS="/usr/lib/oclgrind/liboclgrind-rt-icd.so")
        if outcome[0] != 0:
            return False
        with open(log) as file:
            return not file.read().strip()

    def ours(self, path, mode, seed, **more):
        if mode == VERIFY:
            return self.verified(path)
        summary = os.path.join(self.folder, "summary.json")
        if os.path.exists(summary):
            os.remove(summary)
        variables = {**(THREE if mode.startswith("three") else {}), **more}
        outcome = self.execute([self.mkmd, "run", "--policy", self.options.policy.format(seed=seed), *MODES[mode], "--",
                                self.program, path], "pocl", MKMD_SUMMARY=summary, **variables)
        try:
            with open(summary) as file:
                said = json.load(file)
        except (OSError, ValueError):
            said = {}
        return outcome, said.get("kernels_split", 0), said.get("kernels_whole", 0)


def difference(bare, ours):
    """One line, or None."""
    if ours[0] != bare[0]:
        return f"exit {ours[0]} instead of {bare[0]}: {(ours[1].splitlines() or [''])[-1]}"
    if ours[1] != bare[1]:
        lines = [a for a, b in zip(bare[1].splitlines(), ours[1].splitlines()) if a != b]
        return "differs at " + ", ".join(" ".join(line.split()[:2]) for line in lines[:5])
    said = [line for line in ours[2].splitlines() if line.startswith("mkmd:")]
    return "says " + said[0] if said else None


def check(case, options, modes):
    """{mode: difference} and {mode: (split, whole)}; None where the case is no test."""
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        runs = Runs(options, folder)
        path = runs.write(case)
        bare = runs.bare(path)
        if bare[0] != 0:
            return None, (bare, bare)
        found, counts = {}, {}
        for mode in modes:
            counts[mode] = (0, 0)
            for cuts in range(1 if mode == VERIFY else options.cuts):  # most of the time goes into compiling, which the first run has done
                outcome, split, whole = runs.ours(path, mode, case["seed"] % 1000 + 1000 * cuts)
                counts[mode] = (counts[mode][0] + split, counts[mode][1] + whole)
                what = difference(bare, outcome)
                if what:
                    found[mode] = what
                    break
            for i in range(0 if mode == VERIFY else options.failing):
                what = try_failing(runs, path, mode, random.Random(f"{case['seed']} {mode} {i}"), bare)
                if what:
                    found[mode] = what
        again = runs.bare(path) if found else bare
        if bare[:2] != again[:2]:
            return None, (bare, again)
        return found, counts


def is_sound(case, options):
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        runs = Runs(options, folder)
        return runs.sound(runs.write(case))


def fails(case, options, modes):
    return bool(check(case, options, modes)[0] or {})


def make_small(case, options, mode):
    """A smaller case that differs in the mode, and where it went."""
    command = [sys.executable, os.path.abspath(__file__), "--build", options.build, "--policy", options.policy, "--modes", mode,
               "--timeout", "20"] + (["--player", os.path.abspath(options.player)] if options.player else []) + ["--interesting"]
    small = shrink.shrink(case, lambda c: fails(c, options, [mode]), lambda c: is_sound(c, options), command)
    name = f"small-{case['seed']}"
    keep(small, name, options, mode)
    print(f"  shrunk to {len(small['commands'])} commands: {options.found}/{name}.json", flush=True)


def try_failing(runs, path, mode, r, bare):
    rules, error_allowed = failing.rules(r, mode)
    ours, _, _ = runs.ours(path, mode, r.randrange(1000), **failing.variables(runs.options.build, runs.folder, rules))
    if error_allowed and failing.is_reported(ours):
        return None
    what = difference(bare, failing.without_expected_lines(ours, error_allowed))
    return f"{rules}: {what}" if what else None


def keep(case, name, options, text):
    os.makedirs(options.found, exist_ok=True)
    base = os.path.join(options.found, name)
    with open(base + ".json", "w") as file:
        json.dump(case, file, indent=1)
    with open(base + ".cl", "w") as file:
        file.write(case["source"])
    with open(base + ".txt", "w") as file:
        file.write(text + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "../../build"))
    parser.add_argument("--player", help="another fuzz_case")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--cases", type=int, default=1 << 30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modes", default="verify,shared,separate,three")
    parser.add_argument("--policy", default="random-cuts:seed={seed}", help="of `mkmd run`")
    parser.add_argument("--cuts", type=int, default=3, help="runs of a case in each mode, cut differently")
    parser.add_argument("--launches", type=int, default=120, help="per case")
    parser.add_argument("--failing", type=int, default=0, metavar="N", help="runs in which devices fail")
    parser.add_argument("--kernels", type=int, default=4, help="per case")
    parser.add_argument("--timeout", type=float, default=90, help="seconds of a run")
    parser.add_argument("--found", help="where failures go (BUILD/tests/fuzz/found)")
    parser.add_argument("--scratch", help="folder for caches (the system's)")
    parser.add_argument("--keep", action="store_true", help="do not shrink")
    parser.add_argument("--stop", action="store_true", help="end with the first failure")
    parser.add_argument("--case", help="check this one file only")
    parser.add_argument("--shrink", metavar="CASE", help="make this one file small")
    parser.add_argument("--interesting", metavar="CASE", help="exit with 0 if it differs, and Oclgrind sees nothing wrong with it")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.found = options.found or os.path.join(options.build, "tests/fuzz/found")
    options.modes = options.modes.split(",")
    for mode in options.modes:
        if mode != VERIFY and mode not in MODES:
            parser.error(f"no mode '{mode}'; there are {', '.join(MODES)}, {VERIFY}")
    if options.scratch:
        os.makedirs(options.scratch, exist_ok=True)
    return options


def main():
    options = arguments()
    if options.shrink:
        with open(options.shrink) as file:
            make_small(json.load(file), options, options.modes[0])
        return 0
    if options.interesting:
        with open(options.interesting) as file:
            case = json.load(file)
        return 0 if fails(case, options, options.modes) and is_sound(case, options) else 1
    if options.case:
        with open(options.case) as file:
            found, counts = check(json.load(file), options, options.modes)
        print(found, counts)
        return 1 if found or found is None else 0
    print(f"seed {options.seed}, {options.seconds:g} s, modes {', '.join(options.modes)}", flush=True)
    end = time.monotonic() + options.seconds
    total = {mode: [0, 0, 0] for mode in options.modes}  # launches, split, mismatches
    cases = no_test = failures = 0
    while cases < options.cases and (time.monotonic() < end or cases == 0):
        seed = options.seed * 1_000_000 + cases
        cases += 1
        case = generate.make(seed, kernels=options.kernels, launches=options.launches)
        found, counts = check(case, options, options.modes)
        if found is None:
            no_test += 1
            print(f"no test: case {seed}: bare {counts[0][0]} {counts[1][0]} {counts[0][1][-80:]!r}", flush=True)
            keep(case, f"no-test-{seed}", options, "The bare runs fail or disagree.")
            continue
        for mode, (split, whole) in counts.items():
            total[mode][0] += split + whole
            total[mode][1] += split
            total[mode][2] += mode in found
        if options.verbose:
            print(f"case {seed}: {counts}", flush=True)
        if found:
            failures += 1
            text = "; ".join(f"{mode}: {what}" for mode, what in found.items())
            print(f"FAILED case {seed}: {text}", flush=True)
            keep(case, f"case-{seed}", options, text)
            if not options.keep:
                make_small(case, options, list(found)[0])
            if options.stop:
                break
    for mode, (launches, split, bad) in total.items():
        if mode == VERIFY:  # what is split there is split on copies
            print(f"{mode}: {launches} launches, {bad} cases differ")
            continue
        share = f"{100 * split / launches:.0f} %" if launches else "none"
        done = "checked" if mode == VERIFY else "split"
        print(f"{mode}: {launches} launches, {split} {done} ({share}), {bad} cases differ")
    print(f"{cases} cases, {no_test} no test, {failures} failed")
    nothing_split = not any(t[1] for t in total.values())
    if nothing_split:
        print("no launch was split")
    # The generator may now and then make what bare PoCL refuses. If that is more than a case in three, it is broken.
    return 1 if failures or 3 * no_test > cases or nothing_split else 0


if __name__ == "__main__":
    sys.exit(main())
