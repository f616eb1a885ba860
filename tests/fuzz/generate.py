# SPDX-License-Identifier: Apache-2.0
"""Random cases: kernels of the grammar, buffers and sub-buffers, and a list of host commands.

A case is a value that JSON can hold. Commands name the buffers they read and write; `finalise` derives from them the
events each command waits for, so that a case from which commands have been dropped is still ordered.
"""
import random

import grammar

PAGE = 4096  # sub-buffers begin at multiples of it
QUEUES = [["in-order"], ["in-order"], ["out-of-order"], ["in-order", "in-order"], ["in-order", "out-of-order"],
          ["in-order", "in-order", "out-of-order"]]


def number(value, size):
    return (value % (1 << (8 * size))).to_bytes(size, "little").hex()


class Maker:
    def __init__(self, seed, kernels=5, launches=50):
        self.r = random.Random(f"case {seed}")
        self.limit = self.r.choice([2, 4, 8]) * PAGE
        self.kernels = [grammar.Kernel(self.r, f"k{i}", self.limit) for i in range(kernels)]
        self.case = {"seed": seed, "options": self.r.choice(["", "", "", "-cl-std=CL1.2", "-cl-opt-disable", "-cl-mad-enable"]),
                     "source": grammar.PRELUDE + "\n".join(k.source() for k in self.kernels) + "\n",
                     "queues": self.r.choice(QUEUES), "buffers": [], "commands": []}
        self.permutations = {}
        self.make_buffers()
        self.user_event = None
        for _ in range(launches):
            self.launch(self.r.choice(self.kernels))
            while self.r.random() < 0.4:
                self.host_command()
        if self.user_event is not None:
            self.set_user_event()
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
        for k in self.kernels:
            for a in k.args:
                if a["kind"] == "permutation" and a["items"] not in self.permutations:
                    count = a["items"]
                    factor = next(f for f in (7, 11, 13, 17) if count % f)
                    self.permutations[count] = len(buffers)
                    buffers.append({"bytes": 4 * count, "permutation": count, "factor": factor})

    def root(self, b):
        return self.case["buffers"][b].get("parent", b)

    def span(self, b):
        entry = self.case["buffers"][b]
        origin = entry.get("origin", 0)
        return self.root(b), origin, origin + entry["bytes"]

    def usable(self, size):
        return [i for i, b in enumerate(self.case["buffers"]) if "permutation" not in b and b["bytes"] >= size]

    def add(self, command, reads=(), writes=()):
        command.update(id=len(self.case["commands"]), reads=sorted({self.root(b) for b in reads}),
                       writes=sorted({self.root(b) for b in writes}))
        if "queue" not in command and command["op"] not in ("finish", "release"):
            command["queue"] = self.r.randrange(len(self.case["queues"]))
        self.case["commands"].append(command)

    def launch(self, kernel):
        r = self.r
        chosen = {}

        def clash(b, others):
            root, lo, hi = self.span(b)
            return any(root == o and lo < h and l < hi for o, l, h in map(self.span, others))

        outs = [a for a in kernel.args if a["kind"] == "out"]
        for a in outs:
            free = [b for b in self.usable(a["bytes"]) if not clash(b, chosen.values())]
            if not free:
                return
            chosen[a["name"]] = r.choice(free)
        written = list(chosen.values())
        reads = []
        for a in kernel.args:
            if a["kind"] == "in":
                free = [b for b in self.usable(a["bytes"]) if not clash(b, written)]
                if not free:
                    return
                chosen[a["name"]] = r.choice(free)
            elif a["kind"] == "alias":
                chosen[a["name"]] = chosen[a["of"]]
            elif a["kind"] == "permutation":
                chosen[a["name"]] = self.permutations[a["items"]]
            else:
                continue
            reads.append(chosen[a["name"]])
        args = []
        for a in kernel.args:
            if a["kind"] == "scalar":
                value = r.randint(a["lo"], a["hi"])
                if a["wraps"] and r.random() < 0.5:
                    value += r.randint(1, 5) << a["wraps"]
                args.append({"hex": number(value, grammar.SCALARS[a["type"]])})
            elif a["kind"] == "struct":
                parts = [number(r.randint(-3, 9), 4), number(r.randint(-3, 9), 2), number(0, 2),
                         number(r.randint(-3, 1 << 40), 8)] + [number(r.randint(0, 9), 4) for _ in range(4)]
                args.append({"hex": "".join(parts)})
            elif a["kind"] == "local":
                args.append({"local": a["bytes"]})
            else:
                args.append({"buffer": chosen[a["name"]]})
        command = {"op": "launch", "kernel": kernel.name, "args": args, "global": [], "local": kernel.local}
        offset = []
        for most, local in zip(kernel.max, kernel.local):
            groups = r.choice([most // local, most // local, max(1, most // local // 2), r.randint(1, most // local)])
            command["global"].append(groups * local)
            offset.append(r.randint(0, most - groups * local) if r.random() < 0.3 else 0)
        if any(offset):
            command["offset"] = offset
        if not kernel.fixed and not kernel.staged and r.random() < 0.04:
            del command["local"]
        self.add(command, reads, written)

    def host_command(self):
        r = self.r
        b = r.choice(self.usable(1))
        size = self.case["buffers"][b]["bytes"]
        lo = r.choice([0, r.randrange(size), r.randrange(size)])
        count = r.choice([size - lo, r.randint(1, size - lo)])
        some = {"buffer": b, "offset": lo, "size": count}
        op = r.choice(["read", "read", "write", "write", "fill", "copy", "copy", "map", "rect", "rect", "barrier", "marker",
                       "finish", "flush", "user_event", "fill"])
        if op == "read":
            self.add({"op": op, **some, "blocking": r.random() < 0.4}, [b])
        elif op == "write":
            self.add({"op": op, **some, "blocking": r.random() < 0.3, "seed": r.randrange(1 << 30)}, [], [b])
        elif op == "fill":
            width = r.choice([1, 2, 4, 8, 16])
            lo, count = lo // width * width, count // width * width
            if count:
                self.add({"op": op, "buffer": b, "offset": lo, "size": count, "hex": r.randbytes(width).hex()}, [], [b])
        elif op == "copy":
            to = r.choice(self.usable(1))
            if self.root(to) == self.root(b):
                return
            count = min(count, self.case["buffers"][to]["bytes"])
            at = r.randint(0, self.case["buffers"][to]["bytes"] - count)
            self.add({"op": op, "from": b, "to": to, "from_offset": lo, "to_offset": at, "size": count}, [b], [to])
        elif op == "map":
            writes = r.random() < 0.5
            self.add({"op": op, **some, "changes": writes}, [b], [b] if writes else [])
        elif op == "rect":
            self.rectangle(b)
        elif op in ("barrier", "marker"):
            self.add({"op": op})
        elif op == "finish":
            self.add({"op": op})
        elif op == "flush":
            self.add({"op": op})
        elif self.user_event is None and r.random() < 0.15:
            self.add({"op": "user_event"})
            self.user_event = self.case["commands"][-1]["id"]
            self.launch(r.choice(self.kernels))
            self.case["commands"][-1]["after"] = self.user_event if self.case["commands"][-1]["op"] == "launch" else None
            self.set_user_event()

    def set_user_event(self):
        self.add({"op": "set_user_event", "of": self.user_event})
        self.user_event = None

    def rectangle(self, b):
        r = self.r
        b = self.root(b)  # PoCL 3.1 crashes where it copies rectangles of sub-buffers
        op = r.choice(["copy_rect", "read_rect", "write_rect"])
        pitch, other = r.choice([64, 100, 128, 36]), r.choice([64, 100, 128, 40])
        region = [r.randint(1, 32), r.randint(1, 12), 1]
        origin = lambda: [r.randint(0, 4), r.randint(0, 6), 0]
        command = {"op": op, "from_pitch": pitch, "to_pitch": other, "from_origin": origin(), "to_origin": origin(), "region": region}
        if op == "copy_rect":
            to = self.root(r.choice(self.usable(PAGE)))
            if self.root(to) != self.root(b):
                self.add({**command, "from": b, "to": to}, [b], [to])
        elif op == "read_rect":
            self.add({**command, "buffer": b, "blocking": r.random() < 0.3}, [b])
        else:
            self.add({**command, "buffer": b, "blocking": r.random() < 0.3, "seed": r.randrange(1 << 30)}, [], [b])


def finalise(case):
    """Events and wait lists: each command waits for those whose bytes it needs, unless its queue's order says so.

    Between queues, what a host call touches (a blocking read) is ordered by these events alone.
    """
    commands = case["commands"]
    by_id = {c["id"]: c for c in commands}
    writer, readers, since = {}, {}, {}
    for c in commands:
        c.pop("event", None)
        waits = set()
        for buffer in c["reads"] + c["writes"]:
            if buffer in writer:
                waits.add(writer[buffer])
        for buffer in c["writes"]:
            waits.update(readers.get(buffer, ()))
        if c.get("after") in by_id:
            waits.add(c["after"])
        q = c.get("queue", 0)
        in_order = case["queues"][q] == "in-order"
        if c["op"] in ("finish",):
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
        for w in kept:
            by_id[w]["event"] = True
        for buffer in c["writes"]:
            writer[buffer], readers[buffer] = c["id"], set()
        for buffer in c["reads"]:
            if buffer not in c["writes"]:
                readers.setdefault(buffer, set()).add(c["id"])
    return case


def make(seed, **sizes):
    return Maker(seed, **sizes).case
