# SPDX-License-Identifier: Apache-2.0
"""`scripts/bench --mode hetero`: two drivers whose speeds differ by kernel, one core each.

Each driver runs the program alone and bare, and MKMD runs it on both, in turn. The speed-up is the time of the better of
the two over MKMD's. The bound is a linear program over the kernels. Each launch takes its measured time on each device
and may be divided at will between them. It waits for nothing, and moves no bytes. Its solution gives the first device the
kernels that it is best at. Launches are measured one by one, so short ones take longer than in a row. So the time of the
better device alone is a bound, too.

What `mkmd verify` finds to differ between the two drivers is shown in units in the last place. Launches under MKMD wait for
the code for their pieces: runs are short, and Intel's compiler takes seconds.
"""
import json
import os
import statistics
import subprocess
import tempfile

import matrix

HERE = os.path.dirname(os.path.abspath(__file__))
SINGLES = ["intel", "pocl"]
SETS = ["intel,pocl", "pocl,intel"]  # the first is home
HELPERS = ["launch_times", "one_core_driver"]  # of bench/applications


def drivers(folder, names):
    """Puts a folder with these drivers before a command. Each has one device of one core."""
    prefix = matrix.vendors(folder, names)
    if "intel" in names:
        file = os.path.join(folder, "-".join(names), "intel.icd")
        with open(matrix.DRIVERS["intel"]) as vendor:
            library = vendor.readline().strip()
        with open(file, "w") as vendor:
            vendor.write(os.path.join(folder, "one_core_driver.so") + "\n")
        prefix.append(f"ONE_CORE_DRIVER={library}")
    return [*prefix, "POCL_MAX_PTHREAD_COUNT=1"]


def area_bound(times):
    """The shortest time in which two devices can do all kernels. `times`: a kernel's seconds on either."""
    ordered = sorted(times, key=lambda pair: pair[0] / max(pair[1], 1e-12))
    first, second = 0.0, sum(pair[1] for pair in ordered)
    for on_first, on_second in ordered:
        if first + on_first > second - on_second:  # this one is divided
            share = (second - first) / (on_first + on_second) if on_first + on_second > 0 else 0
            return first + share * on_first
        first, second = first + on_first, second - on_second
    return first


def kernel_seconds(prefix, command, layer, file, execute):
    """Of one repeat, by kernel: what a run with more repeats takes longer. The first one compiles."""
    totals = []
    for repeats in (1, 4):
        if os.path.exists(file):
            os.remove(file)
        place = command.index("--repeat")
        again = [*command[:place + 1], str(repeats), *command[place + 2:]]
        execute([*prefix, f"OPENCL_LAYERS={layer}", f"LD_PRELOAD={layer}", f"LAUNCH_TIMES={file}", *again])
        with open(file) as found:
            totals.append({name: seconds for name, (_, seconds) in json.loads(found.readline()).items()})
    return {name: max(totals[1][name] - totals[0].get(name, 0), 0) / 3 for name in totals[1]}


def most_ulps(mkmd, prefix, devices, command, file):
    """The most units in the last place between the two drivers' results. None: they could not be compared."""
    small = [*command]
    small[small.index("--repeat") + 1] = "1"
    done = subprocess.run([*prefix, mkmd, "verify", "--json", file, "--devices", devices, "--", *small],
                          capture_output=True, text=True)
    if done.returncode != 0 or not os.path.exists(file):
        return None
    with open(file) as verdict:
        kernels = json.load(verdict)["kernels"]
    os.remove(file)
    return max((kernel["ulps"] for kernel in kernels), default=0)


def measure(options, name, command, folder, execute):
    prefix = {single: drivers(folder, [single]) for single in SINGLES}
    # What runs have learned is this bench's own: every program begins with what the ones before it have left here.
    both = [*drivers(folder, SINGLES), "MKMD_WAIT_FOR_CODE=1", "XDG_CACHE_HOME=" + os.path.join(folder, "cache")]
    commands = {single: prefix[single] + command for single in SINGLES}
    for devices in SETS:
        commands[devices] = [*both, options.mkmd, "run", "--devices", devices, "--", *command]
    seconds, checksums = {label: [] for label in commands}, {label: set() for label in commands}
    for turn in range(options.pairs):
        for label in list(commands) if turn % 2 == 0 else list(reversed(commands)):
            values, _ = execute(commands[label])
            seconds[label].append(float(values["seconds"]))
            checksums[label].add(values["checksum"])
    layer, file = os.path.join(folder, "launch_times.so"), os.path.join(folder, "times")
    kernels = [kernel_seconds(prefix[single], command, layer, file, execute) for single in SINGLES]
    bound = area_bound([(kernels[0][kernel], kernels[1].get(kernel, 0)) for kernel in kernels[0]])
    ulps = {devices: most_ulps(options.mkmd, both, devices, command, file) for devices in SETS}
    return {"program": name, "seconds": seconds, "bound": bound, "kernels": dict(zip(SINGLES, kernels)), "ulps": ulps,
            "checksums": {label: sorted(found) for label, found in checksums.items()}}


def run_hetero(options, program_command, execute, geometric_mean):
    missing = [driver for driver in SINGLES if not os.path.exists(matrix.DRIVERS[driver])]
    if missing:
        print(f"hetero: nothing is measured: there is no {matrix.DRIVERS[missing[0]]}")
        return {"programs": []}
    print(f"\nhetero: one core each, {options.pairs} rounds, median of {options.repeat} inside each run. Times in ms.\n"
          f"{'program':<11} {'intel':>8} {'pocl':>8} {'bound':>8} {'devices':<11} {'MKMD':>8} {'speed-up':>8}"
          f" {'of bound':>8} {'ulps':>5}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for helper in HELPERS:
            subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", os.path.join(folder, helper + ".so"),
                            os.path.join(HERE, "applications", helper + ".c")], check=True)
        for name in options.programs:
            row = measure(options, name, program_command(options, name), folder, execute)
            rows.append(row)
            median = {label: statistics.median(values) for label, values in row["seconds"].items()}
            best = min(median[single] for single in SINGLES)
            row["bound"] = min(row["bound"], best)
            row["speed_up"] = {devices: best / median[devices] for devices in SETS}
            row["of_bound"] = {devices: row["bound"] / median[devices] for devices in SETS}
            # Two code generators: results may differ in last bits. Of one device they may not.
            row["identical"] = all(len(row["checksums"][single]) == 1 for single in SINGLES)
            for devices in SETS:
                print(f"{name:<11} {1000 * median['intel']:>8.1f} {1000 * median['pocl']:>8.1f} {1000 * row['bound']:>8.1f}"
                      f" {devices:<11} {1000 * median[devices]:>8.1f} {row['speed_up'][devices]:>8.3f}"
                      f" {row['of_bound'][devices]:>8.3f} {'?' if row['ulps'][devices] is None else row['ulps'][devices]:>5}",
                      flush=True)
    for devices in SETS:
        print(f"{devices}: geometric mean of speed-ups {geometric_mean([row['speed_up'][devices] for row in rows]):.3f},"
              f" of shares of the bound {geometric_mean([row['of_bound'][devices] for row in rows]):.3f}")
    return {"rounds": options.pairs, "repeat": options.repeat, "programs": rows}
