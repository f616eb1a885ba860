#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs that end in odd ways with every set of drivers this machine has. These are PoCL alone, with
Oclgrind, with Intel's runtime (`scripts/setup intel`), and with both. Intel's is named first and last. Each must end as it does bare on its home's
driver alone. Caches are cold in each run: drivers compile late. Where a bare run ends by a signal there is nothing to
compare with, nor where it never ends. Drivers that are missing are named."""
import concurrent.futures
import glob
import os
import re
import sys
import tempfile

import run_programs

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
FOLDER = os.path.join(BUILD, "tests", "programs")
DRIVERS = {
    "pocl": ["/etc/OpenCL/vendors/pocl.icd"],
    "oclgrind": ["/usr/lib/oclgrind/liboclgrind-rt-icd.so"],
    "intel": ["/opt/intel-ocl/vendors/intel.icd"],
}
WAYS = [("exit_ways", way) for way in
        ("thread", "quick", "callback", "fork", "unfinished", "smaller", "abort")]
# Bare, Intel's runtime ends this one by a signal in some runs (3 of 120).
OTHERS = [("exit_ways", "others")]
# They end while the code for pieces may be made beside them, which they do not wait for.
BESIDE = [("exit_ways", way) for way in ("beside", "beside_thread", "beside_quick")]
# Intel's runtime waits in its exit handler for what the signal has interrupted.
INTERRUPTED = [("exit_ways", "handler")]
EXITS = [("at_exit",), ("global_destructor",), ("exit_pending",), ("immediate_exit",)]
# Drivers as their .icd files are sorted, options of `mkmd run`, programs. The first device is home.
SETS = [
    (["pocl"], "pocl/2", EXITS + WAYS + OTHERS + INTERRUPTED),
    (["pocl"], "pocl:0,pocl:1", BESIDE),
    (["pocl"], "pocl/2 --separate-memory", EXITS),
    (["pocl", "oclgrind"], "pocl", EXITS),
    (["pocl", "oclgrind"], "pocl/2", EXITS),
    (["pocl", "oclgrind"], "pocl/2,oclgrind", EXITS[:1]),
    (["intel", "pocl"], "pocl", EXITS),
    (["pocl", "intel"], "pocl", EXITS),
    (["pocl", "intel"], "pocl/2", EXITS),
    (["pocl", "intel"], "pocl,intel", EXITS + WAYS + OTHERS + BESIDE),
    (["pocl", "intel"], "intel", EXITS + WAYS),
    (["pocl", "intel"], "intel,pocl", EXITS + BESIDE),
    (["intel", "oclgrind", "pocl"], "pocl/2", EXITS),
    (["intel", "oclgrind", "pocl"], "pocl,intel", EXITS),
]
TIMEOUT = 60
# Code is made beside the program only where home leaves a core free.
FREE_CORE = {"POCL_DEVICES": "pthread pthread", "POCL_MAX_PTHREAD_COUNT": "1", "DPCPP_CPU_NUM_CUS": "1"}
SAID_BY_INTEL = "PLEASE submit a bug report"  # whenever a signal ends a process that has loaded it


def icd_line(driver):
    path = glob.glob(DRIVERS[driver][0])
    if not path:
        return None
    if not path[0].endswith(".icd"):
        return path[0]
    with open(path[0]) as file:
        return file.readline().strip()


def run(drivers, command, waits):
    """With only these drivers on the machine, in this order, and nothing in caches. `waits`: launches do, for their code."""
    with tempfile.TemporaryDirectory() as folder:
        vendors = os.path.join(folder, "vendors")
        os.mkdir(vendors)
        for place, driver in enumerate(drivers):
            with open(os.path.join(vendors, f"{place}.icd"), "w") as file:
                file.write(icd_line(driver) + "\n")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MKMD_", "OCL_"))}
        environment.update(OCL_ICD_VENDORS=vendors, POCL_CACHE_DIR=os.path.join(folder, "pocl"),
                           XDG_CACHE_HOME=os.path.join(folder, "cache"), XDG_DATA_HOME=os.path.join(folder, "data"),
                           POCL_AFFINITY="1", LC_ALL="C", MKMD_KC_SECONDS="600",
                           MKMD_WAIT_FOR_CODE=str(int(waits)))
        if not waits:
            environment.update(FREE_CORE)
        if "intel" in drivers:
            environment["LD_LIBRARY_PATH"] = os.path.dirname(icd_line("intel"))
        result = run_programs.execute(command, environment, TIMEOUT)
        result.error = [line for line in result.error if not line.startswith(SAID_BY_INTEL)]
        return result


def outcome(drivers, program, devices=None):
    command = [os.path.join(FOLDER, program[0])] + list(program[1:])
    if devices:
        command = [os.path.join(BUILD, "mkmd"), "run", "--devices"] + devices.split() + ["--"] + command
    return run(drivers, command, program not in BESIDE)


def fails(run):
    return isinstance(run.code, str) or run.code < 0


def main():
    missing = [name for name in DRIVERS if icd_line(name) is None]
    sets = [entry for entry in SETS if not set(entry[0]) & set(missing)]
    home = lambda devices: re.split("[,/:]", devices)[0]
    failed, passed = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        needed = sorted({(home(devices), program) for _, devices, programs in sets for program in programs})
        bare = dict(zip(needed, pool.map(lambda one: outcome([one[0]], one[1]), needed)))
        without = [one for one in needed if fails(bare[one])]
        runs = [(drivers, devices, program) for drivers, devices, programs in sets for program in programs
                if (home(devices), program) not in without]
        for (drivers, devices, program), ours in zip(runs, pool.map(lambda r: outcome(r[0], r[2], r[1]), runs)):
            expected = bare[(home(devices), program)]
            label = f"{' '.join(program)} on {devices}, with {' '.join(drivers)}"
            if (ours.code, ours.out, ours.error, ours.said) == (expected.code, expected.out, expected.error, []):
                passed += 1
                continue
            # Some drivers end the bare program in some runs only.
            one = (home(devices), program)
            if fails(ours) and not fails(expected):
                bare[one] = next((run for run in (outcome([one[0]], program) for _ in range(5)) if fails(run)), expected)
                without += [one] * fails(bare[one])
            if fails(bare[one]):
                continue
            failed.append(label)
            print(f"FAILED {label}: exit code {ours.code}, bare {expected.code}\n{ours.out}---\n{expected.out}"
                  + "\n".join(ours.error + ours.said), flush=True)
    for name in missing:
        print(f"SKIPPED every set with {name}: {DRIVERS[name][0]} is not there")
    for driver, program in without:
        print(f"not compared: {' '.join(program)} on {driver} ends bare with {bare[(driver, program)].code}")
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
