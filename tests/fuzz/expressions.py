# SPDX-License-Identifier: Apache-2.0
"""Random expressions of a kernel: indices with their intervals, values, conditions."""

SCALARS = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4}
VECTORS = {"int2": 8, "uint4": 16, "uchar4": 4, "float4": 16, "short2": 4, "uint3": 16, "float3": 16, "char3": 4}
# Members that can be read as numbers. T and Q have bytes that no member holds; a member of V leaves some out.
STRUCTS = {"struct S": 16, "struct T": 12, "struct Q": 24, "union V": 8}
MEMBERS = {"struct S": ["a", "b", "c", "d", "f"], "struct T": ["a", "b[0]", "b[1]"], "struct Q": ["a", "b", "c"],
           "union V": ["a", "b", "c[0]", "c[1]"]}
SIZES = {**SCALARS, **VECTORS, **STRUCTS}
BIG = 1 << 28


def truncated(a, b):
    """a / b as C has it."""
    return a // b if a >= 0 else -(-a // b)


class Index:
    """An expression of type int with its interval."""
    def __init__(self, text, lo, hi):
        self.text, self.lo, self.hi = text, lo, hi

    def small(self):
        return max(abs(self.lo), abs(self.hi)) < BIG


class Expressions:
    """What a kernel's text is made of; grammar.Kernel adds statements. `atoms` are indices that are always there."""
    def __init__(self):
        self.args, self.body, self.helpers = [], [], []
        self.depth, self.fresh = 1, 0
        self.atoms, self.values, self.smalls = [], [], []  # indices; uint variables; indices known to be small
        self.unused = []  # of the values
        self.tails = []  # of outputs: name, type, first element, elements

    def line(self, text):
        self.body.append("  " * self.depth + text)

    def name_of(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def chance(self, p):
        return self.r.random() < p

    def known(self, name):
        """A value that nothing shows is no test of how it was made: it goes into one that is stored."""
        self.values.append(name)
        self.unused.append(name)

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

    def index(self, depth=2):
        r = self.r
        if depth == 0 or self.chance(0.2):
            atoms = list(self.atoms) + self.smalls[-4:]
            return r.choice(atoms) if r.random() < 0.85 else self.constant(0, 40)
        form = r.choice(["add", "add", "add", "sub", "mul", "reverse", "div", "mod", "shr", "and", "xor", "min", "max",
                         "clamp", "uchar", "short", "select", "small", "sum", "abs", "or", "char", "uint", "mul24", "minus",
                         "div", "mod", "shr", "signed short", "ulong", "rhadd", "about", "about", "narrow"])
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
        if form == "div":  # towards zero
            return Index(f"({t} / {c})", truncated(lo, c), truncated(hi, c))
        if form == "mod":  # with the sign of its left side
            return Index(f"({t} % {c})", max(min(lo, 0), 1 - c), min(max(hi, 0), c - 1))
        if form == "shr":
            s = r.choice([1, 2, 3])
            return Index(f"({t} >> {s})", lo >> s, hi >> s)
        if form == "and":
            m = r.choice([1, 3, 7, 15, 63, 6, 12, 0x55])
            return Index(f"({t} & {m})", 0, min(hi, m) if lo >= 0 else m)
        if form in ("xor", "or") and lo >= 0:
            m = r.choice([1, 3, 5, 8, 12])
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
        if form == "signed short":  # wraps beyond 32767
            return Index(f"((int)(short)({t} + {32767 - r.randrange(20)}) + 32768)", 0, 65535)
        if form == "ulong":
            return Index(f"(int)((ulong)(long){t} - {c}ul + {c + 1}ul)", lo + 1, hi + 1)
        if form == "rhadd":
            return Index(f"rhadd({t}, {c})", (lo + c + 1) >> 1, (hi + c + 1) >> 1)
        if form == "about" and hi > lo:  # scaled about a point: in the middle, or at the end that is counted from
            m = r.choice([hi, (lo + hi + 1) // 2, r.randint(lo, hi + 8)])
            k = r.choice([2, 3, 4, 5, 8])
            if self.chance(0.2):
                return Index(f"((({t} - {m}) >> 1) + {(m - lo + 1) // 2})", ((lo - m) >> 1) + (m - lo + 1) // 2, ((hi - m) >> 1) + (m - lo + 1) // 2)
            back = -truncated(lo - m, k) if lo < m else 0
            return Index(f"(({t} - {m}) / {k} + {back})", truncated(lo - m, k) + back, truncated(hi - m, k) + back)
        if form == "narrow":  # arithmetic of few bits, on numbers that are given to the kernel
            kind, top = r.choice([("uchar", 255), ("uchar", 255), ("ushort", 65535)])
            s = self.scalar(kind, *r.choice([(0, 255), (top - 20, top)]))
            text = f"(int)({kind})({s} {r.choice([f'+ {c}', f'- {c}', f'* {c}'])})"
            return Index(text, 0, top) if top > 255 else Index(f"({text} + {t})", lo, hi + 255)
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
        form = r.choice(["bits", "sign", "sign", "two", "equal arms", "arms", "scalar", "clamp", "char", "kept", "conv", "rest",
                         "wrap", "few", "count", "saturated", "average", "vector"])
        if form == "rest":  # with the sign of its left side
            k = r.choice([2, 3, 8])
            return Index(f"({self.signed()} % {k})", 1 - k, k - 1)
        if form == "wrap":  # arithmetic of few bits on what is not known
            return Index(f"((int)(uchar)({self.value(1)} * 3u + {r.choice(self.atoms).text}) >> 4)", 0, 15)
        if form == "few":
            return Index(f"(int)(({self.value(1)} ^ {r.choice(self.atoms).text}) & {r.choice([5, 6, 7, 9])}u)", 0, 9)
        if form == "bits":
            return Index(f"(int)({self.value(1)} & 3u)", 0, 3)
        if form == "count":
            return Index(f"(int){r.choice(['popcount', 'clz'])}({r.choice(['', '(uchar)'])}({self.value(1)}))", 0, 32)
        if form == "saturated":  # near both ends of the type
            c = r.randint(-9, 9)
            kind, lo, hi = r.choice([("char", -128, 127), ("uchar", 0, 255)])
            op, add = r.choice([("add_sat", 1), ("sub_sat", -1)])
            base, step = r.choice([lo, hi - 7, 0]), r.choice([abs(c), c if lo < 0 else abs(c)])
            ends = [min(max(x + add * step, lo), hi) for x in (base, base + 7)]
            return Index(f"((int){op}(({kind})({base} + (int)({self.value(1)} & 7u)), ({kind}){step}) - {ends[0]})", 0, ends[1] - ends[0])
        if form == "average":
            c = r.randint(-9, 9)
            name, up = r.choice([("hadd", 0), ("rhadd", 1)])
            return Index(f"{name}((int)({self.value(1)} & 7u), {c})", (c + up) >> 1, (c + 7 + up) >> 1)
        if form == "vector":  # a component of vectors
            lo = r.randint(-3, 3)
            kind, part = r.choice(["int2", "int4"]), r.choice("xy")
            return Index(f"clamp(({kind})((int){self.value(1)}), {lo}, {lo + 4}).{part}", lo, lo + 4)
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
        if kind in SCALARS and self.chance(0.06):  # one of two places
            other = self.fit(self.index(1), a["cap"])
            return self.as_uint(f"({self.condition(1)} ? {name} + {at} : {name} + {other})[0]", kind, a["space"])
        if kind == "ushort" and a["space"] == "__global" and self.chance(0.3):
            return f"as_uint(vload_half({at}, (__global const half*){name}))"
        access = r.choice([f"{name}[{at}]", f"{name}[{at}]", f"*({name} + {at})"])
        if kind == "struct T" and self.chance(0.3):
            return f"{name}[{at}].b[{self.value(0)} & 1u]"
        if kind in STRUCTS:
            return f"(uint){name}[{at}].{r.choice(MEMBERS[kind])}"
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

    def tail(self):
        """Of an output's bytes that nobody writes."""
        name, kind, first, count = self.r.choice(self.tails)
        return self.as_uint(f"{name}[{first} + {self.fit(self.index(1), count)}]", kind, "__global")

    def gather(self):
        return Index(f"(int)({self.load(0)} & 0xffffu)", 0, 65535)

    def value(self, depth=2):
        r = self.r
        if depth <= 0 or self.chance(0.25):
            return r.choice(self.values) if self.values and self.chance(0.8) else f"{r.choice([0, 1, 3, 77, 1 << 20, 0xffffffff])}u"
        form = r.choice(["load", "load", "load", "op", "op", "op", "index", "bits", "float", "cond", "wide"])
        if form == "load" and self.tails and self.chance(0.15):
            return self.tail()
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
        form = r.choice(["data", "data", "index", "index", "index", "both", "truths", "truths", "sign", "not", "scalar", "small"])
        if self.smalls and self.chance(0.2):
            form = "small"
        op = r.choice(["<", ">", "<=", ">=", "==", "!="])
        if depth <= 0 and form in ("both", "truths", "sign", "not"):
            form = "index"
        if form == "data":
            v = self.signed()
            return f"({v} {op} {r.choice(['0', '0', '1000', '-7'])})"
        if form == "index":
            a = r.choice(self.atoms)
            return f"({a.text} {op} {r.randint(0, max(1, a.hi + 2))})"
        if form == "small" and self.smalls:  # a bound that moves a little
            a, b = r.choice(self.atoms), r.choice(self.smalls)
            return f"({a.text} {op} {b.text} * {r.choice([1, 8, 20])} + {r.choice([0, 3, 50])})"
        if form in ("scalar", "small"):
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
