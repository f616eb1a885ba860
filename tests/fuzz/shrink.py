# SPDX-License-Identifier: Apache-2.0
"""Makes a failing case small: fewer commands, kernels and queues, then fewer lines in kernels, then cvise.

`fails(case)` says whether a case still fails; it also has to refuse cases whose bare runs disagree. A kernel from which
parts have gone may access what it must not, or its work-items may race. Then it proves nothing, and different results
are its own fault. `sound(case)` says whether it is free of that.
"""
import copy
import os
import re
import shutil
import subprocess
import sys
import tempfile

import generate

CVISE_SECONDS = 300


def without(case, dropped):
    """None: what is left makes no sense."""
    small = copy.deepcopy(case)
    small["commands"] = [c for c in small["commands"] if c["id"] not in dropped]
    by_op = {op: [c for c in small["commands"] if c["op"] == op] for op in
             ("user_event", "set_user_event", "map", "unmap", "create", "release")}
    for begin, end in (("user_event", "set_user_event"), ("map", "unmap")):
        if {c["id"] for c in by_op[begin]} != {c["of"] for c in by_op[end]}:
            return None
    made = {c["buffer"] for c in by_op["create"]}
    if {c["id"] for c in case["commands"] if c["op"] == "create"} & dropped:
        late = {b for b, entry in enumerate(small["buffers"]) if entry.get("late") and b not in made}
        if any(late & buffers_of(c) for c in small["commands"]):
            return None
    return generate.finalise(small)


def buffers_of(command):
    named = {command[key] for key in ("buffer", "from", "to") if key in command}
    return named | {a["buffer"] for a in command.get("args", []) if "buffer" in a}


def pairs(case):
    """Commands that go together, by id."""
    together = {}
    for c in case["commands"]:
        if c["op"] in ("set_user_event", "unmap"):
            together.setdefault(c["of"], {c["of"]}).add(c["id"])
            together[c["id"]] = together[c["of"]]
    return together


def fewer_commands(case, fails):
    changed = True
    while changed:
        changed = False
        size = max(1, len(case["commands"]) // 2)
        while size >= 1:
            lo = 0
            while lo < len(case["commands"]):
                together = pairs(case)
                dropped = set()
                for c in case["commands"][lo:lo + size]:
                    dropped |= together.get(c["id"], {c["id"]})
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


def one_queue(case):
    one = {**copy.deepcopy(case), "queues": ["in-order"]}
    one["commands"] = [c for c in one["commands"] if "ahead" not in c]
    for c in one["commands"]:
        c["queue"] = 0
    return generate.finalise(one)


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


def fewer_arguments(case, fails):
    """Drops arguments that kernels no longer name."""
    for kernel in sorted({c["kernel"] for c in case["commands"] if c["op"] == "launch"}):
        at = 0
        while True:
            head = re.search(rf"\b{kernel}\((.*)\) {{", case["source"])
            arguments = head.group(1).split(", ") if head else []
            if at >= len(arguments):
                break
            small = copy.deepcopy(case)
            left = ", ".join(arguments[:at] + arguments[at + 1:])
            small["source"] = small["source"].replace(head.group(0), f"{kernel}({left}) {{")
            for c in small["commands"]:
                if c.get("kernel") == kernel:
                    del c["args"][at]
            if left and fails(small):
                case = small
            else:
                at += 1
    return case


def by_cvise(case, command):
    """`command` is run with a file of a case, and exits with 0 if that is still interesting."""
    if shutil.which("cvise") is None:
        return case
    with tempfile.TemporaryDirectory() as folder:
        test = os.path.join(folder, "interesting.py")
        with open(test, "w") as file:
            file.write(f"#!{sys.executable}\nimport json, subprocess, sys\ncase = {case!r}\n"
                       "case['source'] = open('kernel.cl').read()\njson.dump(case, open('case.json', 'w'))\n"
                       f"sys.exit(subprocess.run({command!r} + ['case.json'], stdout=subprocess.DEVNULL, "
                       "stderr=subprocess.DEVNULL).returncode)\n")
        os.chmod(test, 0o755)
        kernel = os.path.join(folder, "kernel.cl")
        with open(kernel, "w") as file:
            file.write(case["source"])
        # What it has made smaller by then is in the file.
        subprocess.run(["timeout", "-k", "10", str(CVISE_SECONDS), "cvise", "--not-c", "--no-cache", "--n", "2", "--timeout", "60", test, kernel], cwd=folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(kernel) as file:
            return {**case, "source": file.read()}


def shrink(case, fails, sound, command):
    """The smaller case; `command` checks the case in a file as `fails` and `sound` do."""
    case = fewer_commands(case, fails)
    for simpler in (used_functions(case), one_queue(case)):
        if fails(simpler):
            case = simpler
    simpler = used_functions(case)
    if fails(simpler):
        case = simpler
    careful = (lambda c: fails(c) and sound(c)) if sound(case) else fails
    case = fewer_lines(case, careful)
    case = fewer_arguments(case, careful)
    return fewer_commands(by_cvise(case, command), careful)
