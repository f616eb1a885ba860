#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of programs.json bare and under `mkmd run`, and compares what can be seen of them.

The bare run is the oracle. stdout and exit code must be the same to the byte, and stderr too apart from
lines that begin with `mkmd:`. Exit code 77 of the bare run means that something the program needs is
missing. The program is counted as skipped and named, as are all programs of a configuration this machine cannot run.
In configurations whose policy divides every launch that it may, at least `split` launches of a program must be split.
The list has that number for each program that runs there. It is some way below what is usual.
In a build with sanitizers a program fails, too, if one of them reports anything while it runs under `mkmd run`.
"""
import argparse
import concurrent.futures
import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import process_group

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = "tests/programs"  # in a build folder, where the list does not name another
CONFIGURATIONS = {
    "pocl": ["--devices", "pocl"],
    "pocl/2": ["--devices", "pocl/2"],
    "separate": ["--devices", "pocl/2", "--separate-memory"],
    "divided": ["--devices", "pocl/2", "--policy", "random-cuts:seed=1"],
    "divided-apart": ["--devices", "pocl/2", "--separate-memory", "--policy", "random-cuts:seed=1"],
}
# Bare again with one core: a program whose output changes here is no test. Not run unless asked for.
ONE_CORE = "one-core"
# A forked child looks for its parent's threads.
NO_REPORT = re.compile("Running thread [0-9]+ was not suspended. False leaks are possible")
# Of `mkmd verify`, where nothing differs.
VERDICT = re.compile("^mkmd: ([^:]+: [0-9]+ launched, (?!.*with differences)|no launch was checked: |the program was ended by"
                     "|.* ended without exit handlers: there may be more launches than are counted)")
CHECKED = re.compile(" launched, [0-9]+ may be split, ([0-9]+) checked")
MISSING = 77
FAILED_CALL = 99  # a program's exit code after an OpenCL call that should succeed (program.h)


def divides_all(settings):
    """Whether launches are split whatever that brings, so that their number does not depend on measured times."""
    return settings != ONE_CORE and any(word.startswith("random-cuts") for word in settings)


def least_split(program, settings):
    """How many launches are split at least; None: nobody has said it."""
    if "--separate-memory" in settings and "split_apart" in program:
        return program["split_apart"]
    if any(word.startswith("pocl") for word in settings) and "split_on_pocl" in program:
        return program["split_on_pocl"]
    return program.get("split")


# PoCL's compiler counts its warnings on stderr, unless the code comes from its cache. Kernels have such warnings whose
# vectors are wider than the registers of the CPU.
WARNINGS = re.compile(r"\d+ warnings? generated\.")


class Outcome:
    """How a run ended: exit code (or why there is none), stdout, and the lines of stderr: the program's, ours."""
    def __init__(self, code, out, error, said=()):
        self.code, self.out, self.error, self.said = code, out, error, list(said)
        self.split = 0  # launches, as far as the run had time to say so
        self.reports = ""  # of sanitizers


def python_with_opencl():
    for interpreter in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        if subprocess.run([interpreter, "-c", "import pyopencl"], capture_output=True).returncode == 0:
            return interpreter
    return sys.executable


def execute(command, environment, timeout):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        code = process_group.run(command, environment, timeout, out, error)
        texts = []
        for file in (out, error):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    lines = [line for line in texts[1].splitlines() if not WARNINGS.fullmatch(line)]
    return Outcome(code, texts[0], [line for line in lines if not line.startswith("mkmd:")],
                   [line for line in lines if line.startswith("mkmd:")])


class Sanitizers:
    """What a run needs in a build with sanitizers; nothing in any other."""
    def __init__(self, build):
        self.names = ""
        with open(os.path.join(build, "CMakeCache.txt")) as cache:
            for line in cache:
                if line.startswith("MKMD_SANITIZE:"):
                    self.names = line.split("=", 1)[1].strip()

    def environment(self, log, instrumented):
        """Reports go to files `log`.PID. A program that is not instrumented gets the runtime preloaded."""
        if not self.names:
            return {}
        suppressions = os.path.join(HERE, "../suppressions")
        common = f"log_path={log}:exitcode=0"
        result = {
            # Programs fork after they had threads; that a child may do little is what the tests are about.
            "TSAN_OPTIONS": f"{common}:die_after_fork=0:suppressions={suppressions}/tsan.txt",
            # The runtime need not come first: nothing here replaces its functions. Programs ask for too much. LLVM
            # in drivers replaces threads' signal stacks. What an interpreter keeps until its end is not what we are
            # after, and hides what we would be.
            "ASAN_OPTIONS": f"{common}:verify_asan_link_order=0:allocator_may_return_null=1:use_sigaltstack=0"
                            f":detect_leaks={int(instrumented)}",
            "LSAN_OPTIONS": f"{common}:print_suppressions=0:suppressions={suppressions}/lsan.txt",
            "UBSAN_OPTIONS": f"{common}:print_stacktrace=1",
        }
        if not instrumented:
            library = "libtsan.so.2" if "thread" in self.names else "libasan.so.8"
            found = subprocess.run(["gcc", "-print-file-name=" + library], capture_output=True, text=True)
            result["LD_PRELOAD"] = found.stdout.strip()
        return result


class Runner:
    def __init__(self, options):
        self.options = options
        self.folder = os.path.join(options.build, FOLDER)
        self.bare_folder = os.path.join(options.bare_build, FOLDER)
        self.mkmd = options.mkmd or os.path.join(options.build, "mkmd")
        self.python = python_with_opencl()
        # PoCL's and our caches stay inside the build folder: a test leaves nothing in the home folder.
        self.sanitizers = Sanitizers(options.build)
        # The helper may take as long as it likes: on a busy machine that is none of the program's business. Most
        # programs are over before the code for their pieces is there: so they wait for it.
        self.environment = {"POCL_AFFINITY": "1", **self.one_driver(), **os.environ,
                            "LC_ALL": "C", "MKMD_KC_SECONDS": "600", "MKMD_WAIT_FOR_CODE": "1", "MKMD_LEARN": "0",
                            "XDG_CACHE_HOME": os.path.join(self.folder, "cache"),
                            "POCL_CACHE_DIR": os.path.join(self.bare_folder, "cache/pocl/kcache"),
                            "XDG_DATA_HOME": os.path.join(self.folder, "data")}
        os.makedirs(self.environment["XDG_CACHE_HOME"], exist_ok=True)
        self.split = self.whole = 0
        self.verified = {}  # checked launches, by program

    @staticmethod
    def one_driver():
        """A bare program sees every driver that is installed, under us only the chosen ones. Where PoCL is one of
        several, it is the only one for both."""
        return {"OCL_ICD_VENDORS": "pocl.icd"} if os.path.exists("/etc/OpenCL/vendors/pocl.icd") else {}

    def command(self, program, build=None):
        name = program["command"]
        if program.get("installed"):
            return [name] + program.get("args", [])
        if name.endswith(".py"):
            return [self.python, os.path.join(HERE, name)] + program.get("args", [])
        folder = os.path.join(build or self.options.build, program.get("folder", FOLDER))
        return [os.path.join(folder, name)] + program.get("args", [])

    def run(self, program, command, **variables):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "report")
            instrumented = not program.get("installed") and not program["command"].endswith(".py")
            outcome = execute(command, {**self.environment, **self.sanitizers.environment(log, instrumented),
                                        **variables}, self.timeout(program))
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), errors="replace") as file:
                    outcome.reports += "".join(line for line in file if not NO_REPORT.search(line))
            outcome.reports = outcome.reports.strip()
        return outcome

    def timeout(self, program):
        return program.get("timeout", 300) * self.options.slowdown

    def bare(self, program):
        if "expected" in program:
            return Outcome(program["expected"]["exit"], program["expected"]["stdout"], [])
        if program.get("installed") and not shutil.which(program["command"]):
            return Outcome(MISSING, f"{program['command']} is not installed", [])
        if self.bare_folder != self.folder:
            return execute(self.command(program, self.options.bare_build), self.environment, self.timeout(program))
        return self.run(program, self.command(program))

    def ours(self, program, arguments):
        if arguments == ONE_CORE:
            if "expected" in program:
                return self.bare(program)
            return self.run(program, self.command(program), POCL_MAX_PTHREAD_COUNT="1")
        with tempfile.TemporaryDirectory() as folder:
            summary = os.path.join(folder, "summary.json")
            outcome = self.run(program, [self.mkmd, "verify" if self.options.verify else "run"] + arguments + ["--"]
                               + self.command(program), MKMD_SUMMARY=summary)
            if self.options.verify:
                self.take_verdict(program, outcome)
            try:
                with open(summary) as file:
                    said = json.load(file)
            except (OSError, ValueError):
                said = {}  # of a process that ended at once
            outcome.split = said.get("kernels_split", 0)
            self.split += outcome.split
            self.whole += said.get("kernels_whole", 0)
        return outcome

    def take_verdict(self, program, outcome):
        """The verdict's lines are no words of ours that nobody expects; launches with differences are."""
        for line in outcome.said:
            found = CHECKED.search(line)
            if found:
                self.verified[program["name"]] = self.verified.get(program["name"], 0) + int(found.group(1))
        if self.options.verbose:
            print("\n".join(outcome.said), flush=True)
        outcome.said = [line for line in outcome.said if not VERDICT.search(line)]


def comparable(program, text):
    """Without what may differ: where `drop` matches a line it is left out, where `blank` matches, emptied."""
    lines = [line for line in text.splitlines() if not re.search(program.get("drop", "(?!)"), line)]
    return "\n".join(re.sub(program.get("blank", "(?!)"), "", line) for line in lines)


def differences(program, bare, ours):
    found = []
    if "drop" in program or "blank" in program:
        bare, ours = (Outcome(run.code, comparable(program, run.out), run.error, run.said) for run in (bare, ours))
    if bare.code != ours.code:
        found.append(f"exit code {ours.code} instead of {bare.code}")
    if bare.out != ours.out:
        lines = difflib.unified_diff(bare.out.splitlines(), ours.out.splitlines(), "bare", "ours", lineterm="", n=0)
        found.append("stdout differs:\n" + "\n".join("    " + line for line in list(lines)[:20]))
    if not program.get("ignore_stderr") and "expected" not in program and bare.error != ours.error:
        lines = difflib.unified_diff(bare.error, ours.error, "bare", "ours", lineterm="", n=0)
        found.append("stderr differs:\n" + "\n".join("    " + line for line in list(lines)[:20]))
    elif found and ours.error:
        found.append("stderr:\n" + "\n".join("    " + line for line in ours.error[:20]))
    return found


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "../../build"), help="build folder")
    parser.add_argument("--bare-build", help="build folder of the programs run bare (BUILD); one without sanitizers"
                                             " makes tests of one with sanitizers quicker")
    parser.add_argument("--mkmd", help="the mkmd command (BUILD/mkmd)")
    parser.add_argument("--config", action="append",
                        help=f"{', '.join(CONFIGURATIONS)}, {ONE_CORE}, or options of `mkmd run` in quotes;"
                             " may be repeated")
    parser.add_argument("--verify", action="store_true", help="under `mkmd verify`, not `mkmd run`")
    parser.add_argument("--only", help="comma-separated names, or beginnings of names")
    parser.add_argument("--jobs", type=int, default=1, help="programs run at the same time")
    parser.add_argument("--slowdown", type=float, default=1, help="factor on all time-outs (sanitizers)")
    parser.add_argument("--report-bytes", type=int, default=6000, help="how much of a sanitizer's report to print")
    parser.add_argument("--list", action="store_true", help="print the programs' names")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the programs that pass, too")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.bare_build = os.path.abspath(options.bare_build or options.build)
    chosen = {}
    for name in options.config or CONFIGURATIONS:
        if name == ONE_CORE:
            chosen[name] = ONE_CORE
        elif name in CONFIGURATIONS:
            chosen[name] = CONFIGURATIONS[name]
        elif name.startswith("-"):
            chosen[name] = shlex.split(name)
        else:
            parser.error(f"no configuration '{name}'; there are {', '.join(CONFIGURATIONS)}, {ONE_CORE}")
    options.configurations = chosen
    return options


def main():
    options = arguments()
    with open(os.path.join(HERE, "programs.json")) as file:
        programs = json.load(file)
    if options.only:
        wanted = tuple(options.only.split(","))
        programs = [program for program in programs if program["name"].startswith(wanted)]
    if options.list:
        print("\n".join(program["name"] for program in programs))
        return 0
    runner = Runner(options)
    needs_mkmd = any(value != ONE_CORE for value in options.configurations.values())
    if needs_mkmd and not os.path.exists(runner.mkmd):
        print(f"no {runner.mkmd}: build it first, or name it with --mkmd")
        return 1

    passed, failed, skipped = 0, [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        bare_runs = dict(zip((p["name"] for p in programs), pool.map(runner.bare, programs)))
        for name, settings in options.configurations.items():
            if "pocl/2" in settings and len(os.sched_getaffinity(0)) < 2:
                print(f"SKIPPED {name}: this machine has one core, so PoCL cannot be cut in two")
                skipped += [f"{program['name']} ({name})" for program in programs]
                continue
            these = [program for program in programs if name in program.get("only_in", [name])
                     and bare_runs[program["name"]].code != MISSING]
            for program in programs:
                if bare_runs[program["name"]].code == MISSING:
                    print(f"SKIPPED {program['name']} ({name}): {bare_runs[program['name']].out.strip()}")
                    skipped.append(f"{program['name']} ({name})")
            for program, ours in zip(these, pool.map(lambda p: runner.ours(p, settings), these)):
                label = f"{program['name']} ({name})"
                bare = bare_runs[program["name"]]
                found = differences(program, bare, ours)
                if isinstance(bare.code, str) or bare.code < 0 or bare.code == FAILED_CALL:
                    found.append(f"the bare run itself fails: {bare.code}")
                if ours.said:
                    found.append("we had something to say:\n    " + "\n    ".join(ours.said[:20]))
                if divides_all(settings) and not options.verify:
                    least = least_split(program, settings)
                    if least is None:
                        found.append("the list does not say how many of its launches are split at least")
                    elif ours.split < least:
                        found.append(f"{ours.split} launches were split instead of {least} or more")
                if ours.reports:
                    found.append("a sanitizer reported:\n" + ours.reports[:options.report_bytes])
                if found:
                    failed.append(label)
                    print(f"FAILED {label}: " + "\n  ".join(found), flush=True)
                else:
                    passed += 1
                    if options.verbose:
                        print(f"passed {label}", flush=True)
    if runner.split + runner.whole:
        print(f"kernel launches: {runner.split} split, {runner.whole} whole")
    if options.verify:
        print(f"launches checked: {sum(runner.verified.values())}, of {len(runner.verified)} programs")
        if passed and not sum(runner.verified.values()):
            failed.append("no launch was checked")
    elif passed and not options.only and not runner.split and any("pocl/2" in c for c in options.configurations.values()):
        failed.append("no kernel was split")
    if failed:
        print("failed: " + ", ".join(failed))
    if skipped:
        print("skipped: " + ", ".join(skipped))
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
