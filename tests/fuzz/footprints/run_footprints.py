#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the footprints of random kernels with what the kernels touch on the host.

run_footprints.py [--build BUILD] --seconds N --seed S. A case is some kernels and launches of them. Clang compiles the
kernels for the host, with a call at each access (traced.hpp). footprint_case asks the compiler helper about them, runs
them, and compares. Launches that leave their buffers, overflow or do not end are no test. Cases in which a footprint is
wrong go to --found. --usable and --split fail a run with fewer such launches: it would show nothing.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import kernels  # noqa: E402

# A load that nothing depends on is no access: neither devices nor the analysis keep it.
OPTIMISED = ["-O1", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"]
# The sanitizer that only calls functions at accesses: all of them, and nothing else.
TRACED = [*OPTIMISED, "-fsanitize=address", "-fsanitize-coverage=trace-pc,no-prune"]
for flag in ["instrumentation-with-call-threshold=0", "opt=0", "stack=0", "globals=0"]:
    TRACED += ["-mllvm", f"-asan-{flag}"]
HEADER = ["-Xclang", "-finclude-default-header", "-Xclang", "-fdeclare-opencl-builtins"]


class Failure(Exception):
    pass


def compiler(options, *arguments):
    command = [options.clang, "-x", "cl", "-cl-std=CL1.2", "--target=x86_64-unknown-linux-gnu", "-w", "-fPIC", *arguments]
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


def that_compile(made, options, folder):
    """The kernels that are OpenCL C, and the text of their program."""
    while made:
        text, lines = kernels.OPERATIONS + kernels.STRUCTS, []
        for kernel in made:
            begin = text.count("\n") + 1
            text += kernel.text()
            lines.append((begin, text.count("\n"), kernel))
        path = os.path.join(folder, "case.cl")
        with open(path, "w") as file:
            file.write(text)
        p = compiler(options, *HEADER, "-fsyntax-only", "-ferror-limit=0", path)
        if p.returncode == 0:
            return made, text
        wrong = {int(n) for n in re.findall(r"case\.cl:(\d+):\d+: (?:fatal )?error", p.stderr)}
        bad = [k for begin, end, k in lines if any(begin <= n <= end for n in wrong)]
        if not bad:
            raise Failure(p.stderr[-2000:])
        made = [k for k in made if k not in bad]
    raise Failure("no kernel compiles")


def library_of(made, options, folder):
    """The kernels twice: checks of overflow would keep loads that nothing else needs."""
    path, library = os.path.join(folder, "host.cl"), os.path.join(folder, "case.kernels.so")
    parts = [options.functions]
    for prefix, more in (("call", []), ("check", ["-fsanitize=signed-integer-overflow"])):
        parts.append(os.path.join(folder, prefix + ".o"))
        with open(path, "w") as file:
            file.write(kernels.OPERATIONS_ON_HOST + kernels.STRUCTS + "".join(k.on_host(prefix) for k in made))
        p = compiler(options, *HEADER, *TRACED, *more, "-c", "-o", parts[-1], path)
        if p.returncode != 0:
            raise Failure(p.stderr[-2000:])
    p = subprocess.run([options.clang, "-shared", "-nostdlib", "-Wl,-Bsymbolic", "-o", library, *parts], capture_output=True, text=True)
    if p.returncode != 0:
        raise Failure(p.stderr[-2000:])
    return library


def keep(seed, folder, options):
    os.makedirs(options.found, exist_ok=True)
    for name, to in (("case.cl", f"case-{seed}.cl"), ("case.json", f"case-{seed}.json")):
        with open(os.path.join(folder, name)) as file, open(os.path.join(options.found, to), "w") as out:
            out.write(file.read())


def check(seed, options, folder):
    """What footprint_case counted, and what it found."""
    made, text = that_compile(kernels.make(seed, options.kernels), options, folder)
    case = {"seed": seed, "source": text, "library": library_of(made, options, folder), "helper": options.helper,
            "launches": [k.launch() for k in made for _ in range(options.launches)]}
    path = os.path.join(folder, "case.json")
    with open(path, "w") as file:
        json.dump(case, file)
    try:
        p = subprocess.run([options.player, path], capture_output=True, text=True, errors="replace", timeout=options.timeout)
    except subprocess.TimeoutExpired:
        raise Failure(f"no end in {options.timeout} s") from None
    lines = p.stdout.splitlines() or [""]
    if p.returncode not in (0, 1):
        raise Failure(f"exit {p.returncode}: {lines[-1]} {p.stderr[-500:]}")
    found = [line for line in lines if line.startswith("FOUND")]
    if found:
        keep(seed, folder, options)
    return collections.Counter({"cases": 1, "kernels": len(made), **json.loads(lines[-1])}), found


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "../../../build"))
    parser.add_argument("--player", help="another footprint_case")
    parser.add_argument("--clang", default="clang-19", help="that compiles OpenCL C for the host")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--cases", type=int, default=1 << 30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", type=int, default=40, help="per case")
    parser.add_argument("--launches", type=int, default=12, help="per kernel")
    parser.add_argument("--timeout", type=float, default=300, help="seconds of a case")
    parser.add_argument("--usable", type=int, default=0, help="launches that there must be, of those that are a test")
    parser.add_argument("--split", type=int, default=0, help="launches that there must be, of those that may be split")
    parser.add_argument("--found", help="where failures go (BUILD/tests/fuzz/found)")
    parser.add_argument("--stop", action="store_true", help="at the first that is found")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.player = options.player or os.path.join(options.build, "tests/fuzz/footprints/footprint_case")
    options.helper = os.path.join(options.build, "bin/mkmd-kc")
    options.found = options.found or os.path.join(options.build, "tests/fuzz/found")
    return options


def main():
    options = arguments()
    total, bad, began, seed = collections.Counter(), 0, time.monotonic(), options.seed
    with tempfile.TemporaryDirectory() as folder:
        options.functions = os.path.join(folder, "functions.o")
        p = compiler(options, *TRACED, "-c", "-o", options.functions, os.path.join(HERE, "functions.cl"))
        if p.returncode != 0:
            sys.exit(f"functions.cl: {p.stderr}")
        while time.monotonic() - began < options.seconds and total["cases"] + bad < options.cases:
            try:
                counts, found = check(seed, options, folder)
                total += counts
            except Failure as failure:
                bad, found = bad + 1, []
                print(f"case {seed} is no test: {failure}", flush=True)
            for line in found:
                print(f"FAILED case {seed}: {line}", flush=True)
            if found and options.stop:
                break
            seed += 1
    print(f"{time.monotonic() - began:.0f} s, {dict(total)}, {bad} cases are no test")
    enough = total["usable"] >= options.usable and total["split"] >= options.split
    if not enough:
        print(f"fewer than {options.usable} launches are a test, or fewer than {options.split} may be split")
    return 1 if bad or total["found"] or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
