# SPDX-License-Identifier: Apache-2.0
"""Traces made up for tests: three devices, two links, windows of random graphs; always the same for a seed."""
import json
import random

DEVICES = [("cpu", 0, "CPU"), ("gpu#0", 1, "GPU"), ("gpu#1", 2, "GPU")]
KERNELS = ["matrix_multiply", "add", "transpose", "dot_partial", "update<float>", "jacobi_step", "norm & \"scale\"",
           "stencil_27_point_with_a_long_name", "reduce", "scan"]


def header():
    return {"trace": "mkmd", "format": 2, "pid": 1,
            "devices": [{"name": n, "device": n + " <big & \"fast\">", "memory": m} for n, m, _ in DEVICES]}


def platform():
    return {"platform": {"bw": 1e10, "lat": 1e-5, "links": [],
                         "devices": [{"name": n, "class": c, "mem": m, "launch": 5e-6,
                                      "rates": {"operations": 1e12, "bytes": 1e11}} for n, m, c in DEVICES]}}


def window(chance, first_id, commands, free):
    """One window and what happened in it; moves `free`, when each device is next idle, in nanoseconds."""
    begin = max(free) + (300_000_000 if chance.random() < 0.01 else 20_000)
    lines, kernels, edges = [], [], []
    tasks = [{"id": 0, "name": "source", "times": [0, 0, 0], "divisible": False, "pinned": 0}]
    for i in range(commands):
        seconds = 10 ** chance.uniform(-5, -2.3)
        times = [3 * seconds, seconds, 1.5 * seconds]
        groups = chance.randint(3, 1000)
        used = [0, 1, 2] if chance.random() < 0.7 else [chance.randrange(3)]
        cuts = [0] + sorted(chance.sample(range(1, groups), len(used) - 1)) + [groups]
        pieces = [{"device": d, "lo": [cuts[k], 0, 0], "hi": [cuts[k + 1], 1, 1]} for k, d in enumerate(used)]
        kernel = {"id": first_id + i, "kind": "kernel", "start": 0, "kernel": chance.choice(KERNELS),
                  "groups": [groups, 1, 1], "local": [64, 1, 1], "operations": seconds * 1e12, "bytes": 1e6,
                  "seconds": times, "pieces": pieces}
        if len(used) == 1:
            kernel.update(whole_because="global atomics", line=42)
        kernels.append(kernel)
        tasks.append({"id": i + 1, "name": kernel["kernel"], "times": times, "divisible": len(used) > 1, "pinned": None})
        before = chance.randint(0, i)
        edges.append({"src": before, "dst": i + 1, "bytes": 4e6, "buffer": f"b{first_id}.{before}",
                      "access": chance.choice(["row", "full"])})
        for piece in pieces:
            d = piece["device"]
            start = max(begin, free[d])
            if d and chance.random() < 0.3:
                lines.append({"transfer": {"command": kernel["id"], "buffer": f"b{first_id}", "bytes": 400000, "from": 0,
                                           "to": d, "start": start, "end": start + 40_000}})
                start += 40_000
            share = (piece["hi"][0] - piece["lo"][0]) / groups
            free[d] = start + 300 + int(times[d] * 1e9 * share * chance.uniform(0.7, 1.5))
            lines.append({"piece": dict(piece, command=kernel["id"], start=start, end=free[d])})
    plan = {"window": {"time": begin - 10_000, "planning_seconds": 3e-4, "policy": "mkmd-slices",
                       "predicted": sum(k["seconds"][1] for k in kernels) / 1.8, "commands": kernels,
                       "graph": {"tasks": tasks, "edges": edges}}}
    return [plan] + lines


def trace(pieces, seed=7):
    chance = random.Random(seed)
    lines = [header(), platform()]
    free, commands, made = [10 ** 15] * 3, 0, 0
    while made < pieces:
        new = window(chance, commands, chance.randint(3, 30), free)
        commands += len(new[0]["window"]["commands"])
        made += sum("piece" in line for line in new)
        lines += new
    lines.append({"native": {"commands": {"read": 12, "kernel": 3}, "kernels": [
        {"kernel": "tiny", "launches": 3, "whole_because": "too short to split", "line": 0}]}})
    return lines


def write(path, lines):
    with open(path, "w") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
