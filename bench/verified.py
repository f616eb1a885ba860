# SPDX-License-Identifier: Apache-2.0
"""What `mkmd verify` costs: programs from start to end with both cores, bare and verified on two one-core devices."""
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time


def seconds_of(command, **variables):
    begin = time.monotonic()
    done = subprocess.run(command, env=dict(os.environ, POCL_AFFINITY="1", **variables), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench: {shlex.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}".rstrip())
    checksums = [line for line in done.stdout.splitlines() if line.startswith("checksum: ")]
    return time.monotonic() - begin, checksums


def run_verified(options, program_command):
    print(f"\nverify: medians of {options.pairs} interleaved runs, --repeat {options.repeat}, seconds from start to end\n"
          f"{'program':<11} {'size':>5} {'bare s':>8} {'verify s':>8} {'ratio':>6} {'launches':>8} {'checked':>8} {'splits':>7}"
          f" {'pieces':>7}")
    programs = []
    for name in options.programs:
        command = program_command(options, name)
        sides = {"bare": [], "verify": []}
        checksums = []
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "verdict.json")
            commands = {"bare": command,
                        "verify": [options.mkmd, "verify", "--json", file, "--devices", "pocl/2", "--", *command]}
            for side in commands:
                seconds_of(commands[side])  # fills caches
            for pair in range(options.pairs):
                for side in ("bare", "verify") if pair % 2 == 0 else ("verify", "bare"):
                    seconds, checksum = seconds_of(commands[side])
                    sides[side].append(seconds)
                    checksums.append(checksum)
            with open(file) as verdict:
                kernels = json.load(verdict)["kernels"]
        bare, verified = (statistics.median(sides[side]) for side in sides)
        counts = {key: sum(kernel[key] for kernel in kernels) for key in ("launches", "checked", "splits", "pieces")}
        programs.append({"program": name, "seconds": sides, "ratio": verified / bare, **counts,
                         "identical": all(c == checksums[0] for c in checksums)})
        print(f"{name:<11} {command[command.index('--size') + 1]:>5} {bare:>8.3f} {verified:>8.3f} {verified / bare:>6.2f}"
              f" {counts['launches']:>8} {counts['checked']:>8} {counts['splits']:>7} {counts['pieces']:>7}", flush=True)
    print(f"largest ratio {max(p['ratio'] for p in programs):.2f}")
    return {"pairs": options.pairs, "repeat": options.repeat, "programs": programs}
