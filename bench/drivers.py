#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a driver's first device does under MKMD, as a row of a table, from runs alone.

    OCL_ICD_VENDORS=pocl.icd bench/drivers.py run --name "PoCL 3.1" --device pocl --output pocl.json
    bench/drivers.py table pocl.json intel.json …

`run` runs on that device every kernel of tests/compiler/kernels, whole and in pieces. It runs every program of
tests/programs/programs.json bare, whole under MKMD, and with each launch divided that may be. It also measures an
empty launch, bare and under MKMD, and copies. Launches are divided between two parts of the device. A device without
parts shares them with the devices that --beside names. A step that was run before keeps its result in FILE until it
is run again.
"""
import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS = ["driver", "kernels", "programs whole", "programs divided", "launches split", "sub-devices",
           "empty launch, bare and MKMD", "link, write and read"]
DIVIDED = ["--policy", "random-cuts:seed=1"]
FEWER = re.compile(r"^(FAILED [^:]*: |  )\d+ launches were split instead of \d+ or more$")


class Driver:
    def __init__(self, options):
        self.options = options
        self.mkmd = os.path.join(options.build, "mkmd")
        self.row = {}
        if os.path.exists(options.output):
            with open(options.output) as file:
                self.row = json.load(file)
        self.row.update(spec=options.device, name=options.name)

    def execute(self, *command):
        """Exit code and what was printed."""
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return ran.returncode, ran.stdout

    def names(self):
        code, text = self.execute(self.mkmd, "devices", self.options.device)
        if code != 0:
            sys.exit(f"drivers: {text.strip()}")
        self.row["device"] = re.split(r"\s{2,}", text.splitlines()[1].strip())[1]
        self.row["parts"] = self.execute(self.mkmd, "devices", self.options.device + "/2")[0] == 0

    def kernels(self):
        code, text = self.execute(os.path.join(self.options.build, "tests/compiler/compiler_device_tests"),
                                  "--gtest_brief=1")
        passed = re.search(r"\[  PASSED  \] (\d+) test", text)
        skipped = re.search(r"\[  SKIPPED \] (\d+) test", text)
        self.row["kernels"] = {"ended": code, "passed": int(passed.group(1)) if passed else 0,
                               "skipped": int(skipped.group(1)) if skipped else 0,
                               "failed": sorted(set(re.findall(r"^\[  FAILED  \] (\S+?),? ", text, re.MULTILINE)))}

    def programs(self, step, *settings):
        command = [sys.executable, os.path.join(ROOT, "tests/programs/run_programs.py"), "--build", self.options.build,
                   "--jobs", "2", "-v", "--config", " ".join(settings)]
        if self.options.only:
            command += ["--only", self.options.only]
        code, text = self.execute(*command)
        if not re.search(r"^\d+ passed, \d+ failed", text, re.MULTILINE):
            sys.exit(f"drivers: run_programs.py ended with {code}: {text[-500:]}")
        split = re.search(r"kernel launches: (\d+) split, (\d+) whole", text)
        blocks = re.split(r"\n(?=FAILED |passed |SKIPPED |kernel launches|failed: |skipped: |\d+ passed)", text)
        failed = [block for block in blocks if block.startswith("FAILED ")]
        # How many launches are divided at least is known for PoCL only.
        fewer = [block for block in failed if all(FEWER.match(line) for line in block.strip().splitlines())]
        differ = [block for block in failed if block not in fewer]
        self.row[step] = {
            "ended": code, "settings": " ".join(settings), "skipped": len(re.findall("^SKIPPED ", text, re.MULTILINE)),
            "equal": len(re.findall("^passed ", text, re.MULTILINE)) + len(fewer), "differ": differ,
            "split": int(split.group(1)) if split else None, "whole": int(split.group(2)) if split else None}

    def divided(self):
        among = self.options.device + "/2" if self.row["parts"] else None
        if among is None and self.options.beside:
            among = f"{self.options.device},{self.options.beside}"
        if among:
            self.programs("divided", "--devices", among, *DIVIDED)

    def launches(self):
        program = [os.path.join(self.options.build, "bench/micro/empty_kernels"), "--launches", "20000"]
        for key, prefix in (("bare", []), ("mkmd", [self.mkmd, "run", "--devices", self.options.device, "--"])):
            self.row["launch_" + key] = values_of(self.execute(*prefix, *program)).get("empty_launch_us")

    def link(self):
        self.row["link"] = values_of(self.execute(os.path.join(self.options.build, "bench/micro/link")))

    def run(self):
        self.names()
        for step in self.options.steps.split(","):
            if step == "programs":
                self.programs("programs", "--devices", self.options.device)
            else:
                {"kernels": self.kernels, "divided": self.divided, "launches": self.launches, "link": self.link}[step]()
            print(f"{step}: {json.dumps(self.row, indent=1) if self.options.verbose else 'done'}", flush=True)
            with open(self.options.output, "w") as file:
                json.dump(self.row, file, indent=1)


def values_of(ran):
    code, text = ran
    return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line) if code == 0 else {}


def programs_cell(row, step):
    if step not in row:
        return "not run"
    found = row[step]
    names = ", ".join(re.match(r"FAILED (\S+)", block).group(1) for block in found["differ"])
    return (f"{found['equal']} equal, {len(found['differ'])} not" + (f" ({names})" if names else "") +
            f", {found['skipped']} skipped")


def cells(row):
    kernels = row.get("kernels")
    divided = row.get("divided", {})
    link = row.get("link", {})
    return [row["name"],
            f"{kernels['passed']} pass, {len(kernels['failed'])} fail" if kernels else "not run",
            programs_cell(row, "programs"), programs_cell(row, "divided"),
            f"{divided['split']} of {divided['split'] + divided['whole']}" if divided.get("split") is not None else "",
            "yes" if row["parts"] else "no",
            f"{row.get('launch_bare') or '?'} µs, {row.get('launch_mkmd') or '?'} µs",
            f"{link.get('write_gb_per_s', '?')} GB/s, {link.get('read_gb_per_s', '?')} GB/s"]


def table(files):
    print("| " + " | ".join(COLUMNS) + " |\n|" + " --- |" * len(COLUMNS))
    for name in files:
        with open(name) as file:
            print("| " + " | ".join(cells(json.load(file))) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="make a row")
    run.add_argument("--device", required=True, help="as `mkmd devices` names it")
    run.add_argument("--name", required=True, help="of the driver, with its version, for the table")
    run.add_argument("--beside", help="other devices that share launches with one that has no parts")
    run.add_argument("--build", default=os.path.join(ROOT, "build"), help="build folder (build)")
    run.add_argument("--output", required=True, help="file for the row")
    run.add_argument("--steps", default="launches,link,kernels,programs,divided", help="(%(default)s)")
    run.add_argument("--only", help="programs, as for run_programs.py")
    run.add_argument("-v", "--verbose", action="store_true")
    show = commands.add_parser("table", help="print rows as Markdown")
    show.add_argument("files", nargs="+")
    options = parser.parse_args()
    if options.command == "table":
        return table(options.files)
    options.build = os.path.abspath(options.build)
    return Driver(options).run()


if __name__ == "__main__":
    sys.exit(main())
