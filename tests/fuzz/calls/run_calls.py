#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzzer of calls in every mode, and compares.

With one thread, the log of each call's code, and of what was asked, must be the same bare and under `mkmd run`. With
several threads the program's own model is the judge. `--shrink SEED` finds a small set of steps that still fails.
At the end no object of the vendor's may be left (living_vendor.cpp), but for ThreadSanitizer, which locks would mislead.

As a test it takes seconds. By hand, in two parts, since most of a run's time is compiling:
    run_calls.py --seeds 100-103 --calls 5000
    run_calls.py --seeds 200-203 --calls 50000 --threads 3 --without new_program,broken_program,linked_program,end_family
and in builds with sanitizers:
    run_calls.py --build build-asan --bare-build build --slowdown 5 --seeds 1-10
"""
import argparse
import concurrent.futures
import difflib
import json
import os
import shlex
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../programs"))
import run_programs  # noqa: E402

PROGRAM = {"name": "calls", "command": "fuzz_calls", "folder": "tests/fuzz/calls", "timeout": 300}
POCL_ICD = "/etc/OpenCL/vendors/pocl.icd"
THREE = {"POCL_MAX_PTHREAD_COUNT": "3", "POCL_AFFINITY": "0"}
# A named policy is obeyed: launches are split that would gain nothing by it.
SPLIT = ["--policy", "mkmd-slices"]
RELEASES = ["clReleaseContext", "clReleaseCommandQueue", "clReleaseProgram", "clReleaseKernel", "clReleaseEvent"]
MODES = {
    "pocl": (["--devices", "pocl"], {}),
    "pocl/2": (["--devices", "pocl/2"] + SPLIT, {}),
    "separate": (["--devices", "pocl/2", "--separate-memory"] + SPLIT, {}),
    "three": (["--devices", "pocl/3"] + SPLIT, THREE),
    "three-separate": (["--devices", "pocl/3", "--separate-memory"] + SPLIT, THREE),
}


class Calls:
    def __init__(self, options):
        options.mkmd = options.mkmd or os.path.join(options.build, "mkmd")
        self.options = options
        self.runner = run_programs.Runner(options)
        self.split = self.calls = 0
        self.failed = []
        self.bare_logs = {}
        with open(POCL_ICD) as icd:
            self.pocl = icd.read().strip()

    def counting(self, build):
        """The vendor library in front of PoCL that counts. Its locks would hide races from ThreadSanitizer."""
        if "thread" in self.runner.sanitizers.names:
            return {}
        library = os.path.join(build, PROGRAM["folder"], "libliving_vendor.so")
        return {"POCL": self.pocl, "LIVING_VENDOR": library, "OCL_ICD_VENDORS": library}

    def run(self, arguments, mode, build, wrap=(), **variables):
        command = [*wrap, *self.runner.command(PROGRAM, build), *map(str, arguments)]
        return self.runner.run(PROGRAM, command, **mode[1], **self.counting(build), **variables)

    def bare(self, mode, arguments):
        key = (tuple(sorted(mode[1].items())), tuple(arguments))
        if key not in self.bare_logs:
            self.bare_logs[key] = self.run(arguments, mode, self.options.bare_build)
        return self.bare_logs[key]

    def ours(self, mode, arguments):
        with tempfile.TemporaryDirectory() as folder:
            summary = os.path.join(folder, "summary.json")
            wrap = [self.options.mkmd, "run", *mode[0], *self.options.more, "--"]
            outcome = self.run(arguments, mode, self.options.build, wrap, MKMD_SUMMARY=summary)
            try:
                with open(summary) as file:
                    self.split += json.load(file).get("kernels_split", 0)
            except (OSError, ValueError):
                pass
        return outcome

    def forgetful(self, name):
        """What is wrong when the program leaves out a release: that has to be found, or nothing would be."""
        arguments = ["--seed", 1, "--calls", self.options.calls, "--forget"]
        found = []
        for release in RELEASES:
            outcome = self.ours(MODES[name], [*arguments, release])
            if outcome.code != 3 or "are left: " not in outcome.out:
                found.append(f"without one {release}: exit code {outcome.code}: {last_lines(outcome.out)}")
        return found

    def wrong(self, name, seed, threads, more=()):
        """What is wrong with one seed in one mode; an empty list if nothing is."""
        mode = MODES[name]
        arguments = ["--seed", seed, "--calls", self.options.calls, *more]
        arguments += ["--without", self.options.without] if self.options.without else []
        arguments += ["--threads", threads] if threads > 1 else ["--log"]
        found = []
        ours = self.ours(mode, arguments)
        if threads == 1:
            bare = self.bare(mode, arguments)
            if bare.code != 0:
                found.append(f"the bare run ends with {bare.code}: {last_lines(bare.out)}")
            if ours.out != bare.out:
                lines = difflib.unified_diff(bare.out.splitlines()[-200000:], ours.out.splitlines()[-200000:], "bare",
                                             "ours", lineterm="", n=3) if len(ours.out) < 3_000_000 else ["logs differ"]
                found.append("\n    ".join(list(lines)[:30]))
        if ours.code != 0:
            found.append(f"exit code {ours.code}: {last_lines(ours.out)}")
        if ours.said:
            found.append("we had something to say:\n    " + "\n    ".join(ours.said[:10]))
        if ours.reports:
            found.append("a sanitizer reported:\n" + ours.reports[:self.options.report_bytes])
        self.calls += sum(int(line.split()[0]) for line in ours.error if line.endswith(" calls"))
        return found


def last_lines(text):
    """Of a log, mostly: the last call, and what was wrong with it."""
    return "\n      ".join(text.splitlines()[-3:])


def shrink(calls, name, seed):
    """Leaves out steps as long as the run still fails: halves of them, quarters, and so on."""
    with tempfile.NamedTemporaryFile("w", suffix=".steps", delete=False) as file:
        path = file.name

    def fails(steps):
        with open(path, "w") as file:
            file.write("\n".join(map(str, steps)))
        calls.bare_logs.clear()
        found = calls.wrong(name, seed, calls.options.threads, ["--steps", path])
        return bool(found) and not any("the bare run" in text for text in found)

    steps = list(range(calls.options.calls))
    if not fails(steps):
        print("does not fail")
        return
    size = len(steps) // 2
    while size > 0:
        at = 0
        while at < len(steps):
            rest = steps[:at] + steps[at + size:]
            if rest and fails(rest):
                steps = rest
                print(f"{len(steps)} steps are left", flush=True)
            else:
                at += size
        size //= 2
    fails(steps)
    print(f"{path}: steps {steps}")
    for text in calls.wrong(name, seed, calls.options.threads, ["--steps", path]):
        print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "../../../build"), help="build folder")
    parser.add_argument("--bare-build", help="build folder of the program run bare (BUILD)")
    parser.add_argument("--mkmd", help="the mkmd command (BUILD/mkmd)")
    parser.add_argument("--mode", action="append", choices=list(MODES), help="may be repeated; all of them otherwise")
    parser.add_argument("--seeds", default="1-2", help="FIRST-LAST")
    parser.add_argument("--calls", type=int, default=2000, help="of a run")
    parser.add_argument("--threads", type=int, default=0, help="of each run (0: runs with one and runs with three)")
    parser.add_argument("--without", default="", help="kinds of steps that are left out (player.cpp lists them)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--options", default="", help="more options of `mkmd run`")
    parser.add_argument("--shrink", type=int, metavar="SEED", help="of one mode")
    parser.add_argument("--slowdown", type=float, default=1, help="factor on all time-outs (sanitizers)")
    parser.add_argument("--report-bytes", type=int, default=6000, help="how much of a sanitizer's report to print")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.bare_build = os.path.abspath(options.bare_build or options.build)
    options.more = shlex.split(options.options)
    calls = Calls(options)
    if len(os.sched_getaffinity(0)) < 2:
        print("SKIPPED all: this machine has one core, so PoCL cannot be cut in two")
        return 1 if os.environ.get("CI") else 0
    modes = options.mode or list(MODES)
    if options.shrink is not None:
        options.threads = options.threads or 1
        shrink(calls, modes[0], options.shrink)
        return 0
    first, last = map(int, options.seeds.split("-"))
    work = [(mode, seed, threads) for seed in range(first, last + 1) for mode in modes
            for threads in ([options.threads] if options.threads else [1, 3])]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (mode, seed, threads), found in zip(work, pool.map(lambda each: calls.wrong(*each), work)):
            if found:
                calls.failed.append(f"{mode} seed {seed} threads {threads}")
                print(f"FAILED {calls.failed[-1]}: " + "\n  ".join(found), flush=True)
    if calls.counting(options.build) and options.threads != 3:
        for text in calls.forgetful(modes[0]):
            calls.failed.append("forgetful")
            print(f"FAILED {text}", flush=True)
    if not calls.split and any(mode != "pocl" for mode in modes):
        calls.failed.append("no kernel was split")
        print("no kernel was split")
    print(f"{len(work) - len(calls.failed)} runs passed, {len(calls.failed)} failed; {calls.calls} calls, "
          f"{calls.split} kernels split")
    return 1 if calls.failed else 0


if __name__ == "__main__":
    sys.exit(main())
