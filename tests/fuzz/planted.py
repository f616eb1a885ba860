#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts known faults back, one at a time, and shows that a fuzzer finds each of them.

planted.py [--build BUILD] [01 02 …] or --all: faults are patches in planted/. A patch is applied to copies of the files
it changes. These are compiled, with the files that BUILD compiles them together with, and linked with what BUILD has. Then run.py looks for a
case that differs, or with --footprints run_footprints.py, which sees faults of the analysis only. --shrink also makes the first case that differs small, and checks that it still tells the faulty
build from BUILD.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HELPER, LIBRARY = "bin/mkmd-kc", "lib/mkmd/libinterpose.so"
FOOTPRINTS = "tests/fuzz/footprints/footprint_case"
LONGEST_SMALL_KERNEL = 16  # lines


class Failure(Exception):
    pass


def run(command, what, **more):
    p = subprocess.run(command, capture_output=True, text=True, errors="replace", **more)
    if p.returncode != 0:
        raise Failure(f"{what}: {(p.stderr or p.stdout).strip()[-2000:]}")
    return p.stdout


def changed_files(patch):
    with open(patch) as file:
        files = re.findall(r"(?m)^\+\+\+ b/(\S+)", file.read())
    for name in files:
        if not name.endswith(".cpp"):
            raise Failure(f"it changes {name}: only .cpp files can be compiled by themselves")
    return files


def together(source):
    """The files that are compiled with it: those that a unity source includes, or itself alone."""
    if "/Unity/unity_" not in source:
        return [os.path.realpath(source)]
    with open(source) as file:
        return [os.path.realpath(name) for name in re.findall(r'(?m)^#include "(.*)"', file.read())]


class Faulty:
    """A build folder that is BUILD's but for what the patch changes."""
    def __init__(self, build, scratch, patch):
        self.build, self.patch = build, patch
        self.name = os.path.splitext(os.path.basename(patch))[0]
        self.top = os.path.join(scratch, self.name)
        shutil.rmtree(self.top, ignore_errors=True)
        self.folder, self.sources = os.path.join(self.top, "build"), os.path.join(self.top, "source")

    def make(self, footprints):
        files = changed_files(self.patch)
        self.apply(files)
        for name in ["mkmd", HELPER, LIBRARY, FOOTPRINTS]:
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            shutil.copy2(os.path.join(self.build, name), os.path.join(self.folder, name))
        for name in ["libOpenCL.so.1", "libOpenCL.so"]:
            os.symlink("libinterpose.so", os.path.join(self.folder, os.path.dirname(LIBRARY), name))
        objects = self.compile(files)
        if not footprints and any(not name.startswith("compiler/helper/") for name in files):
            self.link(LIBRARY, objects)
        if any(name.startswith("compiler/") for name in files):
            self.link(HELPER, objects)
        if footprints and all(re.match("compiler/[^/]*$", name) for name in files):
            self.link(FOOTPRINTS, objects)

    def apply(self, files):
        for name in files:
            os.makedirs(os.path.dirname(os.path.join(self.sources, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(self.sources, name))
        # git must not take the folder for a part of the repository around it.
        run(["git", "apply", self.patch], f"planted/{self.name}.patch does not apply to the sources any more",
            cwd=self.sources, env={**os.environ, "GIT_CEILING_DIRECTORIES": os.path.realpath(self.top)})

    def compile(self, files):
        """The new objects, by the ones of BUILD in whose place they are linked."""
        with open(os.path.join(self.build, "CMakeCache.txt")) as file:
            built_from = os.path.realpath(re.search(r"(?m)^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", file.read()).group(1))
        with open(os.path.join(self.build, "compile_commands.json")) as file:
            commands = json.load(file)
        changed = {os.path.join(built_from, name): os.path.join(self.sources, name) for name in files}
        objects, compiled = {}, set()
        for command in commands:
            parts = together(command["file"])
            if changed.keys().isdisjoint(parts):
                continue
            compiled.update(parts)
            words = shlex.split(command["command"])
            at = words.index("-o") + 1
            new = os.path.join(self.top, words[at].replace("/", "."))
            objects[words[at]], words[at] = new, new
            source = os.path.splitext(new)[0]
            with open(source, "w") as file:
                file.writelines(f'#include "{changed.get(part, part)}"\n' for part in parts)
            words[words.index(command["file"])] = source
            run(words, f"{source} with the fault", cwd=command["directory"])
        if missing := changed.keys() - compiled:
            raise Failure(f"{', '.join(sorted(missing))}: in no target of {self.build}")
        return objects

    def link(self, target, objects):
        lines = run(["ninja", "-C", self.build, "-t", "commands", target], "ninja").splitlines()
        command = next(part for part in lines[-1].split(" && ") if f"-o {target} " in part)
        words = [objects.get(word, word) for word in shlex.split(command)]
        at = words.index("-o") + 1
        words[at] = os.path.join(self.folder, target)
        # Before the archive that has the old one. That one has the same names, so it is not taken.
        archives = {os.path.basename(word) for word in words}
        words[at + 1:at + 1] = [new for old, new in objects.items()
                                if f"lib{re.search('([^/]*)[.]dir/', old).group(1)}.a" in archives]
        run(words, f"{target} with the fault", cwd=self.build)


def look(faulty, options):
    """Seconds, the case and what was said of it; or seconds and None."""
    if options.footprints:
        command = ["footprints/run_footprints.py"]
    else:
        command = ["run.py", "--player", os.path.join(options.build, "tests/fuzz/fuzz_case"), "--keep", "--modes", options.modes]
    command = [sys.executable, os.path.join(HERE, command[0]), *command[1:], "--build", faulty.folder, "--stop",
               "--seed", str(options.seed), "--seconds", str(options.seconds), "--found", os.path.join(faulty.top, "found")]
    began = time.monotonic()
    output = subprocess.run(command, capture_output=True, text=True, errors="replace").stdout
    seconds = time.monotonic() - began
    found = re.search(r"(?m)^FAILED case (\d+): (.*)", output)
    return seconds, (found.group(1), found.group(2)) if found else None


def shrink_found(faulty, options, seed, text):
    """What is wrong with the small case, or nothing."""
    mode = text.split(":")[0]
    found = os.path.join(faulty.top, "found")
    base = [sys.executable, os.path.join(HERE, "run.py"), "--player", os.path.join(options.build, "tests/fuzz/fuzz_case"),
            "--modes", mode, "--found", found]
    began = time.monotonic()
    subprocess.run(base + ["--build", faulty.folder, "--shrink", os.path.join(found, f"case-{seed}.json")])
    small = os.path.join(found, f"small-{seed}.json")
    if not os.path.exists(small):
        return "nothing small was made"
    with open(small) as file:
        case = json.load(file)
    lines = [line for line in case["source"].splitlines() if line.strip()]
    print(f"  {len(case['commands'])} commands and {len(lines)} lines after {time.monotonic() - began:.0f} s:")
    print("    " + "\n    ".join(lines), flush=True)
    if len(lines) > LONGEST_SMALL_KERNEL:
        return f"{len(lines)} lines are not small"
    if subprocess.run(base + ["--build", faulty.folder, "--case", small], capture_output=True).returncode != 1:
        return "the small case shows no fault"
    if subprocess.run(base + ["--build", options.build, "--case", small], capture_output=True).returncode != 0:
        return "the small case also fails without the fault"
    return None


def find(faulty, options):
    """False, with a line that says why, if the fault cannot be planted or is not found."""
    try:
        faulty.make(options.footprints)
        seconds, found = look(faulty, options)
        if not found:
            raise Failure(f"not found in {seconds:.0f} s")
        print(f"{faulty.name} | {seconds:.0f} s | {found[0]} | {found[1][:150]}", flush=True)
        wrong = shrink_found(faulty, options, *found) if options.shrink else None
        if wrong:
            raise Failure(wrong)
    except Failure as failure:
        print(f"{faulty.name} | FAILED | {failure}", flush=True)
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", nargs="*", default=[], help="numbers; 01 to 04 if none is given")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--scratch", help="BUILD/tests/fuzz/planted")
    parser.add_argument("--seconds", type=float, default=600, help="for each fault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modes", default="verify,separate,shared,three")
    parser.add_argument("--footprints", action="store_true", help="look with run_footprints.py")
    parser.add_argument("--jobs", type=int, default=2, help="faults at a time")
    parser.add_argument("--shrink", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    scratch = os.path.abspath(options.scratch or os.path.join(options.build, "tests/fuzz/planted"))
    wanted = options.faults or ["01", "02", "03", "04"]
    patches = sorted(p for p in glob.glob(os.path.join(HERE, "planted/*.patch"))
                     if options.all or os.path.basename(p)[:2] in wanted)
    print("fault | found after | case | mode and difference", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        bad = sum(not done for done in pool.map(lambda patch: find(Faulty(options.build, scratch, patch), options), patches))
    print(f"{len(patches)} faults, {bad} not found or not to be planted")
    return 1 if bad or not patches else 0


if __name__ == "__main__":
    sys.exit(main())
