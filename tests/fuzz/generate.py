# SPDX-License-Identifier: Apache-2.0
"""Random cases: kernels of the grammar, buffers and sub-buffers, launches, and host commands between them.

A case is a value that JSON can hold. Commands name the memory they read and write. `finalise` derives from that the
events each command waits for. So a case from which commands have been dropped is still ordered.
"""
import random

import grammar
from expressions import SIZES
from host_commands import HostCommands, PAGE
from images import IMAGE

QUEUES = [["in-order"], ["in-order"], ["out-of-order"], ["in-order", "in-order"], ["in-order", "out-of-order"],
          ["in-order", "in-order", "out-of-order"]]
AREA = 1000  # areas of host memory are numbered from here on, behind buffers


def number(value, size):
    return (value % (1 << (8 * size))).to_bytes(size, "little").hex()


class Maker(HostCommands):
    def __init__(self, seed, kernels=5, launches=50):
        super().__init__()
        self.r = random.Random(f"case {seed}")
        self.limit = self.r.choice([2, 4, 8]) * PAGE
        options = self.r.choice(["", "", "", "-cl-std=CL1.2", "-cl-opt-disable", "-cl-mad-enable"])
        self.kernels = [grammar.Kernel(self.r, f"k{i}", self.limit, options != "-cl-opt-disable") for i in range(kernels)]
        self.case = {"seed": seed, "options": options,
                     "source": grammar.PRELUDE + "\n".join(k.source() for k in self.kernels) + "\n",
                     "queues": self.r.choice(QUEUES), "areas": [self.limit + 3 * PAGE] * 2, "buffers": [], "commands": []}
        self.permutations, self.images = {}, []
        self.recent = []  # launches
        self.make_buffers()
        while sum(c["op"] == "launch" for c in self.case["commands"]) < launches:
            if self.recent and self.r.random() < 0.08:
                self.again()
            else:
                self.launch(self.r.choice(self.kernels))
            while self.r.random() < 0.4:
                self.host_command()
        self.end_mapping()
        finalise(self.case)

    def make_buffers(self):
        r, buffers = self.r, self.case["buffers"]
        for _ in range(r.randint(3, 6)):
            buffers.append({"bytes": self.limit + r.choice([0, 0, PAGE, 3 * PAGE]), "seed": r.randrange(1 << 30)})
            if r.random() < 0.1:
                buffers[-1]["use_host_ptr"] = True
        for parent in range(len(buffers)):
            if r.random() < 0.4:  # two halves, and one in the middle that overlaps both
                half = self.limit // 2
                for origin in (0, half, PAGE if half > PAGE else 0):
                    buffers.append({"bytes": half, "parent": parent, "origin": origin})
        for a in (a for k in self.kernels for a in k.args):
            if a["kind"] == "permutation" and self.key_of(a) not in self.permutations:
                count = a["items"]
                factor = next(f for f in (7, 11, 13, 17) if count % f)
                if a.get("repeats"):  # each number comes several times, or not at all
                    factor *= next((f for f in (2, 3, 5) if count % f == 0), count)
                self.permutations[self.key_of(a)] = len(buffers)
                buffers.append({"bytes": 4 * count, "permutation": count, "factor": factor})
            if a["kind"] == "image" and not self.images:
                for _ in range(2):
                    self.images.append(len(buffers))
                    buffers.append({"bytes": 4 * IMAGE[0] * IMAGE[1], "image": IMAGE,
                                    "seed": r.randrange(1 << 30)})

    @staticmethod
    def key_of(permutation):
        return permutation["items"], permutation.get("repeats", False)

    def root(self, b):
        return self.case["buffers"][b].get("parent", b)

    def span(self, b):
        entry = self.case["buffers"][b]
        origin = entry.get("origin", 0)
        return self.root(b), origin, origin + entry["bytes"]

    def clash(self, b, others):
        root, lo, hi = self.span(b)
        return any(root == o and lo < h and l < hi for o, l, h in map(self.span, others))

    def usable(self, size):
        return [i for i, b in enumerate(self.case["buffers"]) if "permutation" not in b and "image" not in b and
                b["bytes"] >= size and self.root(i) not in self.gone and self.root(i) not in self.mapped]

    def add(self, command, reads=(), writes=(), areas_read=(), areas_written=()):
        command.update(id=len(self.case["commands"]),
                       reads=sorted({self.root(b) for b in reads} | {AREA + a for a in areas_read}),
                       writes=sorted({self.root(b) for b in writes} | {AREA + a for a in areas_written}))
        if "queue" not in command and command["op"] not in ("finish", "release", "create"):
            command["queue"] = self.r.randrange(len(self.case["queues"]))
        self.case["commands"].append(command)
        return command

    # -- launches --
    def launch(self, kernel, **more):
        chosen = self.choose(kernel)
        if chosen is None:
            return None
        values = [self.value_of(a) for a in kernel.args]
        return self.place({"kernel": kernel, "chosen": chosen, "values": values, "shape": self.shape(kernel)}, **more)

    def again(self):
        """The last launches once more, some of them on other bytes or with other values."""
        r = self.r
        some = self.recent[-r.randint(1, 4):]
        for _ in range(r.randint(1, 3)):
            for one in some:
                one = dict(one, chosen=dict(one["chosen"]), values=list(one["values"]))
                if r.random() < 0.3 and one["chosen"]:
                    name = r.choice(list(one["chosen"]))
                    b = one["chosen"][name]
                    size = self.case["buffers"][b]["bytes"]
                    others = [o for o in self.usable(size) if self.root(o) == self.root(b)] or [b]
                    moved = r.choice(others)
                    one["chosen"] = {n: moved if c == b else c for n, c in one["chosen"].items()}
                elif r.random() < 0.3:
                    at = r.randrange(len(one["values"]))
                    one["values"][at] = self.value_of(one["kernel"].args[at])
                elif r.random() < 0.3:
                    one["shape"] = self.shape(one["kernel"])
                self.place(one)

    def choose(self, kernel):
        """Buffers for arguments, by name."""
        r, chosen = self.r, {}
        for a in kernel.args:
            if a["kind"] == "out":
                free = [b for b in self.usable(a["bytes"]) if not self.clash(b, chosen.values())]
                if not free:
                    return None
                chosen[a["name"]] = r.choice(free)
        written = list(chosen.values())
        for a in kernel.args:
            if a["kind"] == "in":
                free = [b for b in self.usable(a["bytes"]) if not self.clash(b, written)]
                if not free:
                    return None
                chosen[a["name"]] = r.choice(free)
            elif a["kind"] == "alias":
                chosen[a["name"]] = chosen[a["of"]]
            elif a["kind"] == "permutation":
                chosen[a["name"]] = self.permutations[self.key_of(a)]
        return chosen if self.choose_images(kernel, chosen) else None

    def choose_images(self, kernel, chosen):
        """One that is written is no other argument."""
        images = [a for a in kernel.args if a["kind"] == "image"]
        for a in images:
            free = [b for b in self.images if not any(chosen.get(o["name"]) == b and (a["writes"] or o["writes"]) for o in images)]
            if not free:
                return False
            chosen[a["name"]] = self.r.choice(free)
        return True

    def value_of(self, a):
        r = self.r
        if a["kind"] == "scalar":
            value = r.randint(a["lo"], a["hi"])
            if a["wraps"] and r.random() < 0.5:
                value += r.randint(1, 5) << a["wraps"]
            return number(value, SIZES[a["type"]])
        if a["kind"] == "struct":
            parts = [number(r.randint(-3, 9), 4), number(r.randint(-3, 9), 2), number(0, 2),
                     number(r.randint(-3, 1 << 40), 8)] + [number(r.randint(0, 9), 4) for _ in range(4)]
            return "".join(parts)
        return None

    def shape(self, kernel):
        r, shape, offset = self.r, {"global": [], "local": kernel.local}, []
        for most, local in zip(kernel.max, kernel.local):
            groups = r.choice([most // local, most // local, max(1, most // local // 2), r.randint(1, most // local)])
            shape["global"].append(groups * local)
            offset.append(r.randint(0, most - groups * local))
        if kernel.has_offsets and any(offset):
            shape["offset"] = offset
        if not kernel.keeps_local and kernel.any_local and r.random() < 0.5:
            del shape["local"]
        return shape

    def place(self, launch, **more):
        """The launch as a command, if its arguments may be used together."""
        kernel, chosen = launch["kernel"], launch["chosen"]
        args, reads, writes = [], [], []
        for a, value in zip(kernel.args, launch["values"]):
            b = chosen.get(a["name"])
            if b is None:
                args.append({"local": a["bytes"]} if a["kind"] == "local" else {"hex": value})
                continue
            args.append({"buffer": b})
            if self.root(b) in self.gone or self.root(b) in self.mapped or self.case["buffers"][b]["bytes"] < a.get("bytes", 0):
                return None
            is_written = a["kind"] == "out" or a.get("writes", False)
            if a["kind"] in ("out", "in") and self.clash(b, writes + (reads if is_written else [])):
                return None
            (writes if is_written else reads).append(b)
        self.recent = self.recent[-7:] + [launch]
        return self.add({"op": "launch", "kernel": kernel.name, "args": args, **launch["shape"], **more}, reads, writes)


def finalise(case):
    """Events and wait lists: each command waits for those whose bytes it needs, unless its queue's order says so.

    Between queues, what a host call touches (a blocking read) is ordered by these events alone. A command `ahead` of
    another one comes later but does not see it: that one waits for a user event.
    """
    commands = case["commands"]
    by_id = {c["id"]: c for c in commands}
    writer, readers, since = {}, {}, {}
    writers_before = {}
    for c in commands:
        c.pop("event", None)
        waits = set()
        if c.get("after") in by_id:
            waits.add(c["after"])
            writers_before[c["id"]] = dict(writer)
        ahead = c.get("ahead") in writers_before
        known = writers_before[c["ahead"]] if ahead else writer
        waits.update(known[m] for m in c["reads"] + c["writes"] if m in known)
        for memory in c["writes"]:
            waits.update(readers.get(memory, ()))
        q = c.get("queue", 0)
        in_order = case["queues"][q] == "in-order"
        if c["op"] == "finish":
            writer, readers, since = {}, {}, {}
        elif c["op"] == "barrier" and not in_order:
            since[q] = c["id"]  # what comes later in this queue is after what came before
        kept = set()
        for w in waits:
            other = by_id[w]
            same = other.get("queue", 0) == q and other["op"] != "user_event"
            if same and (in_order or w < since.get(q, -1)):
                continue
            kept.add(w)
        c["waits"] = sorted(kept)
        for w in kept | {o for o in c.get("of_all", []) if o in by_id} | ({c["id"]} if c.get("after") in by_id else set()):
            by_id[w]["event"] = True
        if ahead:
            continue
        for memory in c["writes"]:
            writer[memory], readers[memory] = c["id"], set()
        for memory in c["reads"]:
            if memory not in c["writes"]:
                readers.setdefault(memory, set()).add(c["id"])
    return case


def make(seed, **sizes):
    return Maker(seed, **sizes).case
