# SPDX-License-Identifier: Apache-2.0
"""Random statements: stores of all kinds, branches, pointers, helper functions, and loops (loops.py)."""
from formulas import INTEGERS, SIZES, Formulas

BYTES = 1 << 15  # of each buffer
ATOMICS = ["add", "sub", "or", "and", "xor", "min", "max", "inc", "dec"]


class Statements(Formulas):

    # -- stores --
    def value(self):
        return self.number(1) if self.chance(.7) else self.load()

    def target(self):
        if self.pointers and self.chance(.25):
            name, kind = self.r.choice(self.pointers)
            return f"{name}[{self.r.choice([0, 0, 1, 2, 3, -1]) if self.chance(.6) else self.affine()}]", kind
        a = self.r.choice(self.buffers(True))
        return f"{a['name']}[{self.index(a['cap'])}]", a["type"]

    def put(self, place, kind, value="1"):
        r = self.r
        if kind == "float":
            return f"{place} = (float)({value});"
        if kind == "struct A":
            return r.choice([f"{place}.{m} = {value};" for m in ["a", "b", "c", "d", f"e[({value}) & 1]"]] +
                            [f"{{ struct A q = {place}; q.c = {value}; {place} = q; }}"])
        if kind == "struct B":
            return r.choice([f"{place}.{m} = {value};" for m in ["l", "u", "s[2]", f"s[({value}) & 1]"]] +
                            [f"{{ struct B q = {{0}}; q.l = {value}; q.u = 3; {place} = q; }}"])
        if kind[-1] in "24":
            ways = [f"{place} = ({kind})({value});", f"{place}.{r.choice('xyzw'[:int(kind[-1])])} = {value};"]
            if kind[-1] == "4":
                ways.append(f"{place}.{r.choice(['xw', 'zy', 'lo', 'hi'])} = ({kind[:-1]}2)({value});")
            return r.choice(ways)
        return f"{place} {r.choice(['=', '=', '=', '=', '+=', '^=', '|='])} ({kind})({value});"

    def store(self):
        forms = [self.store_plain] * 7 + [self.store_vector, self.store_as, self.update, self.copy, self.guarded, self.half] + [self.equal_stores] * 3
        self.r.choice(forms)()

    def store_plain(self):
        place, kind = self.target()
        self.line(self.put(place, kind, self.value()))

    def store_vector(self):
        r, some = self.r, [a for a in self.buffers(True) if a["type"] in INTEGERS]
        if not some:
            return self.store_plain()
        a, n = r.choice(some), r.choice([2, 3, 4, 8])
        shift = r.choice(["", f" + {self.affine()}"])
        self.line(f"vstore{n}(({a['type']}{n})({self.value()}), {self.index(a['cap'] // 8)}, {a['name']}{shift});")

    def store_as(self):
        """Through a pointer to another type."""
        r, a, m = self.r, self.r.choice(self.buffers(True)), self.name_of("m")
        kind = r.choice(["int", "uint", "uchar", "short", "ulong", "long"])
        vector = r.choice(["int4", "uint2", "uchar4", "long2", "uint3"])
        packed = "struct __attribute__((packed)) { uchar a; int b; short c; }"
        self.line(r.choice([
            f"((__global {kind}*){a['name']})[{self.index(BYTES // SIZES[kind])}] = ({kind})({self.value()});",
            f"((__global {vector}*){a['name']})[{self.index(1000, 1)}]{r.choice(['.x', '.y', ''])} = {self.number(1)};",
            f"__global int (*{m})[16] = (__global int (*)[16]){a['name']}; {m}[{self.index(500, 1)}][({self.number(1)}) & 15] = 1;",
            f"typedef {packed} T{m}; __global T{m}* {m} = (__global T{m}*){a['name']} + {self.index(3000, 1)}; "
            f"{m}->{r.choice('abc')} = {self.number(1)};"]))

    def update(self):
        some = [a for a in self.buffers(True) if a["type"] in ("int", "uint")]
        if not some:
            return self.store_plain()
        a, name = self.r.choice(some), self.r.choice(ATOMICS)
        value = "" if name in ("inc", "dec") else f", ({a['type']})({self.value()})"
        self.line(f"atomic_{name}(&{a['name']}[{self.index(a['cap'])}]{value});")

    def copy(self):
        a = self.r.choice(self.buffers(True))
        b = self.r.choice([b for b in self.buffers() if b["type"] == a["type"]])
        self.line(f"{a['name']}[{self.index(a['cap'])}] = {b['name']}[{self.index(b['cap'])}];")

    def guarded(self):
        r, a = self.r, self.r.choice(self.buffers(True))
        i, cap = self.variable(r.choice(["int", "long", "uint", "size_t"]), self.number(2), False), min(a["cap"], r.choice([64, 500]))
        test = r.choice([f"{i} >= 0 && {i} < {cap}", f"(uint){i} < {cap}u", f"{i} > 3 && {i} <= {cap - 1}",
                         f"!({i} < 0 || {i} >= {cap})", f"{i} < {cap} & {i} >= 0"])
        place = f"{a['name']}[{i}]"
        self.line(f"if ({test}) {self.put(place, a['type'], self.value())}")

    def half(self):
        r, width, most = self.r, self.r.choice(["", "2", "3", "4", "8"]), BYTES // 16
        place = f"{self.index(most)}, (__global half*){r.choice(self.buffers(True))['name']}"
        aligned = "a" if width and self.chance(.5) else ""
        if self.chance(.5):
            part = ".x" if width else ""
            self.variable("int", f"(int)(vload{aligned}_half{width}({place}){part}) & 15")
        else:
            self.line(f"vstore{aligned}_half{width}((float{width})({self.atom()}), {place});")

    def same_number(self):
        """Mostly one of the kernel's own two."""
        if not self.alike:
            passed = [a["name"] for a in self.args if not a["buffer"] and a["type"] in INTEGERS]
            self.alike = self.r.sample(["1", "1", "0", "-1", "7", *passed], 2)
        return self.r.choice([self.alike[0]] * 8 + [self.alike[1], self.number(1)])

    def equal_stores(self):
        """Numbers that other work-items store, too, where data or formulas say."""
        r, x = self.r, self.same_number
        place, kind = self.target()
        if kind.startswith("struct"):
            return self.line(self.put(place, kind, x()))
        p, number = self.name_of("p"), f"({kind})({x()})"
        if kind == "float" and self.chance(.4):
            number = r.choice(["-0.0f", "0.0f", "NAN", "1.5f", "(0.0f / 3.0f)"])
        forms = [f"{place} = {number};"] * 6
        forms += [f"if ({self.condition(1)}) {place} = {number}; else {place} = ({kind})({x()});"]
        forms += [f"for (int {p} = 0; {p} < 3; ++{p}) (&{place})[{p}] = {number};"]
        forms += [f"*(volatile __global {kind}*)&{place} = {number};"]
        if kind[-1] not in "24":
            forms += [f"{place} = {self.condition(1)} ? {number} : ({kind})({x()});",
                      f"{{ {kind} {p} = {number}; {place} = {p}; {place} = {place} + ({kind})0; }}"]
        for other in ["uchar", "ushort", "uint", "int4"]:
            forms += [f"*(__global {other}*)&{place} = ({other})({x()});"]
        self.line(r.choice(forms))

    # -- others --
    def statement(self):
        r = self.r
        self.budget -= 1
        if self.budget < 0 or self.depth > 5:
            return self.store()
        forms = {self.declare: 22, self.assign: 12, self.store: 18, self.branch: 12, self.leave: 3, self.switch: 3,
                 self.pointer: 6, self.helper: 3, self.table: 2, self.jump: 2, self.loop: 12, self.special: 9}
        return r.choices(list(forms), list(forms.values()))[0]()

    def block(self, count):
        kept = len(self.vars), len(self.pointers)
        self.depth += 1
        for _ in range(count):
            self.statement()
        self.depth -= 1
        del self.vars[kept[0]:], self.pointers[kept[1]:]

    def declare(self):
        kind = self.r.choice(["int", "int", "int", "uint", "long", "ulong", "size_t", "short", "uchar", "char", "ushort", "bool"])
        self.variable(kind, self.number(2) if self.chance(.8) else self.load(), kind != "bool")

    def assign(self):
        some = [name for name, assignable in self.vars if assignable]
        if not some:
            return self.declare()
        operator = self.r.choice(["=", "-=", "+=", "+=", "*=", "^=", "&=", ">>="])
        return self.line(f"{self.r.choice(some)} {operator} {self.number(1)};")

    def branch(self):
        self.line(f"if ({self.condition()}) {{")
        self.block(self.r.randint(1, 2))
        if self.chance(.4):
            self.line("} else {")
            self.block(self.r.randint(1, 2))
        self.line("}")

    def leave(self):
        how = "return" if self.loops == 0 or self.chance(.5) else self.r.choice(["break", "continue"])
        self.line(f"if ({self.condition()}) {how};")

    def switch(self):
        self.line(f"switch ({self.number(1)}) {{")
        for case in sorted(self.r.sample(range(-1, 9), self.r.randint(1, 4))):
            self.line(f"case {case}: {{")
            self.block(1)
            self.line("}" + self.r.choice(["break;", "break;", ""]))
        if self.chance(.6):
            self.line("default: {")
            self.block(1)
            self.line("}")
        self.line("}")

    def pointer(self):
        r, a = self.r, self.r.choice(self.buffers(True))
        p, kind, base = self.name_of("p"), a["type"], f"{a['name']} + {self.index(a['cap'], 1)}"
        form, other = r.random(), a
        if form < .15:
            kind = r.choice(["int", "uchar", "short", "ulong", "uint"])
            base = f"(__global {kind}*)({base})"
        elif form < .5:
            other = a if form < .33 else r.choice([b for b in self.buffers(True) if b["type"] == kind])
            base = f"({self.condition(1)} ? {base} : {other['name']} + {self.index(other['cap'], 1)})"
        self.line(f"__global {kind}* {p} = {base};")
        if self.chance(.3):
            self.line(f"if ({self.condition(1)}) {p} += {self.affine()};")
        if kind == "struct B" and self.chance(.4):
            self.line(f"__global ushort* {p}s = {p}->s + 1;")
            self.pointers.append((p + "s", "ushort"))
        self.pointers.append((p, kind))
        if other is not a:  # of another buffer, as a condition chooses
            self.line(self.put(f"{p}[{r.choice([0, 1, self.affine()])}]", kind, self.value()))

    def helper(self):
        a, h = self.r.choice(self.buffers(True)), f"{self.name}_{self.name_of('h')}"
        t, form = a["type"], self.r.randrange(5)
        if form == 0:
            self.helpers.append(f"int {h}(int x, int* y) {{ if (x < 3) return *y; *y = x - 1; return x * 2; }}")
            w = self.variable("int", self.number(1), False)
            self.variable("int", f"{h}({self.number(1)}, &{w})")
        elif form == 1:
            self.helpers.append(f"__global {t}* {h}(__global {t}* p, int k) {{ return k & 1 ? p + k : p; }}")
            p = self.name_of("p")
            self.line(f"__global {t}* {p} = {h}({a['name']}, {self.number(1)});")
            self.pointers.append((p, t))
        elif form == 2:
            self.helpers.append(f"void {h}(__global {t}* p, uint n) {{ for (uint i = 0; i < n; ++i) {self.put('p[i]', t)} }}")
            self.line(f"{h}({a['name']} + {self.index(a['cap'], 1)}, {self.r.choice([self.atom(), '3u', f'({self.atom()}) & 7'])});")
        elif form == 3:
            self.helpers.append(f"int {h}(int n) {{ int c = 0; while (n > 1) {{ n >>= 1; ++c; }} return c; }}")
            self.variable("int", f"{h}({self.number(1)})")
        else:
            end = self.r.choice(["-1", "8", "a"])
            self.helpers.append(f"int {h}(int a, int b) {{ for (int i = 0; i < 8; ++i) {{ if (a + i == b) return i; "
                                f"if (b < 0) break; }} return {end}; }}")
            self.variable("int", f"{h}({self.number(1)}, {self.number(1)})")

    def table(self):
        t, n = self.name_of("t"), self.r.choice([2, 3, 4])
        self.line(f"int {t}[{n}] = {{ {', '.join(self.number(1) for _ in range(n))} }};")
        if self.chance(.4):
            self.line(f"{t}[({self.number(1)}) & 1] = {self.number(1)};")
        self.vars += [(f"{t}[{self.r.randrange(n)}]", True), (f"{t}[({self.atom()}) & 1]", False)]

    def jump(self):
        r, to, c = self.r, self.name_of("L"), self.name_of("c")
        if self.chance(.5):
            self.line(f"if ({self.condition(1)}) goto {to};")
            self.line("{")
            self.block(1)
            self.line(f"}} {to}:;")
            return
        self.line(f"int {c} = 0; {to}:;")
        self.vars.append((c, False))
        self.store()
        self.line(f"if ({r.choice([f'++{c} < 5', f'{c}++ < {self.atom()}', f'{self.condition(1)} && ++{c} < 9'])}) goto {to};")
