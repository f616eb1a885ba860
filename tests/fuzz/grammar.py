# SPDX-License-Identifier: Apache-2.0
"""Random kernels that are deterministic and stay inside their buffers.

Each work-item owns a block of elements of each output and writes nothing else. Inputs are other bytes than outputs.
Index expressions carry an interval; what may leave the array is clamped, masked or taken modulo.
"""

SCALARS = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4}
VECTORS = {"int2": 8, "uint4": 16, "uchar4": 4, "float4": 16, "short2": 4, "uint3": 16, "float3": 16, "char3": 4}
STRUCTS = {"struct S": 16, "struct T": 12}
SIZES = {**SCALARS, **VECTORS, **STRUCTS}
PRELUDE = """struct S { int a; short b; uchar c; uchar d; float e; uint f; };
struct T { uchar a; uint b[2]; };
struct P { int a; short b; long c; int t[4]; };
"""
BIG = 1 << 28


class Index:
    """An expression of type int with its interval."""
    def __init__(self, text, lo, hi):
        self.text, self.lo, self.hi = text, lo, hi

    def small(self):
        return max(abs(self.lo), abs(self.hi)) < BIG


class Kernel:
    """One kernel; `spec()` says what a launch has to pass."""
    def __init__(self, random, name, byte_limit):
        self.r, self.name, self.limit = random, name, byte_limit
        self.args, self.body, self.helpers = [], [], []
        self.depth, self.fresh = 1, 0
        self.values, self.smalls = [], []  # uint variables; indices known to be small
        self.dims = random.choice([1, 1, 1, 2, 2, 3])
        self.max = {1: [random.choice([64, 255, 600, 1024])], 2: [random.choice([17, 40]), random.choice([13, 32])],
                    3: [random.choice([8, 12]), random.choice([6, 10]), random.choice([5, 8])]}[self.dims]
        self.local = {1: random.choice([[1], [8], [16], [5]]), 2: random.choice([[4, 2], [8, 1], [1, 3]]),
                      3: random.choice([[2, 2, 1], [4, 1, 1], [1, 1, 2]])}[self.dims]
        self.fixed = random.random() < 0.2
        self.items = 1
        for m in self.max:
            self.items *= m
        self.staged = False
        self.make()

    # -- text --
    def line(self, text):
        self.body.append("  " * self.depth + text)

    def name_of(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def chance(self, p):
        return self.r.random() < p

    # -- arguments --
    def scalar(self, kind, lo, hi, wraps=0):
        name = self.name_of("s")
        self.args.append({"kind": "scalar", "type": kind, "lo": lo, "hi": hi, "wraps": wraps, "name": name})
        return name

    def buffer(self, kind, role):
        bytes_ = self.limit if self.chance(0.6) else self.limit // 2
        arg = {"kind": role, "type": kind, "cap": bytes_ // SIZES[kind], "bytes": bytes_, "name": self.name_of("a"),
               "space": "__global"}
        if role == "in":
            if self.chance(0.07):
                arg["space"] = "__constant"
            arg["decl"] = f"{arg['space']} {'' if arg['space'] == '__constant' else 'const '}{kind}* "
        else:
            arg["decl"] = f"__global {kind}* "
        if self.chance(0.2):
            arg["decl"] += "restrict "
        self.args.append(arg)
        return arg

    def inputs(self):
        return [a for a in self.args if a["kind"] == "in"]

    # -- expressions --
    def index(self, depth=2):
        r = self.r
        if depth == 0 or self.chance(0.2):
            atoms = list(self.atoms) + self.smalls[-4:]
            return r.choice(atoms) if r.random() < 0.85 else self.constant(0, 40)
        form = r.choice(["add", "add", "add", "sub", "mul", "reverse", "div", "mod", "shr", "and", "xor", "min", "max",
                         "clamp", "uchar", "short", "select", "small", "sum", "abs", "or", "char", "uint", "mul24", "minus"])
        a = self.index(depth - 1)
        c = r.choice([1, 1, 2, 3, 4, 5, 7, 8, 16, 31, 100])
        t, lo, hi = a.text, a.lo, a.hi
        if not a.small():
            return self.constant(0, 9)
        if form == "add":
            return Index(f"({t} + {c})", lo + c, hi + c)
        if form == "sub":
            return Index(f"({t} - {c})", lo - c, hi - c)
        if form == "mul":
            return Index(f"({t} * {c})", lo * c, hi * c)
        if form == "reverse":
            return Index(f"({hi} - {t})", 0, hi - lo)
        if form in ("div", "mod", "shr", "and", "xor", "or") and lo >= 0:
            if form == "div":
                return Index(f"({t} / {c})", lo // c, hi // c)
            if form == "mod":
                return Index(f"({t} % {c})", 0, min(hi, c - 1))
            s = r.choice([1, 2, 3])
            if form == "shr":
                return Index(f"({t} >> {s})", lo >> s, hi >> s)
            if form == "and":
                m = r.choice([1, 3, 7, 15, 63, 6, 12, 0x55])
                return Index(f"({t} & {m})", 0, min(hi, m))
            m = r.choice([1, 3, 5])
            top = (1 << (hi | m).bit_length()) - 1
            return Index(f"({t} {'^' if form == 'xor' else '|'} {m})", 0, top)
        if form == "min":
            return Index(f"min({t}, {c})", min(lo, c), min(hi, c))
        if form == "max":
            return Index(f"max({t}, {c})", max(lo, c), max(hi, c))
        if form == "clamp":
            return Index(f"clamp({t}, {c}, {c + 20})", min(max(lo, c), c + 20), max(min(hi, c + 20), c))
        if form == "uchar":
            return Index(f"(int)(uchar)({t} + {r.choice([0, 200, 250, 256])})", 0, 255)
        if form == "char":
            return Index(f"((int)(char)({t}) + 128)", 0, 255)
        if form == "short":
            return Index(f"((int)(ushort)({t} + {65535 - r.randrange(20)}))", 0, 65535)
        if form == "uint":  # wraps below zero, and comes back
            return Index(f"(int)((uint){t} - {c}u + {c + 1}u)", lo + 1, hi + 1)
        if form == "mul24" and abs(hi) < 4096 and abs(lo) < 4096:
            return Index(f"mul24({t}, {c})", lo * c, hi * c)
        if form == "abs":
            return Index(f"(int)abs({t} - {c})", 0, max(abs(lo - c), abs(hi - c)))
        if form == "select":
            b = self.index(depth - 1)
            cond = self.condition(1)
            text = r.choice([f"({cond} ? {t} : {b.text})", f"select({b.text}, {t}, (int)({cond}))"])
            return Index(text, min(lo, b.lo), max(hi, b.hi))
        if form == "small":
            b = self.small()
            return Index(f"({t} + {b.text})", lo + b.lo, hi + b.hi)
        b = self.index(depth - 1)
        if form == "minus":
            return Index(f"({t} - {b.text})", lo - b.hi, hi - b.lo)
        return Index(f"({t} + {b.text})", lo + b.lo, hi + b.hi)

    def constant(self, lo, hi):
        c = self.r.randint(lo, hi)
        return Index(str(c), c, c)

    def fit(self, a, cap):
        """The expression made to lie in [0, cap)."""
        r = self.r
        if a.lo >= 0 and a.hi < cap:
            return a.text
        if a.lo < 0 and a.hi - a.lo < cap and a.small():
            return f"({a.text} + {-a.lo})"
        return r.choice([f"clamp({a.text}, 0, {cap - 1})", f"((uint){a.text} % {cap}u)", f"min((uint)({a.text}), {cap - 1}u)",
                         f"(({a.text}) & {(1 << (cap.bit_length() - 1)) - 1})",
                         f"(({a.text} < 0 || {a.text} >= {cap}) ? {r.randrange(cap)} : {a.text})"])

    def small(self):
        """A small number, often made of truth values."""
        r = self.r
        form = r.choice(["bits", "sign", "sign", "two", "equal arms", "arms", "scalar", "clamp", "char", "kept", "conv"])
        if form == "bits":
            return Index(f"(int)({self.value(1)} & 3u)", 0, 3)
        if form == "sign":
            v = self.signed()
            w = r.choice([v, self.signed()])
            return Index(f"(({v} > 0) - ({w} < 0))", -1, 1)
        if form == "two":
            return Index(f"(({self.condition(1)}) {r.choice(['+', '-'])} ({self.condition(1)}))", -1, 2)
        if form == "equal arms":
            x, y = r.sample(range(0, 9), 2)
            return Index(f"(({self.condition(1)} ? {x} : {y}) - ({self.condition(1)} ? {x} : {y}))", -8, 8)
        if form == "arms":
            x, y = r.randint(-4, 9), r.randint(-4, 9)
            return Index(f"({self.condition(1)} ? {x} : {y})", min(x, y), max(x, y))
        if form == "scalar":
            lo = r.choice([0, -3, 1])
            return Index(self.scalar(r.choice(["int", "char", "short"]), lo, lo + 6), lo, lo + 6)
        if form == "clamp":
            return Index(f"clamp((int){self.value(1)}, -2, 3)", -2, 3)
        if form == "char":
            return Index(f"((int)(char)({self.value(1)}))", -128, 127)
        if form == "conv":
            return Index(f"((int)convert_uchar_sat({self.signed()}) >> 4)", 0, 15)
        return r.choice(self.smalls) if self.smalls else Index("(int)get_local_id(0)", 0, 31)

    def load(self, depth=2):
        """A uint made of an element of an input."""
        r = self.r
        a = r.choice(self.inputs())
        at = self.fit(self.gather() if self.chance(0.12) else self.index(depth), a["cap"])
        kind, name = a["type"], a["name"]
        if kind in SCALARS and self.chance(0.12):
            n = r.choice([2, 4])
            at = self.fit(self.index(1), a["cap"] // n - 1)
            return self.as_uint(f"vload{n}({at}, {name})", kind + str(n), a["space"])
        if self.chance(0.1) and a["space"] == "__global" and kind in SCALARS:
            return self.by_helper(a, at)
        access = r.choice([f"{name}[{at}]", f"{name}[{at}]", f"*({name} + {at})"])
        if kind == "struct S":
            return f"(uint){name}[{at}].{r.choice('abcdf')}"
        if kind == "struct T":
            return r.choice([f"(uint){name}[{at}].a", f"{name}[{at}].b[{r.randrange(2)}]", f"{name}[{at}].b[{self.value(0)} & 1u]"])
        return self.as_uint(access, kind, a["space"])

    def as_uint(self, access, kind, _space):
        r = self.r
        if kind == "float":
            return f"as_uint({access})"
        if kind in SCALARS:
            return f"(uint)({access})"
        base, width = kind.rstrip("234"), int(kind[-1])
        parts = r.sample("xyzw"[:width], r.randint(1, 2))
        return "(" + " + ".join(f"as_uint(({access}).{p})" if base == "float" else f"(uint)({access}).{p}" for p in parts) + ")"

    def by_helper(self, a, at):
        name = f"{self.name}_{self.name_of('h')}"
        kind = a["type"]
        inner = f"as_uint(p[k])" if kind == "float" else "(uint)p[k]"
        body = self.r.choice([f"return {inner};", f"if (k < {a['cap'] // 3}) return 7u; return {inner} ^ 3u;",
                              f"uint x = 0; for (int j = 0; j < 2; ++j) {{ x += {inner}; if (k > 0) --k; }} return x;"])
        self.helpers.append(f"static uint {name}(__global const {kind}* p, int k) {{ {body} }}")
        return f"{name}({a['name']}, {at})"

    def gather(self):
        return Index(f"(int)({self.load(0)} & 0xffffu)", 0, 65535)

    def value(self, depth=2):
        r = self.r
        if depth <= 0 or self.chance(0.25):
            return r.choice(self.values) if self.values and self.chance(0.8) else f"{r.choice([0, 1, 3, 77, 1 << 20, 0xffffffff])}u"
        form = r.choice(["load", "load", "load", "op", "op", "op", "index", "bits", "float", "cond", "wide"])
        if form == "load":
            return self.load(depth)
        if form == "op":
            return f"({self.value(depth - 1)} {r.choice(['+', '-', '*', '^', '&', '|'])} {self.value(depth - 1)})"
        if form == "index":
            return f"(uint)({self.index(1).text})"
        if form == "bits":
            return f"({self.value(depth - 1)} {r.choice(['>>', '<<'])} {r.randrange(1, 9)})"
        if form == "float":
            return f"as_uint(convert_float({self.value(depth - 1)} & 0xfffffu) * {r.choice(['0.5f', '3.0f', '1.25f'])} + 2.0f)"
        if form == "cond":
            return f"({self.condition(1)} ? {self.value(depth - 1)} : {self.value(depth - 1)})"
        return f"(uint)(((ulong){self.value(depth - 1)} * {r.choice([3, 1 << 33, 77777])}ul) >> {r.randrange(1, 40)})"

    def signed(self):
        return f"(int){self.value(1)}"

    def condition(self, depth=2):
        r = self.r
        form = r.choice(["data", "data", "index", "index", "index", "both", "truths", "truths", "sign", "not", "scalar"])
        op = r.choice(["<", ">", "<=", ">=", "==", "!="])
        if depth <= 0 and form in ("both", "truths", "sign", "not"):
            form = "index"
        if form == "data":
            v = self.signed()
            return f"({v} {op} {r.choice(['0', '0', '1000', '-7'])})"
        if form == "index":
            a = r.choice(self.atoms)
            return f"({a.text} {op} {r.randint(0, max(1, a.hi + 2))})"
        if form == "scalar":
            a = r.choice(self.atoms)
            return f"({a.text} {op} {self.scalar('int', 0, max(1, a.hi + 1))})"
        if form == "both":
            return f"({self.condition(depth - 1)} {r.choice(['&&', '||', '&', '|', '^'])} {self.condition(depth - 1)})"
        if form == "truths":
            return f"({self.condition(0)} {r.choice(['==', '!=', '<', '>='])} {self.condition(0)})"
        if form == "sign":
            v, w = self.signed(), self.signed()
            return f"(({v} > 0) - ({w} < 0) {op} {r.choice([0, 0, 1, -1])})"
        return f"!{self.condition(depth - 1)}"

    # -- statements --
    def make(self):
        r = self.r
        for _ in range(r.randint(1, 3)):
            self.buffer(r.choice(list(SCALARS) * 3 + list(VECTORS) + list(STRUCTS)), "in")
        self.begin()
        for _ in range(r.randint(1, 2)):
            self.local_value()
        if self.dims == 1 and self.chance(0.12):
            self.stage()
        if self.chance(0.12):
            self.struct_argument()
        outs = []
        for _ in range(r.choice([1, 1, 1, 2])):
            outs.append(self.output())
        if self.chance(0.12):
            self.line(f"if ({self.condition()}) return;")
        for _ in range(r.randint(1, 3)):
            if self.chance(0.5):
                self.local_value()
            self.store(r.choice(outs))
        for out in outs:
            if self.chance(0.5):
                self.store(out)

    def begin(self):
        r = self.r
        names = "xyz"[:self.dims]
        kind = r.choice(["int", "int", "size_t", "uint", "long"])
        for d, n in enumerate(names):
            form = f"get_global_id({d})"
            if self.chance(0.2):
                form = f"(get_group_id({d}) * get_local_size({d}) + get_local_id({d}) + get_global_offset({d}))"
            self.line(f"const {kind} {n}_ = {form};")
            self.line(f"const int {n} = (int){n}_;")
        self.atoms = [Index(n, 0, m - 1) for n, m in zip(names, self.max)]
        order = list(zip(names, self.max))
        r.shuffle(order)
        if self.chance(0.5):
            order = list(reversed(list(zip(names, self.max))))
        text, size = None, 1
        for n, m in order:
            at = f"({m - 1} - {n})" if self.chance(0.1) else n
            if text is None:
                text = at
            elif self.chance(0.5):
                text = f"({text} * {m} + {at})"
            else:
                text = f"({text} * {self.scalar('int', m, m)} + {at})"
            size *= m
        form = r.random()
        if self.dims == 1 and form < 0.07:
            half = size // 2
            text = f"({text} < {half} ? {text} * 2 : ({text} - {half}) * 2 + 1)" if size % 2 == 0 else text
        elif form < 0.12:
            text = f"({text} ^ 1)" if size % 2 == 0 else text
        elif form < 0.16 and size % 8 == 0:
            text = f"(({text} % 8) * {size // 8} + {text} / 8)"
        elif form < 0.2:
            self.args.append({"kind": "permutation", "decl": "__global const int* ", "name": "perm", "items": size,
                              "bytes": 4 * size})
            text = f"perm[{text}]"
        self.line(f"const int i = {text};")
        self.atoms.append(Index("i", 0, size - 1))
        self.atoms.append(Index("i", 0, size - 1))
        self.body_types = kind

    def local_value(self):
        r = self.r
        if self.chance(0.3):
            a = self.small()
            n = self.name_of("t")
            self.line(f"const int {n} = {a.text};")
            self.smalls.append(Index(n, a.lo, a.hi))
            return
        n = self.name_of("v")
        form = r.choice(["plain", "plain", "halo", "loop", "walk", "data loop", "triangle", "step", "while", "guarded", "break",
                         "edges", "table"])
        if form == "plain":
            self.line(f"uint {n} = {self.value()};")
        elif form == "table":
            self.line(f"const int {n}_[4] = {{ {', '.join(str(r.randrange(9)) for _ in range(4))} }};")
            self.line(f"uint {n} = {self.element(Index(f'({self.atoms[0].text} + {n}_[{self.value(1)} & 3u])', 0, self.atoms[0].hi + 8))};")
        elif form == "halo":
            reach = r.randint(1, 3)
            terms = [self.element(Index(f"(i + {k})", k, self.items - 1 + k)) for k in range(2 * reach + 1)]
            self.line(f"uint {n} = {' + '.join(terms)};")
        elif form == "guarded":
            self.line(f"uint {n} = 5u;")
            self.line(f"if ({self.condition()}) {n} = {self.value()};")
            if self.chance(0.5):
                self.line(f"else {n} += {self.value(1)};")
        elif form == "edges":
            self.line(f"uint {n} = 0u;")
            self.line(f"if (i > 0) {n} += {self.element(Index('(i - 1)', 0, self.items))};")
            self.line(f"if (i < {self.items - 1}) {n} += {self.element(Index('(i + 1)', 0, self.items))};")
        elif form == "walk":
            a = r.choice(self.inputs())
            k = r.randint(1, 9)
            at = self.fit(self.index(1), max(1, a["cap"] - k))
            p = self.name_of("p")
            qualifier = a["space"] + ("" if a["space"] == "__constant" else " const")
            self.line(f"uint {n} = 0u;")
            self.line(f"{{ {qualifier} {a['type']}* {p} = {a['name']} + {at}; {qualifier} {a['type']}* const {p}e = {p} + {k};")
            self.line(f"  while ({p} {r.choice(['!=', '<'])} {p}e) {{ {n} = {n} * 3u + {self.of(p, a)}; ++{p}; }} }}")
        else:
            self.loop_value(n, form)
        self.values.append(n)

    def of(self, pointer, a):
        return {"struct S": f"(uint){pointer}->a", "struct T": f"{pointer}->b[1]"}.get(a["type"]) or \
            self.as_uint(f"*{pointer}", a["type"], a["space"])

    def element(self, at):
        a = self.r.choice(self.inputs())
        p = f"{a['name']}[{self.fit(at, a['cap'])}]"
        return {"struct S": f"(uint){p}.f", "struct T": f"(uint){p}.a"}.get(a["type"]) or self.as_uint(p, a["type"], a["space"])

    def loop_value(self, n, form):
        r = self.r
        j = self.name_of("j")
        kind = r.choice(["int", "int", "uint", "long", "short", "ulong", "size_t"])
        step = "1"
        top = r.randint(1, 12)
        if form == "triangle":
            atom = r.choice(self.atoms)
            bound, top = f"({atom.text} & 15)", 15
        elif form == "data loop":
            bound, top = f"({kind})({self.value(1)} & 15u)", 15
        else:
            bound = str(top) if self.chance(0.6) else self.scalar("int", 0, top)
        if form == "step":
            t = self.small_now()
            step = f"(1 + ({t}))"
        self.line(f"uint {n} = {r.randrange(9)}u;")
        if form == "while":
            self.line(f"{{ {kind} {j} = 0; while ({j} < ({kind}){bound}) {{")
            end = f"++{j}; }} }}"
        else:
            advance = f"++{j}" if step == "1" else f"{j} += {step}"
            self.line(f"for ({kind} {j} = 0; {j} < ({kind}){bound}; {advance}) {{")
            end = "}"
        self.depth += 1
        saved = len(self.atoms)
        self.atoms.append(Index(f"(int){j}", 0, top))
        if form == "break":
            self.line(f"if ({self.condition(1)}) break;")
        elif self.chance(0.1) and form != "while":
            self.line(f"if ({self.condition(1)}) continue;")
        self.line(f"{n} {r.choice(['+', '^'])}= {self.element(Index(f'(i + (int){j})', 0, self.items + top))};")
        if self.chance(0.4):
            self.line(f"{n} = {n} * 5u + {self.value(1)};")
        del self.atoms[saved:]
        self.depth -= 1
        self.line(end)

    def small_now(self):
        """0, 1 or 2, from data that may change in each iteration."""
        r = self.r
        a = r.choice(self.inputs())
        return r.choice([f"({self.element(self.index(1))} & 1u)", f"({self.condition(1)} ? 1 : 0)", f"({self.condition(1)})"])

    def struct_argument(self):
        n = self.name_of("q")
        self.args.append({"kind": "struct", "decl": "struct P ", "name": n})
        r = self.r
        if self.chance(0.35):
            self.line(f"{n}.{r.choice(['a', 't[1]'])} = {r.choice(['3', f'{n}.b + 1', '0'])};")
        if self.chance(0.4):
            v = self.name_of("t")
            self.line(f"const int {v} = {n}.{r.choice(['a', 't[1]', 't[2]'])} & 7;")
            self.smalls.append(Index(v, 0, 7))
        v = self.name_of("v")
        self.line(f"uint {v} = (uint){n}.c + (uint){n}.t[{self.value(1)} & 3u] + (uint){n}.a;")
        self.values.append(v)

    def stage(self):
        """Through local memory: each work-item brings an element, all read their neighbours'."""
        self.staged = True
        n, v = self.name_of("l"), self.name_of("v")
        size = self.local[0]
        if self.chance(0.5):
            self.args.append({"kind": "local", "decl": "__local uint* ", "name": n, "bytes": 4 * (size + 4)})
        else:
            self.line(f"__local uint {n}[{size + 4}];")
        self.line(f"{n}[get_local_id(0)] = {self.element(Index('i', 0, self.items))};")
        self.line(f"if (get_local_id(0) < 4) {n}[{size} + get_local_id(0)] = {self.element(Index('(i + 3)', 0, self.items + 3))};"
                  if size >= 4 else f"if (get_local_id(0) == 0) for (int k = 0; k < 4; ++k) {n}[{size} + k] = 3u;")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        self.line(f"uint {v} = {n}[get_local_id(0) + {self.r.randrange(4)}] * 3u + {n}[{size - 1} - get_local_id(0)];")
        self.values.append(v)

    def output(self):
        r = self.r
        fits = [k for k in list(SCALARS) * 3 + list(VECTORS) + list(STRUCTS) if SIZES[k] * self.items <= self.limit]
        kind = r.choice(fits)
        most = self.limit // (SIZES[kind] * self.items)
        block = r.choice([b for b in (1, 1, 1, 1, 2, 3, 4, 4, 8, 16) if b <= most])
        used = block
        out = {"kind": "out", "type": kind, "name": self.name_of("o"), "decl": f"__global {kind}* ", "block": used}
        spare = (most - block) * self.items
        out["base"] = r.choice([0, 0, 0, 1, 5]) if spare > 8 else 0
        out["cap"] = self.items * block + out["base"]
        out["bytes"] = out["cap"] * SIZES[kind]
        out["strided"] = block > 1 and self.chance(0.3)  # element k of item i at k * items + i
        if self.chance(0.2):  # the same bytes as another argument, read where they are written
            alias = dict(out, kind="alias", of=out["name"], name=self.name_of("r"), decl=f"__global const {kind}* ")
            self.args.append(out)
            self.args.append(alias)
        else:
            self.args.append(out)
        return out

    def slot(self, out, k):
        text = f"i + {k} * {self.items}" if out["strided"] else (f"i * {out['block']} + {k}" if out["block"] > 1 else "i")
        return f"{text} + {out['base']}" if out["base"] else text

    def put(self, out, k, value):
        """One statement that writes element k of what this work-item owns."""
        r = self.r
        kind, at = out["type"], self.slot(out, k)
        place = f"{out['name']}[{at}]"
        if kind == "struct S":
            fields = r.choice([["a", "f"], ["b"], ["a", "b", "c", "d", "e", "f"]])
            return " ".join(f"{place}.{f} = {'convert_float(' + value + ' & 0xffffu)' if f == 'e' else value};" for f in fields)
        if kind == "struct T":
            return r.choice([f"{place}.a = (uchar){value};", f"{place}.b[{value} & 1u] = {value};", f"{place}.b[1] = {value};"])
        if kind in VECTORS:
            base, width = kind.rstrip("234"), int(kind[-1])
            one = f"convert_float({value} & 0xffffu)" if base == "float" else f"({base})({value})"
            if width == 3:  # a fourth component that is left undefined may differ
                return f"vstore3(({kind})({one}), 0, (__global {base}*)&{place});"
            if self.chance(0.3):
                return f"{place}.{r.choice('xyzw'[:width])} = {one};"
            return f"{place} = ({kind})({', '.join([one] + [f'({base})({m})' for m in range(width - 1)])});"
        if kind == "float":
            return f"{place} = convert_float({value} & 0xffffffu) * 0.25f;"
        if self.chance(0.2):
            return f"{place} {r.choice(['+=', '^='])} ({kind}){value};"
        if self.chance(0.07):
            name = f"{self.name}_{self.name_of('w')}"
            self.helpers.append(f"static void {name}(__global {kind}* p, int k, uint v) {{ {'if (v & 1u) ' if self.chance(0.5) else ''}p[k] = ({kind})v; }}")
            return f"{name}({out['name']}, {at}, {value});"
        return f"{place} = ({kind}){value};"

    def store(self, out):
        r = self.r
        alias = [a for a in self.args if a["kind"] == "alias" and a["of"] == out["name"]]
        value = self.value()
        if alias and out["type"] in SCALARS:
            read = f"{alias[0]['name']}[{self.slot(out, 0)}]"
            value = f"({value} + {self.as_uint(read, out['type'], '__global')})"
        v = self.name_of("w")
        self.line(f"const uint {v} = {value};")
        block = out["block"]
        k = str(r.randrange(block))
        form = r.choice(["plain", "plain", "plain", "guard", "guard", "else", "switch", "loop", "loop", "wrap", "uint trips",
                         "step", "break", "while", "vstore", "walk", "do", "two loops", "char wrap", "truth trips"])
        if form == "guard":
            self.line(f"if ({self.condition()}) {{ {self.put(out, k, v)} }}")
        elif form == "else":
            self.line(f"if ({self.condition()}) {{ {self.put(out, k, v)} }} else {{ {self.put(out, r.choice([k, '0']), f'({v} + 1u)')} }}")
        elif form == "switch":
            what = r.choice([f"{v} & 3u", f"{r.choice(self.atoms).text} % 5", f"{r.choice(self.atoms).text}"])
            cases = "".join(f"case {c}: {self.put(out, r.choice([k, '0']), f'({v} + {c}u)')} {r.choice(['break;', 'break;', ''])} "
                            for c in sorted(r.sample(range(7), 3)))
            self.line(f"switch ({what}) {{ {cases}default: {r.choice(['break;', self.put(out, k, v)])} }}")
        elif form == "vstore" and out["type"] in SCALARS and block in (2, 4, 8) and not out["strided"]:
            n = r.choice([n for n in (2, 4, 3) if n <= block])
            kind = out["type"]
            one = f"convert_float({v} & 0xffu)" if kind == "float" else f"({kind}){v}"
            self.line(f"vstore{n}(({kind}{n})({one}), 0, {out['name']} + {self.slot(out, 0)});")
        elif form == "walk" and not out["strided"]:
            p = self.name_of("p")
            self.line(f"{{ __global {out['type']}* {p} = {out['name']} + {self.slot(out, 0)};")
            inner = self.put(dict(out, name=p), "0", v).replace(self.slot(out, 0), "0")
            self.line(f"  for (int k = 0; k < {r.randint(1, block)}; ++k, ++{p}) {{ {inner} }} }}")
        elif form in ("loop", "wrap", "uint trips", "step", "break", "while", "do", "two loops", "char wrap", "truth trips"):
            self.store_loop(out, form, v)
        else:
            self.line(self.put(out, k, v))

    def store_loop(self, out, form, v):
        r = self.r
        block, j = out["block"], self.name_of("j")
        inside = lambda text: f"(int)({text}) % {block}" if block > 1 else "0"
        put = lambda text, value: self.put(out, f"({text})", f"({value})")
        kind = r.choice(["int", "uint", "long", "size_t", "short"])
        guard = f"if ({self.condition(1)}) " if self.chance(0.2) else ""
        if form == "loop":
            bound = r.choice([str(block), self.scalar("int", 0, block), f"({self.value(1)} % {block + 1}u)",
                              f"min({r.choice(self.atoms).text}, {block})"])
            self.line(f"for ({kind} {j} = {r.choice([0, 0, 1])}; {j} < ({kind}){bound}; {j} += {r.choice([1, 1, 2])}) "
                      f"{guard}{{ {put('(int)' + j, f'{v} + (uint){j}')} }}")
        elif form == "two loops":
            self.line(f"for (int {j} = 0; {j} < {r.randint(1, 4)}; ++{j}) for (int {j}b = 0; {j}b <= {j}; ++{j}b) {guard}{{ "
                      f"{put(inside(f'{j} * 2 + {j}b'), f'{v} + {j}')} }}")
        elif form == "wrap":  # counters of few bits that pass their end
            small = r.choice(["uchar", "ushort", "uint", "ulong"])
            top = {"uchar": 256, "ushort": 65536, "uint": 1 << 32, "ulong": 1 << 64}[small]
            start = top - r.randint(0, 6) & top - 1
            length = r.randint(0, 10)
            end = (start + length) % top
            begin_, end_ = (f"{x}{'ul' if small == 'ulong' else 'u'}" for x in (start, end))
            if self.chance(0.5):
                begin_ = self.scalar(small, start, start)
            if self.chance(0.5):
                end_ = self.scalar(small, end, end)
            if self.chance(0.6):
                self.line(f"for ({small} {j} = {begin_}; {j} != ({small}){end_}; ++{j}) {guard}{{ {put(inside(f'{j} & 15'), f'{v} + (uint){j}')} }}")
            else:
                self.line(f"for ({small} {j} = {begin_}; {j} < ({small}){end_}; ++{j}) {guard}{{ {put(inside(f'{j} & 15'), f'{v} + (uint){j}')} if (({j} & 15) == 9) break; }}")
        elif form == "uint trips":  # a bound of 64 bits of which 32 count
            wide = r.choice(["long", "ulong"])
            bound = self.scalar(wide, 0, min(block, 4), 32)
            narrow = r.choice(["uint", "uint", "int", "uchar"]) if wide == "long" else "uint"
            cast = f"({narrow}){bound}"
            op = "!=" if narrow == "uint" or self.chance(0.5) else "<"
            self.line(f"for ({narrow} {j} = 0; {j} {op} {cast}; ++{j}) {guard}{{ {put(inside(j), f'{v} + (uint){j}')} }}")
        elif form == "char wrap":
            bound = self.scalar("int", 0, 3, 8)
            self.line(f"for (uchar {j} = 0; {j} != (uchar){bound}; ++{j}) {guard}{{ {put(inside(j), f'{v} + {j}')} }}")
        elif form == "step":
            self.line(f"for (int {j} = 0; {j} < {block + 2}; {j} += 1 + {self.small_now_in(j)}) {guard}{{ {put(inside(j), f'{v} ^ (uint){j}')} }}")
        elif form == "truth trips":
            self.line(f"for (int {j} = 0; {j} < {r.choice([1, 2])} + {self.condition(1)} - {self.condition(1)}; ++{j}) {{ {put(inside(j), f'{v} + 1u')} }}")
        elif form == "break":
            where = r.choice(["before", "after"])
            stop = f"if ({self.condition(1)}) break;"
            self.line(f"for (int {j} = 0; {j} < {block}; ++{j}) {{ {stop if where == 'before' else ''} {put(j, f'{v} + {j}')} {stop if where == 'after' else ''} }}")
        elif form == "while":
            self.line(f"{{ uint {j} = {self.value(1)} & 7u; while ({j}-- {r.choice(['!= 0', '> 0'])}) {guard}{{ {put(inside(j), f'{v} + {j}')} }} }}")
        else:
            self.line(f"{{ int {j} = 0; do {guard}{{ {put(inside(j), f'{v} + {j}')} }} while (++{j} < (int)({self.value(1)} & 3u)); }}")

    def small_now_in(self, j):
        self.atoms.append(Index(f"{j}", 0, 18))
        text = self.small_now()
        self.atoms.pop()
        return text

    def source(self):
        def declare(a):
            return a["decl"] + a["name"] if "decl" in a else f"{a['type']} {a['name']}"
        fixed = f"__attribute__((reqd_work_group_size({', '.join(map(str, (self.local + [1, 1])[:3]))}))) " if self.fixed else ""
        return "\n".join(self.helpers + [f"__kernel {fixed}void {self.name}({', '.join(map(declare, self.args))}) {{"] +
                         self.body + ["}"])
