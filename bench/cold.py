# SPDX-License-Identifier: Apache-2.0
"""What a program costs whose code nobody has compiled yet: from start to end with both cores, on two one-core devices.

Each run has caches of its own, PoCL's and ours, which only know what the machine can do. `waits` makes the program wait
for the code for pieces, `beside` does not."""
import glob
import os
import shutil
import statistics
import tempfile

import verified

SIDES = {"bare": None, "waits": {"MKMD_WAIT_FOR_CODE": "1"}, "beside": {"MKMD_WAIT_FOR_CODE": "0"}}


def run_cold(options, program_command):
    print(f"\ncold: medians of {options.pairs} interleaved runs, --repeat {options.repeat}, seconds from start to end\n"
          f"{'program':<11} {'size':>5} " + " ".join(f"{side:>8}" for side in SIDES) + f" {'warm':>8}")
    programs = []
    with tempfile.TemporaryDirectory() as machine:
        for name in options.programs:
            command = program_command(options, name)
            ours = [options.mkmd, "run", "--devices", "pocl/2", "--", *command]
            # Calibrates. What is left is the machine's, not the program's.
            verified.seconds_of(ours, XDG_CACHE_HOME=machine, POCL_CACHE_DIR=os.path.join(machine, "pocl"))
            for file in glob.glob(os.path.join(machine, "mkmd", "*.mkmd")):
                os.remove(file)
            shutil.rmtree(os.path.join(machine, "pocl"), ignore_errors=True)
            seconds = {side: [] for side in [*SIDES, "warm"]}
            checksums = []
            for pair in range(options.pairs):
                for side in list(SIDES) if pair % 2 == 0 else reversed(SIDES):
                    with tempfile.TemporaryDirectory() as folder:
                        cache = os.path.join(folder, "cache")
                        shutil.copytree(machine, cache)
                        variables = dict(SIDES[side] or {}, XDG_CACHE_HOME=cache,
                                         POCL_CACHE_DIR=os.path.join(folder, "pocl"))
                        for run in [side] + (["warm"] if side == "beside" else []):
                            took, checksum = verified.seconds_of(command if side == "bare" else ours, **variables)
                            seconds[run].append(took)
                            checksums.append(checksum)
            medians = {side: statistics.median(values) for side, values in seconds.items()}
            programs.append({"program": name, "seconds": seconds, "identical": all(c == checksums[0] for c in checksums)})
            print(f"{name:<11} {command[command.index('--size') + 1]:>5} "
                  + " ".join(f"{value:>8.3f}" for value in medians.values()), flush=True)
    return {"pairs": options.pairs, "repeat": options.repeat, "programs": programs}
