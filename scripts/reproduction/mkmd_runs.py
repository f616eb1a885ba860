# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of bench/apps for the page of mkmd.py, and returns what was measured as plain dictionaries:
{"emulated": {program: {policy: run}}, "real": …, "table_1": …}. A run that failed is {"failed": why}."""
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
import emulated as emulation  # noqa: E402

PLATFORM = os.path.join(ROOT, "bench/platforms/mkmd-table2.json")
IN_ORDER = "single:GTX760"
POLICIES = [IN_ORDER, "mkmd-coarse", "mkmd", "default"]
REAL_POLICIES = ["in order", "mkmd-coarse", "default"]
QUICK = ["jacobi", "stein", "sylvester"]
TWELFTH = "gsylvester"  # an equation nothing was tuned to

# Table 1: smallest and largest --size, and the --group to choose from.
KERNELS = {
    "blackscholes": (256, 4096, (16, 32, 64)), "nbody": (1024, 8192, (16, 32, 64)), "matrixmul": (128, 640, (8, 16)),
    "fdtd3d": (48, 160, (8, 16, 32)), "sobel": (512, 2560, (8, 16, 32)), "median": (512, 2560, (8, 16, 32)),
    "kmeans": (512, 8192, (16, 32, 64)),
}
RUNS_PER_INPUT = 2  # profiled pieces of each input: the whole launch, and about half of it


def bench_module():
    path = os.path.join(ROOT, "scripts/bench")
    spec = importlib.util.spec_from_loader("bench", importlib.machinery.SourceFileLoader("bench", path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def say(text):
    print("  " + text, flush=True)


def measure(options, save):
    build = os.path.dirname(os.path.abspath(options.mkmd))
    results = {"quick": options.quick, "cores": len(os.sched_getaffinity(0)), "emulated": {}, "real": {}, "table_1": {}}
    for part in (measure_emulated, measure_real, measure_table_1):
        part(options, build, results, lambda: save(results))
    return results


def measure_emulated(options, build, results, save):
    # Jacobi and BiCGSTAB last some 10 ms: slowed down more, their times are not those of the operating system.
    scale, iterated_scale, repeat = 5, 100, 1
    run_options = types.SimpleNamespace(mkmd=options.mkmd, build=build, size=None, iters=None, perturb=None, repeat=repeat,
                                        platform=PLATFORM, under=options.under,
                                        default_policy=emulation.default_policy(options.mkmd))
    results["default_policy"] = run_options.default_policy
    results["time_scale"] = [scale, iterated_scale]
    policies = [p for p in POLICIES if not (options.quick and p == "mkmd")]
    with tempfile.TemporaryDirectory() as folder:
        for program in QUICK if options.quick else [*emulation.GRAPHS, TWELFTH]:
            of_program = results["emulated"][program] = {}
            expected = emulation.bare(run_options, program)
            factor = iterated_scale if program in emulation.ITERATED else scale
            platform = emulation.scaled(PLATFORM, factor, emulation.size_of(run_options, program), folder)
            for policy in policies:
                try:
                    run = emulation.run(run_options, program, policy, platform, factor, folder,
                                        os.path.join(folder, "trace.jsonl"))
                    run["makespan"] = statistics.median(w["measured"] for w in run.pop("windows"))
                    run["model"] = emulation.modelled(run_options, program, policy)
                    if run["checksum"] != expected:
                        run = {"failed": "the results differ from those of a bare run"}
                except emulation.RunFailed as failure:
                    run = {"failed": str(failure)}
                of_program[policy] = run
                say(f"emulated: {program}, {policy}: " +
                    (run["failed"] if "failed" in run else f"{1e3 * run['seconds']:.1f} ms, "
                     f"{run['overruns']} of {run['actions']} overruns{'' if run['valid'] else ': VOID'}"))
            save()


def measure_real(options, build, results, save):
    bench = bench_module()
    rounds, repeat = (1, 1) if options.quick else (3, 3)
    mkmd = [options.mkmd, "run", "--devices", "pocl/2"]
    prefixes = {"in order": bench.ONE_CORE, "mkmd-coarse": mkmd + ["--policy", "mkmd-coarse", "--"],
                "default": mkmd + ["--"]}
    for program in QUICK if options.quick else [*bench.SIZES, TWELFTH]:
        size = {**bench.SIZES, **bench.MORE_SIZES}[program] // (2 if options.quick else 1)
        command = [os.path.join(build, "bench/apps", program), "--size", str(size), "--repeat", str(repeat)]
        if program in bench.ITERATIONS:
            command += ["--iters", str(bench.ITERATIONS[program])]
        seconds = {policy: [] for policy in REAL_POLICIES}
        checksums = set()
        failed = {}
        for at in range(rounds):
            for policy in REAL_POLICIES if at % 2 == 0 else reversed(REAL_POLICIES):
                try:
                    values, _ = bench.execute(options.under + prefixes[policy] + command)
                except SystemExit:
                    failed[policy] = "the program failed"
                    continue
                seconds[policy].append(float(values["seconds"]))
                checksums.add(values["checksum"])
        of_program = results["real"][program] = {"size": size}
        for policy in REAL_POLICIES:
            if policy in failed or len(checksums) > 1:
                of_program[policy] = {"failed": failed.get(policy, "the results differ")}
            else:
                ratios = [a / b for a, b in zip(seconds["in order"], seconds[policy])]
                of_program[policy] = {"seconds": statistics.median(seconds[policy]), "valid": True,
                                      "ratio": statistics.median(ratios), "lowest": min(ratios), "highest": max(ratios)}
                if policy != "in order":
                    of_program[policy].update(traced(options, prefixes[policy][:-1], command, repeat))
        say(f"pocl/2: {program}: " + ", ".join(f"{policy} {of_program[policy].get('ratio', math.nan):.2f}"
                                               for policy in REAL_POLICIES))
        save()


def traced(options, prefix, command, repeat):
    """Idle share and seconds of planning, from one more run: writing the trace is not in the times above."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.jsonl")
        done = subprocess.run(options.under + prefix + ["--trace", trace, "--"] + command, capture_output=True,
                              env=dict(os.environ, POCL_AFFINITY="1"))
        if done.returncode != 0:
            return {}
        shown = subprocess.run([options.mkmd, "inspect", trace, "--json"], capture_output=True, text=True, check=True)
        said = json.loads(shown.stdout)
    return {"idle_share": said["idle_share"], "planning_seconds": said["planning_seconds"] / (repeat + 1)}


TESTED = re.compile(r"(\w+)  on (.+?): (\d+) samples tested, mean error ([\d.]+) %, median ([\d.]+) %, largest "
                    r"([\d.]+) %; (\d+) outside")


def measure_table_1(options, build, results, save):
    """Models from 20 and from 40 profiled pieces, each tested on whole launches of other random inputs."""
    tests = 6 if options.quick else 40
    folder = tempfile.mkdtemp(prefix="mkmd-table-1-")
    platform = os.path.join(folder, "platform.json")
    with open(PLATFORM) as given, open(platform, "w") as unscaled:
        content = json.load(given)
        del content["emulation"]["size_scale"]  # times are those of the inputs at hand
        json.dump(content, unscaled)
    for place, arguments in (("emulated", ["--platform", platform]), ("real", ["--devices", "pocl/2"])):
        for kernel, (lowest, highest, groups) in KERNELS.items():
            generator = random.Random(kernel)

            def profile(store, runs):
                size = int(lowest * (highest / lowest) ** generator.random())
                command = [options.mkmd, "run", *arguments, "--",
                           os.path.join(build, "bench/apps", kernel), "--size", str(size), "--repeat", "1",
                           "--group", str(generator.choice(groups))]
                return subprocess.run(options.under + command, capture_output=True, text=True,
                                      env=dict(os.environ, XDG_DATA_HOME=os.path.join(folder, place, kernel, store),
                                               MKMD_PROFILE=str(runs), POCL_AFFINITY="1")).returncode == 0

            of_kernel = results["table_1"].setdefault(place, {})[kernel] = {}
            good = all([profile("other", 1) for _ in range(tests)])
            for profiles in (20,) if options.quick else (20, 40):
                good = good and all([profile("known", RUNS_PER_INPUT) for _ in range(20 // RUNS_PER_INPUT)])
                shown = subprocess.run([options.mkmd, "models", "--test", os.path.join(folder, place, kernel, "other/mkmd")],
                                       capture_output=True, text=True,
                                       env=dict(os.environ, XDG_DATA_HOME=os.path.join(folder, place, kernel, "known")))
                for found in TESTED.finditer(shown.stdout):
                    of_kernel.setdefault(found[2], {})[str(profiles)] = {
                        "mean": float(found[4]), "median": float(found[5]), "largest": float(found[6]),
                        "tested": int(found[3]), "outside": int(found[7])}
            if not good:
                results["table_1"][place][kernel] = {"failed": "a profiling run failed"}
            say(f"Table 1, {place}: {kernel}: " + ", ".join(
                f"{device} " + "/".join(f"{errors[k]['mean']:.1f}" for k in errors) + " %"
                for device, errors in of_kernel.items()))
            save()
    shutil.rmtree(folder, ignore_errors=True)
