# SPDX-License-Identifier: Apache-2.0
"""Random formulas of a kernel that may go anywhere: numbers of all widths that wrap, indices, conditions."""

INTEGERS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]
SIZES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4, "int2": 8,
         "int4": 16, "uint4": 16, "uchar4": 4, "short2": 4, "long2": 16, "struct A": 16, "struct B": 24}
MEMBERS = {"struct A": ["a", "b", "c", "d", "e[0]", "e[1]"], "struct B": ["l", "u", "s[1]", "s[2]"]}
NUMBERS = [0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 100, 255, 256]
ODD_NUMBERS = ["-1", "-2", "-8", "0x7fffffff", "0x80000000u", "0xffffffffu", "0xffffffffUL", "-128", "65535", "65536",
               "0x8000000000000000UL", "0x100000000L", "-1L"]
ALIKE = [("int", "uint"), ("uint", "int"), ("char", "uchar"), ("uchar", "char"), ("short", "ushort"), ("ushort", "short"),
         ("long", "ulong"), ("ulong", "long")]
WORK_ITEM = ["get_global_id"] * 6 + ["get_local_id", "get_group_id", "get_group_id", "get_global_size", "get_local_size",
                                     "get_num_groups", "get_global_offset"]


class Formulas:
    """What statements are made of. `vars` are names of integers, some of which may be assigned to."""

    def chance(self, p):
        return self.r.random() < p

    def name_of(self, prefix="v"):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def line(self, text):
        self.body.append("  " * self.depth + text)

    def variable(self, kind, text, assignable=True):
        name = self.name_of()
        self.line(f"{kind} {name} = {text};")
        self.vars.append((name, assignable))
        return name

    def buffers(self, writable=False):
        return [a for a in self.args if a["buffer"] and not (writable and "__constant" in a["space"])]

    # -- numbers --
    def work_item(self):
        d = self.r.randrange(self.dims)
        return self.r.choice([f"{f}({d})" for f in WORK_ITEM] + ["get_work_dim()"])

    def atom(self):
        r, form = self.r, self.r.random()
        if form < .33 and self.vars:
            return r.choice(self.vars[-8:])[0]
        if form < .45 and self.vars:
            return r.choice(self.vars)[0]
        if form < .7:
            cast = f"({r.choice(['int', 'int', 'uint', 'long', 'size_t', 'short', 'uchar', 'ulong'])})" if self.chance(.6) else ""
            return cast + self.work_item()
        if form < .93:
            return str(r.choice(NUMBERS)) + r.choice(["", "", "", "u", "L", "UL"])
        return r.choice(ODD_NUMBERS)

    def affine(self):
        r, text = self.r, ""
        for _ in range(r.randint(1, 3)):
            factor = r.choice(["", "", "", f"{r.choice([2, 3, 4, 8, 16])} * "])
            if factor == "" and self.vars and self.chance(.25):
                factor = f"{r.choice(self.vars)[0]} * "
            text = f"{text} {r.choice('+++-')} {factor}{self.atom()}" if text else factor + self.atom()
        return f"({text})"

    def number(self, depth=3):
        r, form = self.r, self.r.random()
        if depth <= 0 or .25 <= form < .35:
            return self.atom()
        if form < .25:
            return self.affine()
        one, two = self.number(depth - 1), self.number(depth - 1)
        if form < .55:
            return f"({one} {r.choice('++-*')} {two})"
        if form < .62:
            return f"({one} {r.choice('&|^')} {two})"
        if form < .68:
            return self.division(one, depth)
        if form < .73:
            by = r.choice(["1", "2", "3", "4", "8", "16", "31"]) if self.chance(.7) else self.atom()
            return f"({one} {r.choice(['<<', '>>', '>>'])} {by})"
        if form < .80:
            return f"({r.choice(INTEGERS)})({one})"
        if form < .85:
            return f"({self.condition(depth - 1)} ? {one} : {two})"
        if form < .87:
            return f"({self.condition(depth - 1)})"
        if form < .95:
            return self.function(depth - 1)
        return f"{r.choice('-~')}({self.atom()})" if form < .97 else self.load(depth - 2)

    def division(self, text, depth):
        """By numbers that may be zero, too: the result is then some number."""
        r = self.r
        by = r.choice(["2", "3", "4", "5", "7", "8", "16", "10u", "6L", "9UL"]) if self.chance(.7) else \
            r.choice([self.number(depth - 2), f"({self.number(depth - 2)} | 1)", text, "0"])
        if self.chance(.15):
            return f"(QUOTIENT({text}, {by}) * ({by}) + REST({text}, {by}))"
        return f"{r.choice(['QUOTIENT', 'REST'])}({text}, {by})"

    def function(self, depth):
        r = self.r
        return r.choice([self.of_numbers, self.of_numbers, self.bounded, self.converted, self.of_vector])(depth)

    def of_numbers(self, depth):
        r, kind = self.r, self.r.choice(INTEGERS)
        narrow = kind if kind not in ("long", "ulong") else "int"
        def operand(t):
            return f"({t})({self.number(depth - 1)})"
        name = r.choice(["abs_diff", "mul24", "mad24", "mul_hi", "rotate", "hadd", "rhadd", "add_sat", "sub_sat", "bitselect",
                         "upsample", "select", "mad_sat"])
        if name in ("mul24", "mad24"):
            kind = r.choice(["int", "uint"])
        if name in ("mul_hi", "add_sat", "sub_sat", "mad_sat"):
            kind = narrow if name != "mad_sat" else r.choice(["char", "uchar", "short", "ushort"])
        if name == "upsample":
            high, low = r.choice([("char", "uchar"), ("uchar", "uchar"), ("short", "ushort"), ("ushort", "ushort")])
            return f"upsample({operand(high)}, {operand(low)})"
        if name == "select":
            return f"select({operand('int')}, {operand('int')}, (int)({self.condition(depth - 1)}))"
        count = 3 if name in ("mad24", "bitselect", "mad_sat") else 2
        return f"{name}({', '.join(operand(kind) for _ in range(count))})"

    def bounded(self, depth):
        """Functions whose results have bounds."""
        r, kind = self.r, self.r.choice(INTEGERS)
        one, two = f"({kind})({self.number(depth - 1)})", f"({kind})({self.number(depth - 1)})"
        return r.choice([f"min({one}, {two})", f"max({one}, {two})", f"abs({one})", f"popcount({one})", f"clz({one})",
                         f"clamp({one}, ({kind}){r.choice([0, 1, 2])}, ({kind}){r.choice([3, 15, 100, 127, self.atom()])})"])

    def converted(self, depth):
        r, one = self.r, self.number(depth - 1)
        to, of = r.choice(ALIKE)
        narrow = r.choice(["char", "uchar", "short", "ushort", "int", "uint"])
        return r.choice([f"convert_{r.choice(INTEGERS)}(({r.choice(INTEGERS)})({one}))",
                         f"convert_{narrow}_sat(({r.choice(INTEGERS[:-1])})({one}))", f"as_{to}(({of})({one}))",
                         f"as_uchar4((int)({one})).{r.choice('xyzw')}", f"as_short2((uint)({one})).{r.choice('xy')}",
                         f"as_int((short2)({one}, {self.atom()}))", f"WHOLE({r.choice(['', '-', '1e9f * '])}(float)({one}))",
                         f"WHOLE({r.choice(['1e20f', '-3e9f', '7.5f'])})"])

    def of_vector(self, depth):
        r, kind = self.r, self.r.choice(["int", "uint", "short", "long", "uchar"])
        one = f"({kind}4)({self.number(depth - 1)}, {self.number(depth - 2)}, {self.atom()}, {self.atom()})"
        two = r.choice([f"({kind}4)({self.atom()})", f"({kind}4)({self.atom()}, {self.atom()}, 1, 2)"])
        x = r.choice("xyzw")
        return r.choice([f"({one} {r.choice(['+', '-', '*', '&', '|', '^', '>>'])} {two}).{x}",
                         f"{r.choice(['min', 'max'])}({one}, {two}).{x}", f"clamp({one}, ({kind}4)(0, 1, 2, 3), ({kind}4)(9)).{x}",
                         f"({one}).{r.choice(['wzyx', 'xxyy', 'zwxy'])}.{x}", f"({one}).{r.choice(['lo', 'hi', 'odd', 'even'])}.x",
                         f"({one} {r.choice(['<', '>', '==', '!='])} {two}).{x}", f"popcount({one}).{x}"])

    # -- conditions --
    def condition(self, depth=2):
        r, form = self.r, self.r.random()
        if form < .7 or depth <= 0:
            other = self.number(depth - 1) if self.chance(.5) else self.atom()
            return f"{self.number(depth - 1)} {r.choice(['<', '<', '<=', '>', '>=', '==', '!='])} {other}"
        if form < .8:
            return f"({self.condition(depth - 1)}) {r.choice(['&&', '||', '&', '|'])} ({self.condition(depth - 1)})"
        if form < .85:
            return f"!({self.condition(depth - 1)})"
        return f"({self.number(depth - 1)}) & {r.choice([1, 2, 4, 7])}" if form < .93 else self.load(0)

    # -- places in buffers --
    def load(self, depth=1):
        if self.pointers and self.chance(.2):
            name, kind = self.r.choice(self.pointers)
            return self.member(f"{name}[{self.r.choice([0, 0, 0, 1, 2, 3, -1])}]", kind)
        a = self.r.choice(self.buffers())
        return self.member(f"{a['name']}[{self.index(a['cap'], depth)}]", a["type"])

    def member(self, text, kind):
        """A number of what lies there."""
        if kind == "float":
            return f"(int)({text} > 0.5f)"
        if kind in MEMBERS:
            return f"{text}.{self.r.choice(MEMBERS[kind])}"
        return f"{text}.{self.r.choice('xyzw'[:int(kind[-1])])}" if kind[-1] in "24" else text

    def digits(self):
        """Two of a number, its quotient and its rest."""
        r, x = self.r, self.affine()
        d = r.choice([2, 3, 4, 5, 8, 16, 16, 32])
        mask = f"(({x}) & {d - 1})" if d & (d - 1) == 0 and self.chance(.5) else f"REST({x}, {d})"
        a, b = r.choice([0, 1, 1, 2, 2, 3]), r.choice([-2, -1, -1, 0, 1, 1, 2])
        c = r.choice([0, 0, d, 2 * d, 1])
        return f"(({x}) * {a} + {mask} * {b} + QUOTIENT({x}, {d}) * {c} + {r.choice([0, 0, 5, d])})"

    def index(self, cap, depth=2):
        """Often inside the buffer."""
        r = self.r
        cap = max(2, r.choice([cap, cap, cap // 2, min(cap, 256), min(cap, 1000), min(cap, 64)]))
        if self.chance(.45):
            return self.affine()
        if self.chance(.15):
            return self.digits()
        x = self.number(max(depth, 0))
        mask = (1 << (cap.bit_length() - 1)) - 1
        kind, narrow = r.choice(["int", "long", "short"]), r.choice(["uint", "ulong", "ushort", "uchar"])
        below = f"QUOTIENT({self.affine()} - {r.choice([10, 20, 50])}, {r.choice([2, 3, 7])}) + {r.choice([20, 64, 100])}"
        text = r.choice([x, below, f"({x}) & {mask}", f"({x}) & {mask & r.choice([-2, -4, 7, 12, mask // 2])}", f"(uint)({x}) % {cap}u",
                         f"REST({x}, {cap}) + {cap}", f"(ulong)({x}) % {cap}", f"max(min((int)({x}), {cap - 1}), 0)", f"(uchar)({x})",
                         f"clamp(({kind})({x}), ({kind})0, ({kind}){min(cap, 30000) - 1})",
                         f"min(({narrow})({x}), ({narrow}){min(cap, 255) - 1})",
                         f"((uint)({x}) < {cap}u ? ({x}) : 0)", f"(({x}) >= {cap} ? {cap - 1} : ({x}) < 0 ? 0 : ({x}))",
                         f"((uint)({x}) >> {33 - cap.bit_length()})", f"abs((int)({x}) % {cap})",
                         f"select(0, (int)({x}), ((int)({x}) >= 0 && (int)({x}) < {cap}) ? 1 : 0)"])
        return f"({text})"
