# SPDX-License-Identifier: Apache-2.0
"""Random host commands of a case: transfers, fills, maps, markers, user events, buffers made and released on the way."""
from images import IMAGE

PAGE = 4096  # sub-buffers begin at multiples of it


class HostCommands:
    """The half of generate.Maker that is not about launches."""
    def __init__(self):
        self.gone, self.mapped = set(), {}  # root buffers; the maps that are open, by root
        self.user_events = 0

    def host_command(self):
        op = self.r.choice(["transfer"] * 10 + ["rect"] * 2 + ["map"] * 2 + ["barrier", "marker", "finish", "flush", "wait",
                           "user event", "user event", "release", "unmap", "image", "area", "area"])
        if op == "transfer":
            self.transfer()
        elif op == "rect":
            self.rectangle()
        elif op == "map":
            self.map()
        elif op == "unmap":
            self.end_mapping()
        elif op == "wait":
            self.wait()
        elif op == "user event":
            self.user_event()
        elif op == "release":
            self.release()
        elif op == "image":
            self.image_command()
        elif op == "area":
            self.through_area()
        else:
            self.add({"op": op})

    def some_bytes(self):
        r = self.r
        b = r.choice(self.usable(1))
        size = self.case["buffers"][b]["bytes"]
        lo = r.choice([0, r.randrange(size), r.randrange(size)])
        return {"buffer": b, "offset": lo, "size": r.choice([size - lo, r.randint(1, size - lo)])}

    def transfer(self, blocking=True):
        r = self.r
        some = self.some_bytes()
        b, lo, count = some["buffer"], some["offset"], some["size"]
        op = r.choice(["read", "read", "write", "write", "fill", "fill", "copy", "copy"])
        if op == "read":
            return self.add({"op": op, **some, "blocking": blocking and r.random() < 0.4}, [b])
        if op == "write":
            return self.add({"op": op, **some, "blocking": blocking and r.random() < 0.3, "seed": r.randrange(1 << 30)}, [], [b])
        if op == "fill":
            width = r.choice([1, 2, 4, 8, 16, 32, 128])
            lo, count = lo // width * width, count // width * width
            if count:
                self.add({"op": op, "buffer": b, "offset": lo, "size": count, "hex": r.randbytes(width).hex()}, [], [b])
            return None
        to = r.choice(self.usable(1))
        if self.root(to) != self.root(b):
            count = min(count, self.case["buffers"][to]["bytes"])
            at = r.randint(0, self.case["buffers"][to]["bytes"] - count)
            self.add({"op": op, "from": b, "to": to, "from_offset": lo, "to_offset": at, "size": count}, [b], [to])
        return None

    def through_area(self):
        """Bytes that are read into the program's memory, and written from there."""
        r = self.r
        area = r.randrange(len(self.case["areas"]))
        for op in r.choice([["read"], ["write"], ["read", "write"], ["read", "write"], ["write", "read", "write"]]):
            some = self.some_bytes()
            at = r.choice([0, r.randint(0, self.case["areas"][area] - some["size"])])
            command = {"op": op, **some, "area": area, "area_offset": at, "blocking": r.random() < 0.15}
            if op == "read":
                self.add(command, [some["buffer"]], [], [], [area])
            else:
                self.add(command, [], [some["buffer"]], [area], [])

    def wait(self):
        """The program waits for some of the last commands itself."""
        last = [c["id"] for c in self.case["commands"][-8:] if c["op"] in ("launch", "read", "write", "fill", "copy")]
        if last:
            self.add({"op": "wait", "of_all": self.r.sample(last, min(len(last), self.r.randint(1, 3)))})

    # -- maps --
    def map(self):
        r = self.r
        some = self.some_bytes()
        root = self.root(some["buffer"])
        how = r.choice(["read", "read", "write", "write", "invalidate"])
        stays = r.random() < 0.5 and len(self.mapped) < 2 and len({self.root(b) for b in self.usable(self.limit)}) > 3
        command = self.add({"op": "map", **some, "how": how, "blocking": not stays or r.random() < 0.3},
                           [some["buffer"]], [some["buffer"]] if how != "read" else [])
        self.mapped[root] = command
        if not stays:
            self.end_mapping(root)

    def end_mapping(self, root=None):
        for mapped in [root] if root is not None else list(self.mapped):
            m = self.mapped.pop(mapped)
            self.add({"op": "unmap", "of": m["id"], "queue": m["queue"]}, m["reads"], m["writes"])

    # -- user events --
    def user_event(self):
        """A launch, and perhaps what comes behind it, waits for the program. A read elsewhere does not."""
        r = self.r
        if self.user_events >= 3:
            return
        self.user_events += 1
        event = self.add({"op": "user_event"})["id"]
        launch = self.launch(r.choice(self.kernels), after=event)
        # In another queue: PoCL's blocking calls finish theirs.
        others = [q for q in range(len(self.case["queues"])) if launch and q != launch["queue"]]
        bytes_of = [a["buffer"] for a in launch["args"] if "buffer" in a] if launch else []
        bytes_of = [b for b in bytes_of if b in self.usable(1)]
        if others and bytes_of and r.random() < 0.7:
            b = r.choice(bytes_of)
            self.add({"op": "read", "buffer": b, "offset": 0, "size": self.case["buffers"][b]["bytes"], "blocking": True,
                      "ahead": launch["id"], "queue": r.choice(others)}, [b])
        for _ in range(r.randint(0, 3)):
            if r.random() < 0.5:
                self.launch(r.choice(self.kernels))
            else:
                self.transfer(blocking=False)
        self.add({"op": "set_user_event", "of": event})

    # -- memory objects --
    def release(self):
        """A buffer goes while commands still use it, and another one comes."""
        r, buffers = self.r, self.case["buffers"]
        roots = [b for b in self.usable(self.limit) if "parent" not in buffers[b]]
        if len(roots) < 3:
            return
        b = r.choice(roots)
        if r.random() < 0.7:  # something is known of what becomes of it
            to = r.choice([o for o in roots if o != b])
            self.add({"op": "copy", "from": b, "to": to, "from_offset": 0, "to_offset": 0, "size": self.limit}, [b], [to])
        self.gone.add(b)
        self.add({"op": "release", "buffers": [i for i in range(len(buffers)) if self.root(i) == b][::-1]})
        buffers.append({"bytes": self.limit + r.choice([0, PAGE]), "seed": r.randrange(1 << 30), "late": True})
        self.add({"op": "create", "buffer": len(buffers) - 1})

    def image_command(self):
        r = self.r
        if not self.images:
            return
        # PoCL 3.1 crashes where it copies between an image and a sub-buffer.
        image, b = r.choice(self.images), self.root(r.choice(self.usable(PAGE)))
        lo = [r.randrange(IMAGE[0]), r.randrange(IMAGE[1])]
        region = [r.randint(1, IMAGE[d] - lo[d]) for d in range(2)]
        offset = 4 * r.randrange(100)
        op = r.choice(["copy_to_image", "copy_to_image", "copy_from_image", "read_image", "write_image", "fill_image"])
        command = {"op": op, "image": image, "image_origin": lo, "region": region}
        if op == "copy_to_image":
            self.add({**command, "buffer": b, "offset": offset}, [b], [image])
        elif op == "copy_from_image":
            self.add({**command, "buffer": b, "offset": offset}, [image], [b])
        elif op == "read_image":
            self.add({**command, "blocking": r.random() < 0.3}, [image])
        elif op == "write_image":
            self.add({**command, "blocking": r.random() < 0.3, "seed": r.randrange(1 << 30)}, [], [image])
        else:
            self.add({**command, "hex": r.randbytes(4).hex()}, [], [image])

    def rectangle(self):
        r = self.r
        b = self.root(r.choice(self.usable(1)))  # PoCL 3.1 crashes where it copies rectangles of sub-buffers
        op = r.choice(["copy_rect", "read_rect", "write_rect"])
        pitch, other = r.choice([64, 100, 128, 36]), r.choice([64, 100, 128, 40])
        region = [r.randint(1, 32), r.randint(1, 12), r.choice([1, 1, 2])]
        origin = lambda: [r.randint(0, 4), r.randint(0, 6), r.choice([0, 0, 1])]
        command = {"op": op, "from_pitch": pitch, "to_pitch": other, "from_origin": origin(), "to_origin": origin(), "region": region}
        if op == "copy_rect":
            to = self.root(r.choice(self.usable(PAGE)))
            if to != b:
                self.add({**command, "from": b, "to": to}, [b], [to])
        elif op == "read_rect":
            self.add({**command, "buffer": b, "blocking": r.random() < 0.3}, [b])
        else:
            self.add({**command, "buffer": b, "blocking": r.random() < 0.3, "seed": r.randrange(1 << 30)}, [], [b])
