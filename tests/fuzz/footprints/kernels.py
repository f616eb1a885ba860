# SPDX-License-Identifier: Apache-2.0
"""Random kernels that may access anything, and launches of them. What they do outside of buffers is seen when they run."""
import random

from formulas import INTEGERS, SIZES
from loops import Loops
from statements import BYTES

OPERATIONS = """#define QUOTIENT(a, b) ((a) / (b))
#define REST(a, b) ((a) % (b))
#define WHOLE(number) ((int)(number))
"""
# What OpenCL C leaves open is any number there. (It is undefined in C.)
OPERATIONS_ON_HOST = """long any_number(void) __attribute__((pure));  // no call is made for a number that nothing needs
#define QUOTIENT(a, b) ({ __typeof__((a) + (b)) x = (a), y = (b); \\
  y == 0 ? (__typeof__(x))any_number() : y == (__typeof__(y))-1 && (__typeof__(y))-1 < 0 ? (__typeof__(x))-(ulong)x : x / y; })
#define REST(a, b) ({ __typeof__((a) + (b)) x = (a), y = (b); \\
  y == 0 ? (__typeof__(x))any_number() : y == (__typeof__(y))-1 && (__typeof__(y))-1 < 0 ? 0 : x % y; })
#define WHOLE(number) ({ float f = (number); f > -2.1e9f && f < 2.1e9f ? (int)f : (int)any_number(); })
"""
STRUCTS = """struct A { int a; short b; uchar c; char d; int e[2]; };
struct B { long l; uint u; ushort s[6]; };
"""
ELEMENTS = ["int", "int", "uint", "char", "uchar", "short", "ushort", "long", "ulong", "float", "int2", "int4", "uint4",
            "uchar4", "struct A", "struct B"]
# Of arguments: what they are made of, each with its offset and its name.
PARTS = {"struct A": [("int", 0, "a"), ("short", 4, "b"), ("uchar", 6, "c"), ("char", 7, "d"), ("int", 8, "e[0]"), ("int", 12, "e[1]")],
         "struct B": [("long", 0, "l"), ("uint", 8, "u"), ("ushort", 12, "s[0]"), ("ushort", 16, "s[2]"), ("ushort", 20, "s[4]")]}
for vector in ("int2", "int4", "uchar4", "short2", "long2"):
    one = vector[:-1]
    PARTS[vector] = [(one, i * SIZES[one], "xyzw"[i]) for i in range(int(vector[-1]))]
ODD_VALUES = [127, 128, 255, 256, 32767, 65535, 65536, (1 << 31) - 1, -(1 << 31), (1 << 32) - 1, (1 << 63) - 1, -(1 << 63), 252,
              65530, (1 << 32) - 6]


class Kernel(Loops):
    def __init__(self, r, name):
        self.r, self.name, self.dims = r, name, r.choice([1, 1, 1, 2, 2, 3])
        self.args, self.vars, self.pointers, self.body, self.helpers = [], [], [], [], []
        self.fresh, self.depth, self.loops, self.budget = 0, 1, 0, r.randint(4, 14)
        self.alike = []  # numbers that many of its stores store
        self.small = self.chance(.4)  # what it does is seen, whatever else there is
        for i in range(r.randint(2, 4)):
            kind = r.choice(ELEMENTS)
            space = "__constant" if i and self.chance(.08) else "__global"
            if kind in INTEGERS and self.chance(.08):
                space += " volatile"
            self.args.append({"buffer": True, "type": kind, "name": f"b{i}", "space": space, "cap": BYTES // SIZES[kind]})
        for i in range(r.randint(1, 4)):
            self.argument(r.choice(["int", "int", "int", "ulong"] + INTEGERS), f"n{i}")
        if self.chance(.25):
            self.argument(r.choice(list(PARTS)), "w")
        self.make()

    def argument(self, kind, name):
        self.args.append({"buffer": False, "type": kind, "name": name})
        self.vars += [(f"{name}.{part[2]}", False) for part in PARTS[kind]] if kind in PARTS else [(name, False)]

    def make(self):
        r = self.r
        for d in range(self.dims):
            if self.chance(.7):
                kind = r.choice(["int", "int", "uint", "size_t", "long", "short"])
                self.variable(kind, f"get_global_id({d})", False)
        if self.chance(.3):
            bound = r.choice(["20", "5", "33"] + [name for name, _ in self.vars])
            self.line(f"if ({r.choice(self.vars)[0]} >= {bound}) return;")
        if self.small:
            self.special()
            return
        for _ in range(r.randint(2, 5)):
            self.statement()
        if self.chance(.7):
            self.store()

    def text(self):
        return "\n".join([*self.helpers, f"__kernel {self.head()}", *self.body, "}"]) + "\n"

    def head(self):
        parameters = ", ".join(f"{a['space']} {a['type']}* {a['name']}" if a["buffer"] else f"{a['type']} {a['name']}" for a in self.args)
        return f"void {self.name}({parameters}) {{"

    def on_host(self, prefix):
        """As functions that are this file's own, and one that the host calls, with the addresses of all arguments."""
        arguments = ", ".join(f"({a['space']} {a['type']}*)a[{i}]" if a["buffer"] else f"*(__global {a['type']}*)a[{i}]"
                              for i, a in enumerate(self.args))
        return "\n".join([*(f"static {helper}" for helper in self.helpers), f"static {self.head()}", *self.body, "}",
                          f"void {prefix}_{self.name}(__global ulong* a) {{ {self.name}({arguments}); }}"]) + "\n"

    # -- launches --
    def launch(self):
        r = self.r
        locals_ = [r.choice([1, 2, 3, 4, 8, 5] if self.dims == 1 else [1, 2, 3, 4]) for _ in range(self.dims)]
        groups = [r.randint(1, {1: 9, 2: 4, 3: 3}[self.dims]) for _ in range(self.dims)]
        style = r.choice(["random", "zeros", "small", "small", "bytes"])
        return {"kernel": self.name, "local": locals_, "groups": groups,
                "offset": [r.randrange(20) if self.chance(.25) else 0 for _ in range(self.dims)],
                "arguments": [{"seed": r.randrange(1 << 30), "style": style} if a["buffer"] else {"hex": self.bytes_of(a["type"]).hex()}
                              for a in self.args]}

    def bytes_of(self, kind):
        whole = bytearray(SIZES[kind])
        for one, at, _ in PARTS.get(kind, [(kind, 0, "")]):
            size = SIZES[one]
            whole[at:at + size] = (self.number_passed() % (1 << (8 * size))).to_bytes(size, "little")
        return bytes(whole)

    def number_passed(self):
        r = self.r
        return r.choice([r.randrange(6), r.randrange(6), r.randrange(6), r.randrange(6), r.randrange(40), r.randrange(40),
                         1 << r.randrange(12), -r.randrange(6), r.choice(ODD_VALUES), (r.randrange(3) << 32) + r.randrange(5)])


def make(seed, count):
    return [Kernel(random.Random(f"{seed}/{i}"), f"k{i}") for i in range(count)]
