#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program `streaming` holds no more at its end than it held when it was warm, though its work never pauses.

The second fifth of a run is compared with its last fifth. Compared are the least bytes of its heap in use, and the least
references to each kind of vendor object. What the bare run gains is the driver's.
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../programs"))
import run_programs  # noqa: E402

POCL_ICD = "/etc/OpenCL/vendors/pocl.icd"
POLICY = ["--policy", "mkmd"]  # another than the default one is obeyed: captured work is not left alone
SHARED = ["--devices", "pocl/2", *POLICY]
SEPARATE = ["--devices", "pocl/2", "--separate-memory", *POLICY]
KINDS = ["writes", "reads", "sub_buffers", "host_pointers", "kernels", "queues", "out_of_order", "copies",
         "user_events", "images"]
# Not among them: "programs" and "contexts". What a program leaves behind for each different program still grows.
OBJECTS = ["contexts", "queues", "memory objects", "samplers", "programs", "kernels", "events"]
MOST_BYTES = 2500  # an iteration: what is under way varies; a buffer that is kept is 16384
MOST_OBJECTS = 0.4  # an iteration: what is under way varies with the machine's load; one that is kept is 1


def cases(iterations):
    """(options of `mkmd run`, kind, threads, iterations of all threads together)"""
    for options in (SHARED, SEPARATE):
        yield from ((options, kind, 2, iterations) for kind in KINDS)
        yield from ((options, kind, threads, iterations) for kind in ("writes", "reads") for threads in (1, 8))


class Growth:
    def __init__(self, options):
        self.options = options
        self.runner = run_programs.Runner(options)
        self.folder = tempfile.mkdtemp(prefix="mkmd-growth-")

    def samples(self, prefix, kind, threads, iterations):
        """Rows of numbers: iteration, resident bytes, heap bytes, objects; and stdout."""
        counters = os.path.join(self.folder, "counters")
        samples = os.path.join(self.folder, "samples")
        with open(counters, "wb") as file:
            file.write(bytes(64))
        with open(POCL_ICD) as icd:
            pocl = icd.read().strip()
        environment = {**self.runner.environment, "POCL": pocl, "COUNTING_FILE": counters,
                       "STREAMING_COUNTERS": counters, "STREAMING_SAMPLES": samples,
                       "OCL_ICD_VENDORS": os.path.join(self.options.build, "tests/growth/libcounting_vendor.so")}
        program = os.path.join(self.options.build, "tests/programs/streaming")
        command = [*prefix, program, kind, str(threads), str(iterations), str(self.options.bytes)]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=3000)
        if run.returncode != 0:
            raise RuntimeError(f"exit code {run.returncode}: {run.stdout[-300:]} {run.stderr[-300:]}")
        with open(samples) as file:
            rows = sorted([int(number) for number in line.split()] for line in file)
        if not rows or not any(rows[-1][3:]):
            raise RuntimeError("the vendor's objects were not counted")
        return rows, run.stdout

    def gained(self, rows):
        """An iteration: resident bytes, heap bytes, objects."""
        warm, late = rows[len(rows) // 5:2 * len(rows) // 5], rows[-(len(rows) // 5):]
        between = late[0][0] - warm[0][0]
        return [(min(row[column] for row in late) - min(row[column] for row in warm)) / between
                for column in range(1, len(rows[0]))]

    def check(self, options, kind, threads, iterations):
        rows, out = self.samples([self.runner.mkmd, "run", *options, "--"], kind, threads, iterations)
        found = self.gained(rows)
        wrong = self.too_much(found, [0] * len(found))
        if wrong:  # is it the driver?
            bare_rows, bare_out = self.samples([], kind, threads, iterations)
            wrong = self.too_much(found, self.gained(bare_rows))
            if out != bare_out:
                wrong.append("other results than bare")
        if self.options.verbose:
            print(f"  resident {rows[len(rows) // 5][1] >> 20} MiB, in the end {rows[-1][1] >> 20} MiB; an iteration: "
                  f"{found[1]:.1f} bytes of heap, objects {' '.join(f'{count:.3f}' for count in found[2:])}")
        return wrong

    @staticmethod
    def too_much(found, driver):
        wrong = []
        if found[1] > max(0, driver[1]) + MOST_BYTES:
            wrong.append(f"{found[1]:.0f} bytes of the heap")
        for name, count, of_driver in zip(OBJECTS, found[2:], driver[2:]):
            if count > max(0, of_driver) + MOST_OBJECTS:
                wrong.append(f"{count:.2f} references to {name}")
        return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "../../build"), help="build folder")
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--bytes", type=int, default=16384, help="of a buffer")
    parser.add_argument("--kind", action="append", help="only these kinds of iterations")
    parser.add_argument("--threads", type=int, help="only this many threads, for every kind")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.mkmd, options.bare_build, options.slowdown = None, options.build, 1
    if len(os.sched_getaffinity(0)) < 2:
        print("SKIPPED: this machine has one core, so PoCL cannot be cut in two")
        return 0
    growth = Growth(options)
    failed = 0
    chosen = list(cases(options.iterations))
    if options.kind:
        chosen = [case for case in chosen if case[1] in options.kind]
    if options.threads:
        chosen = [(*case[:2], options.threads, case[3]) for case in chosen if case[2] == 2]
    for case in chosen:
        memory = "separate" if "--separate-memory" in case[0] else "shared"
        name = f"{case[1]}, {case[2]} threads, {case[3]} iterations, {memory}"
        if options.verbose:
            print(name, flush=True)
        try:
            wrong = growth.check(*case)
        except RuntimeError as error:
            wrong = [str(error)]
        failed += bool(wrong)
        for text in wrong:
            print(f"FAILED {name}: gains {text}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
