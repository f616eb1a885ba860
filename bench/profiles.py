# SPDX-License-Identifier: Apache-2.0
"""`scripts/bench --mode absurd` and `--mode first`: how much time wrong models of kernel times cost, and how much
missing ones.

Both profile the chosen programs first, into a folder of their own. For `absurd` the models found are exported, their
times multiplied by nonsense, and imported again. Such models agree with nothing a device of this machine does. A is the
bare program on the whole CPU, which is the best single device here; B must not be slower than that. For `first` A has
the models as they were found, and B has none. Only the warm-up of each run may differ.
"""
import json
import os
import shutil
import subprocess

DISTORTIONS = {
    "fast": lambda kernel, device: 1e-3,
    "slow": lambda kernel, device: 1e3,
    # Devices and kernels disagree with each other by a million.
    "mixed": lambda kernel, device: 1e3 if (kernel + device) % 2 else 1e-3,
}
ITERATED = ["bicgstab", "jacobi"]


def distorted(models, factor):
    """The same models, each entry's times multiplied."""
    models = json.loads(json.dumps(models))
    kernels = sorted({entry["kernel"] for entry in models["models"]})
    devices = sorted({entry["device"] for entry in models["models"]})
    for entry in models["models"]:
        by = factor(kernels.index(entry["kernel"]), devices.index(entry["device"]))
        for of_class in entry["classes"]:
            for values, keys in ((of_class, ("a", "c")), (of_class.get("terms", {}), of_class.get("terms", {}))):
                for key in keys:
                    if key in values:
                        values[key] *= by
        for point in entry["points"]:
            point["seconds"] *= by
    return models


def with_data(folder):
    return ["env", f"XDG_DATA_HOME={folder}"]


def checked(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}\n{done.stderr}")


def profiled(options, program_command, folder):
    """Profiles the programs, once each, and returns the data folder with their models."""
    data = os.path.join(folder, "found")
    for name in options.programs:
        checked(options.under + with_data(data) + ["MKMD_PROFILE=8", "POCL_AFFINITY=1", options.mkmd, "run", "--devices",
                                                   "pocl/2", "--"] + program_command(options, name))
    checked(with_data(data) + [options.mkmd, "models", "--export", os.path.join(folder, "models.json")])
    return data


def run_profiles(options, mode, program_command, run_mode):
    folder = os.path.join(options.build, "bench/profiles")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    if mode == "first":
        options.programs = [name for name in options.programs if name in ITERATED] or ITERATED
    data = profiled(options, program_command, folder)
    mkmd = [options.mkmd, "run", "--devices", "pocl/2", "--"]
    if mode == "first":
        return run_mode(options, mode, "mkmd pocl/2, profiled", with_data(data) + mkmd, "mkmd pocl/2, no profile",
                        with_data(os.path.join(folder, "none")) + mkmd)
    with open(os.path.join(folder, "models.json")) as file:
        models = json.load(file)
    results = {"programs": []}
    for name, factor in DISTORTIONS.items():
        file_name, nonsense = os.path.join(folder, name + ".json"), os.path.join(folder, name)
        with open(file_name, "w") as file:
            json.dump(distorted(models, factor), file)
        checked(with_data(nonsense) + [options.mkmd, "models", "--import", file_name])
        results[name] = run_mode(options, f"absurd, {name}", "bare, both cores", [],
                                 f"mkmd pocl/2, {len(models['models'])} models of nonsense", with_data(nonsense) + mkmd)
        results["programs"] += results[name]["programs"]
    return results
