# SPDX-License-Identifier: Apache-2.0
"""Makes a failing case small: fewer commands, kernels and queues, then fewer lines and helpers in kernels.

`fails(case)` says whether a case still fails; it also has to refuse cases whose bare runs disagree. Afterwards
the source itself is for a person, or for cvise, to make smaller.
"""
import copy
import re

import generate


def chunks(count):
    size = count
    while size >= 1:
        for lo in range(0, count, size):
            yield lo, min(count, lo + size)
        size //= 2


def without(case, dropped):
    small = copy.deepcopy(case)
    small["commands"] = [c for c in small["commands"] if c["id"] not in dropped]
    ids = {c["id"] for c in small["commands"]}
    for c in small["commands"]:
        if c["op"] == "set_user_event" and c["of"] not in ids:
            return None
    if any(c["op"] == "user_event" for c in small["commands"]) and \
            not any(c["op"] == "set_user_event" for c in small["commands"]):
        return None
    return generate.finalise(small)


def fewer_commands(case, fails):
    changed = True
    while changed:
        changed = False
        size = max(1, len(case["commands"]) // 2)
        while size >= 1:
            lo = 0
            while lo < len(case["commands"]):
                dropped = {c["id"] for c in case["commands"][lo:lo + size]}
                small = without(case, dropped)
                if small is not None and len(small["commands"]) > 0 and fails(small):
                    case, changed = small, True
                else:
                    lo += size
            size //= 2
    return case


def kernel_text(source):
    """The prelude and the text of each function, by name."""
    parts = re.split(r"(?m)^(?=__kernel |static )", source)
    return parts[0], parts[1:]


def used_functions(case):
    head, functions = kernel_text(case["source"])
    names = {c["kernel"] for c in case["commands"] if c["op"] == "launch"}
    kept = []
    for text in reversed(functions):
        name = re.search(r"(\w+)\(", re.sub(r"__attribute__\(\(.*?\)\)\)", "", text)).group(1)
        if name in names or any(re.search(rf"\b{name}\(", other) for other in kept):
            kept.insert(0, text)
    return {**case, "source": head + "".join(kept)}


def fewer_lines(case, fails):
    """Drops lines of kernels. Fails what does not compile: its bare run ends badly."""
    size = 8
    while size >= 1:
        lo = 0
        while True:
            lines = case["source"].splitlines(keepends=True)
            if lo >= len(lines):
                break
            small = {**case, "source": "".join(lines[:lo] + lines[lo + size:])}
            if fails(small):
                case = small
            else:
                lo += size
        size //= 2
    return case


def shrink(case, fails):
    case = fewer_commands(case, fails)
    small = used_functions(case)
    if fails(small):
        case = small
    one = {**copy.deepcopy(case), "queues": ["in-order"]}
    for c in one["commands"]:
        c["queue"] = 0
    generate.finalise(one)
    if fails(one):
        case = one
    return fewer_lines(case, fails)
