# SPDX-License-Identifier: Apache-2.0
"""`scripts/bench --mode matrix`: is MKMD slower than the best single device, on any set of devices, at any size?

A cell is a set of devices, a program and a size. In a cell every single device runs the program bare, and MKMD runs it
on all of them, in turn, some rounds long. What counts is the time since the program's first repeat: an application has
paid for the first repeats, too. The best single device is the one whose repeats take the least time in all. A cell
fails if from the 20th repeat on MKMD was slower than 1/0.97 of the best single device at any tenth repeat. It also fails
if MKMD was more than 20 ms behind before.
"""
import argparse
import itertools
import os
import statistics
import tempfile

SIZES = [64, 128, 256, 512, 1024]
REPEATS = 40
FIRST = 20  # the repeat from which on the ratio counts
LEAST_RATIO = 0.97
MOST_BEHIND = 0.020  # seconds
DRIVERS = {"pocl": "/etc/OpenCL/vendors/pocl.icd", "intel": "/opt/intel-ocl/vendors/intel.icd"}
# Options of `mkmd run`, and the single devices: a driver whose device is the whole CPU.
SETS = {
    "pocl/2": (["--devices", "pocl/2"], ["pocl"]),
    "pocl/2 separate": (["--devices", "pocl/2", "--separate-memory"], ["pocl"]),
    "intel,pocl": (["--devices", "intel,pocl"], ["intel", "pocl"]),
    "pocl,intel": (["--devices", "pocl,intel"], ["intel", "pocl"]),
}


def vendors(folder, drivers):
    """Puts a folder with these drivers' files before a command."""
    place = os.path.join(folder, "-".join(drivers))
    os.makedirs(place, exist_ok=True)
    libraries = []
    for driver in drivers:
        with open(DRIVERS[driver]) as file:
            library = file.readline().strip()
        with open(os.path.join(place, driver + ".icd"), "w") as file:
            file.write(library + "\n")
        if os.path.dirname(library):
            libraries.append(os.path.dirname(library))
    return ["env", f"OCL_ICD_VENDORS={place}", f"LD_LIBRARY_PATH={':'.join(libraries)}"]


def sums(rounds):
    """Seconds since the first repeat, at each repeat: the median of the rounds."""
    return list(itertools.accumulate(statistics.median(values) for values in zip(*rounds)))


def judge(single, ours):
    """The smallest ratio at a tenth repeat from FIRST on, and the most seconds behind before."""
    ratio = min(single[k - 1] / ours[k - 1] for k in range(FIRST, len(ours) + 1, 10))
    behind = max(ours[k] - single[k] for k in range(FIRST - 1))
    return ratio, behind


def run_cell(commands, rounds, execute):
    """`commands`: by label. Returns each one's repeats by round, and whether all results are equal."""
    each, checksums = {label: [] for label in commands}, set()
    for turn in range(rounds):
        labels = list(commands) if turn % 2 == 0 else list(reversed(commands))
        for label in labels:
            values, _ = execute(commands[label])
            each[label].append([float(value) for value in values["each"].split()])
            checksums.add(values["checksum"])
    return each, len(checksums) == 1


def run_matrix(options, program_command, execute):
    sizes = [options.size] if options.size else SIZES
    repeats = max(options.repeat, REPEATS)
    missing = [driver for driver, file in DRIVERS.items() if not os.path.exists(file)]
    for driver in missing:
        print(f"matrix: sets with {driver} are left out: there is no {DRIVERS[driver]}")
    sets = {name: of for name, of in SETS.items() if not set(of[1]) & set(missing)}
    print(f"\nmatrix: MKMD against the best single device, {options.pairs} rounds of {repeats} repeats. Ratio: the"
          f" smallest at a tenth repeat from the {FIRST}th on; behind: the most before, in ms")
    print(f"{'devices':<16} {'program':<12} {'size':>5} {'best':<6} {'best s':>8} {'MKMD s':>8} {'ratio':>6} {'behind':>7}"
          f" {'result':<9}")
    cells = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (arguments, singles) in sets.items():
            for program in options.programs:
                for size in sizes:
                    cell = argparse.Namespace(**{**vars(options), "size": size, "repeat": repeats})
                    command = program_command(cell, program)
                    commands = {single: vendors(folder, [single]) + command for single in singles}
                    commands["mkmd"] = vendors(folder, singles) + [options.mkmd, "run", *arguments, "--", *command]
                    each, identical = run_cell(commands, options.pairs, execute)
                    total = {label: sums(rounds) for label, rounds in each.items()}
                    best = min(singles, key=lambda label: total[label][-1])
                    ratio, behind = judge(total[best], total["mkmd"])
                    holds = ratio >= LEAST_RATIO and behind <= MOST_BEHIND
                    may_differ = len(singles) > 1  # two code generators, in last bits
                    cells.append({"devices": name, "program": program, "size": size, "best": best, "ratio": ratio,
                                  "behind": behind, "holds": holds, "identical": identical, "may_differ": may_differ,
                                  "each": each})
                    print(f"{name:<16} {program:<12} {size:>5} {best:<6} {total[best][-1]:>8.3f}"
                          f" {total['mkmd'][-1]:>8.3f} {ratio:>6.3f} {1000 * behind:>7.1f}"
                          f" {'identical' if identical else 'differ' if may_differ else 'DIFFERENT':<9}"
                          f" {'' if holds else 'FAILS'}".rstrip(), flush=True)
    held = sum(cell["holds"] for cell in cells)
    print(f"{held} of {len(cells)} cells hold; smallest ratio {min(cell['ratio'] for cell in cells):.3f}, "
          f"most behind {1000 * max(cell['behind'] for cell in cells):.1f} ms")
    return {"rounds": options.pairs, "repeat": repeats, "programs": cells}
