#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs run under us while something of ours is broken: the compiler helper, the cache, the settings.

Whatever is broken, the program's stdout, exit code and its own lines of stderr must be those of the bare run. stderr
must also hold the one `mkmd:` line that says what is wrong, or none where nothing is for the user to know.
"""
import argparse
import functools
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../programs"))
import run_programs  # noqa: E402
import failing_devices  # noqa: E402

STENCIL = {"name": "stencil", "command": "stencil"}
COMPILE_ERROR = {"name": "compile_error", "command": "compile_error", "blank": r"\S*/tempfile_\w+"}
ON_TWO = {"MKMD_DEVICES": "pocl/2"}
TMPFS_KIB = 64


class Skip(Exception):
    """Why a case cannot be run on this machine."""


class Faults:
    def __init__(self, options):
        options.mkmd = None
        self.programs = run_programs.Runner(options)
        self.library = os.path.join(options.build, "lib/mkmd")
        self.helper = os.path.join(options.build, "bin/mkmd-kc")
        # PoCL's cache stays where it is, whatever happens to ours.
        self.programs.environment["POCL_CACHE_DIR"] = os.path.join(
            self.programs.environment["XDG_CACHE_HOME"], "pocl-faults")
        self.bare = functools.lru_cache(None)(lambda name: self.programs.bare({"name": name, "command": name}))
        self.bare_runs = {}
        self.split = self.whole = 0  # kernels of the latest run under us
        self.wrong = []
        self.folder = tempfile.mkdtemp(prefix="mkmd-faults-")

    def bare_of(self, program):
        key = (program["name"], *program.get("args", []))
        if key not in self.bare_runs:
            self.bare_runs[key] = self.programs.bare(program)
        return self.bare_runs[key]

    def preloaded(self, program, wrap=(), **variables):
        """A run under us without `mkmd run`: what it would refuse gets as far as the library."""
        summary = os.path.join(self.folder, "summary.json")
        if os.path.exists(summary):
            os.remove(summary)
        given = {"MKMD_SUMMARY": summary, **ON_TWO, "LD_PRELOAD": os.path.join(self.library, "libinterpose.so"),
                 **variables}
        setting = [f"{name}={value}" for name, value in given.items() if value is not None]
        unset = [f"-u{name}" for name, value in given.items() if value is None]
        # LD_PRELOAD is for the program alone, not for what starts it.
        command = [*wrap, "env", *unset, *setting, "LD_LIBRARY_PATH=" + self.library, *self.programs.command(program)]
        outcome = self.programs.run(program, command)
        self.split = self.whole = 0
        if os.path.exists(summary):
            with open(summary) as file:
                said = json.load(file)
            self.split, self.whole = said["kernels_split"], said["kernels_whole"]
        return outcome

    def check(self, what, program, ours, said):
        """`said`: one pattern for each line of ours that is expected."""
        found = run_programs.differences(program, self.bare(program["command"]), ours)
        if ours.reports:
            found.append("a sanitizer reported:\n" + ours.reports[:6000])
        if len(ours.said) != len(said) or not all(map(re.search, said, ours.said)):
            found.append("on stderr: " + ("\n    ".join(ours.said) or "nothing") + "\n    instead of: " + str(said))
        self.wrong += [f"{what}: {text}" for text in found]

    def expect(self, what, *said, program=STENCIL, split=None, **variables):
        ours = self.preloaded(program, **variables)
        self.check(what, program, ours, said)
        if split is not None and (self.split > 0) != split:
            self.wrong.append(f"{what}: {self.split} kernels were split")
        return ours

    def new_cache(self):
        return tempfile.mkdtemp(dir=self.folder)

    def script(self, text):
        handle, path = tempfile.mkstemp(dir=self.folder, prefix="helper-")
        os.write(handle, ("#!/bin/sh\n" + text + "\n").encode())
        os.fchmod(handle, 0o700)
        os.close(handle)
        return path


def nothing_broken(f):
    """Otherwise the other cases would show nothing."""
    f.expect("first run", split=True, XDG_CACHE_HOME=f.new_cache())


def helper_missing(f):
    for path, why in (("/no/such/helper", "No such file"), (f.folder, "cannot be started"),
                      ("/etc/passwd", "Permission denied")):
        f.expect(path, f"compiler helper {path}.*MKMD_KC.*{why}.*run whole on the home", split=False, MKMD_KC=path,
                 XDG_CACHE_HOME=f.new_cache())


def helper_killed(f):
    """Killed at random moments; one that was quicker did its work."""
    moments = random.Random(2)
    killed = 0
    for _ in range(8):
        after = moments.choice([0, moments.uniform(0, 0.02), moments.uniform(0, 0.2)])
        helper = f.script(f"( sleep {after:.4f}; kill -9 $$ ) <&- >&- 2>&- &\nexec {f.helper}")
        ours = f.preloaded(STENCIL, MKMD_KC=helper, XDG_CACHE_HOME=f.new_cache())
        f.check(f"after {after:.4f} s", STENCIL, ours, [] if f.split else ["ended by signal 9.*run whole"])
        killed += f.split == 0
    if not killed:
        f.wrong.append("each helper was quicker than its end")
    f.expect("by itself", "ended by signal 11.*run whole", split=False, MKMD_KC=f.script("kill -SEGV $$"),
             XDG_CACHE_HOME=f.new_cache())


def helper_hangs(f):
    helper = f.script("exec sleep 1000")
    f.expect("hangs", "took longer than 1 s.*run whole", split=False, MKMD_KC=helper, MKMD_KC_SECONDS="1",
             XDG_CACHE_HOME=f.new_cache())


def helper_talks_nonsense(f):
    for text, said in (("head -c 100000 /dev/urandom", "answer cannot be used.*not a module"),
                       ("exit 0", "answer cannot be used.*too short"),
                       (f"{f.helper} | head -c 500", "answer cannot be used.*wrong length"),
                       ("cat /dev/zero", "answer is longer than"),
                       ("exit 9", "failed with exit code 9")):
        f.expect(text, said + ".*run whole", split=False, MKMD_KC=f.script(text), XDG_CACHE_HOME=f.new_cache())


def cache_unwritable(f):
    # A file where a folder should be: that stops the superuser, too.
    blocked = os.path.join(f.new_cache(), "file")
    open(blocked, "w").close()
    f.expect("a file in the way", "cannot write .*Not a directory", split=True, XDG_CACHE_HOME=blocked)
    if os.geteuid() != 0:
        closed = f.new_cache()
        os.chmod(closed, 0o500)
        f.expect("no permission", "cannot write .*(Permission denied|No such file)", split=True,
                 XDG_CACHE_HOME=closed)


def cache_corrupt(f):
    """Whatever lies in the cache, a run repairs it and says nothing."""
    cache = f.new_cache()
    f.expect("filling it", split=True, XDG_CACHE_HOME=cache)
    files = glob.glob(os.path.join(cache, "mkmd/*"))
    if len(files) < 2:
        f.wrong.append(f"only {files} in the cache")
    good = {}
    for path in files:
        with open(path, "rb") as file:
            good[path] = file.read()
    noise = random.Random(3)

    def flipped(data):
        at = noise.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << noise.randrange(8)]) + data[at + 1:]

    damages = {"garbage": lambda data: noise.randbytes(len(data)), "empty": lambda data: b"",
               "cut short": lambda data: data[:len(data) // 2], "one bit": flipped,
               "other types": lambda data: re.sub(rb'("?)[\w.+-]+\1(?=[,}\s]*\n)', b'"x"', data),
               "a list": lambda data: b"[]"}
    for name, damage in damages.items():
        for path, data in good.items():
            with open(path, "wb") as file:
                file.write(damage(data))
        f.expect(name, split=True, XDG_CACHE_HOME=cache)
    for path in files:
        os.remove(path)
        os.mkfifo(path)
    f.expect("pipes", split=True, XDG_CACHE_HOME=cache)
    for path in files:
        os.remove(path)
        os.mkdir(path)
    f.expect("folders", "cannot write .*Is a directory", split=True, XDG_CACHE_HOME=cache)


def disk_full(f):
    cache = f.new_cache()
    inside = f'mount -t tmpfs -o size={TMPFS_KIB}k none {cache} && cat /dev/zero >{cache}/full 2>&-; exec "$@"'
    wrap = ["unshare", "-rm", "sh", "-c", inside, "sh"]
    probe = subprocess.run([*wrap, "df", "--output=avail", cache], capture_output=True, text=True)
    if probe.returncode != 0 or probe.stdout.split()[-1] != "0":
        raise Skip("a file system of its own cannot be mounted here: " + probe.stderr.strip())
    ours = f.preloaded(STENCIL, wrap=wrap, XDG_CACHE_HOME=cache)
    f.check("full", STENCIL, ours, ["cannot write .*No space left"])


def device_refuses_code(f):
    """One line, though more than one program is refused."""
    helper = f.script(f"exec python3 {HERE}/refused_code.py {f.helper}")
    f.expect("refused", "mkmd: pocl/2#0, pocl/2#1 gets no pieces of the program of kernel .*its driver refuses the code"
             ".*run whole on the home device", program={**STENCIL, "ignore_stderr": True},  # PoCL counts its errors there
             split=False, MKMD_KC=helper, XDG_CACHE_HOME=f.new_cache())


def code_in_the_making(f):
    """A program that ends before or while the code for its pieces is made, or goes on after that."""
    # Of devices that leave a core free. Others wait for their code.
    variables = {"MKMD_WAIT_FOR_CODE": "0", "XDG_CACHE_HOME": f.new_cache(), "MKMD_DEVICES": "pocl:0,pocl:1",
                 "POCL_DEVICES": "pthread pthread", "POCL_MAX_PTHREAD_COUNT": "1"}
    for name in ("stencil", "exit_pending", "fork_quiet", "threads_own"):
        f.expect(name, program={"name": name, "command": name}, **variables, POCL_CACHE_DIR=f.new_cache())
    for milliseconds in range(200, 800, 60):
        program = {"name": "repeats", "command": "repeats", "args": ["65536", str(milliseconds)]}
        f.expect(f"{milliseconds} ms", program=program, **variables, POCL_CACHE_DIR=f.new_cache())
    for seconds in (2, 20):  # a busy machine takes longer to make the code
        variables.update(XDG_CACHE_HOME=f.new_cache(), POCL_CACHE_DIR=f.new_cache())
        program = {"name": "repeats", "command": "repeats", "args": ["65536", str(seconds * 1000)]}
        f.expect(f"{seconds} s", program=program, **variables)
        if f.split:
            break
    else:
        f.wrong.append("many launches: none was split")
    if not f.whole:
        f.wrong.append("the first launches were split, too")


def home_unset(f):
    f.expect("unset", "neither XDG_CACHE_HOME nor HOME", split=True, HOME=None, XDG_CACHE_HOME=None)


def device_missing(f):
    f.expect("no such platform", 'MKMD_DEVICES: "nosuch": no platform.*available: .*pocl', split=False,
             MKMD_DEVICES="nosuch")
    f.expect("no such device", 'MKMD_DEVICES: "pocl:7": there is no device 7.*available', split=False,
             MKMD_DEVICES="pocl:7")
    f.expect("too many parts", "MKMD_DEVICES: .*cannot be divided into 5000 parts", split=False,
             MKMD_DEVICES="pocl/5000")
    f.expect("no sense", "MKMD_DEVICES: .*PLATFORM", split=False, MKMD_DEVICES="pocl//,")


def wrong_settings(f):
    f.expect("unknown", "unknown setting MKMD_DEVICE; did you mean MKMD_DEVICES", split=True, MKMD_DEVICE="x")
    f.expect("level", "MKMD_LOG=loud is not accepted: give quiet, error", split=True, MKMD_LOG="loud")
    f.expect("number", "MKMD_KC_SECONDS=soon is not accepted: give a number", split=True, MKMD_KC_SECONDS="soon")
    f.expect("policy", "MKMD_POLICY: .*nonsense.*mkmd-slices", split=False, MKMD_POLICY="nonsense")
    f.expect("trace", "MKMD_TRACE: cannot write /no/such/folder/trace", split=True,
             MKMD_TRACE="/no/such/folder/trace")
    f.expect("summary", "MKMD_SUMMARY: cannot write /no/such/folder/summary", MKMD_SUMMARY="/no/such/folder/summary")


def kernel_does_not_compile(f):
    """The whole build log is on the program's stdout: it must be the bare run's."""
    log = f.bare("compile_error").out
    if "CL_BUILD_PROGRAM_FAILURE" not in log or "undeclared_name" not in log:
        f.wrong.append("the bare run says " + log)
    f.expect("log", program=COMPILE_ERROR)


def wrong_options(f):
    """One line that says what is wrong and what is accepted, exit code 2, and the program never starts."""
    started = os.path.join(f.folder, "started")
    for arguments, said in ((["--device", "pocl"], "--device.*accepted: .*--devices SPEC"),
                            (["--devices", "nosuch"], "nosuch.*available: .*pocl"),
                            (["--devices"], "--devices needs a value: SPEC"),
                            (["--policy", "fastest"], "fastest.*mkmd-slices"),
                            (["--log", "loud"], "loud.*quiet, error"),
                            (["--separate-memory=maybe"], "--separate-memory takes no value"),
                            ([], "MKMD_DEVICE;.*MKMD_DEVICES")):
        variables = {} if arguments else {"MKMD_DEVICE": "pocl"}
        ours = f.programs.run({"command": "touch", "installed": True}, [f.programs.mkmd, "run", *arguments, "--",
                                                                       "touch", started], **variables)
        if ours.code != 2 or ours.out or ours.error or len(ours.said) != 1 or not re.search(said, ours.said[0]):
            f.wrong.append(f"{arguments}: exit code {ours.code}, stdout '{ours.out}', stderr {ours.error + ours.said}")
        if os.path.exists(started):
            f.wrong.append(f"{arguments}: the program was started")


CASES = [nothing_broken, helper_missing, helper_killed, helper_hangs, helper_talks_nonsense, cache_unwritable,
         cache_corrupt, disk_full, device_refuses_code, code_in_the_making, home_unset, device_missing, wrong_settings, kernel_does_not_compile, wrong_options,
         *failing_devices.CASES]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "../../build"), help="build folder")
    parser.add_argument("--bare-build", help="build folder of the programs run bare (BUILD)")
    parser.add_argument("--only", help="comma-separated beginnings of cases: " + ", ".join(c.__name__ for c in CASES))
    parser.add_argument("--slowdown", type=float, default=1, help="factor on all time-outs (sanitizers)")
    parser.add_argument("-v", "--verbose", action="store_true", help="time the cases")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.bare_build = os.path.abspath(options.bare_build or options.build)
    if len(os.sched_getaffinity(0)) < 2:
        print("SKIPPED all: this machine has one core, so PoCL cannot be cut in two")
        return 1 if os.environ.get("CI") else 0
    faults = Faults(options)
    failed, skipped, passed = [], [], 0
    try:
        for case in CASES:
            if options.only and not case.__name__.startswith(tuple(options.only.split(","))):
                continue
            faults.wrong, began = [], time.monotonic()
            try:
                case(faults)
            except Skip as why:
                print(f"SKIPPED {case.__name__}: {why}")
                skipped.append(case.__name__)
                continue
            if faults.wrong:
                failed.append(case.__name__)
                print(f"FAILED {case.__name__}:\n  " + "\n  ".join(faults.wrong), flush=True)
            else:
                passed += 1
            if options.verbose:
                print(f"{case.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    finally:
        shutil.rmtree(faults.folder, ignore_errors=True)
    if skipped:
        print("skipped: " + ", ".join(skipped))
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
