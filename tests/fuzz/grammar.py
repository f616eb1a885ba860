# SPDX-License-Identifier: Apache-2.0
"""Random kernels that are deterministic and stay inside their buffers.

Each work-item owns a block of elements of each output and writes nothing else. Inputs are other bytes than outputs.
Index expressions carry an interval; what may leave the array is clamped, masked or taken modulo.
"""
from expressions import Expressions, Index, MEMBERS, SCALARS, SIZES, STRUCTS, VECTORS
from wide import WideNumbers

IMAGE = (16, 12)  # pixels of CL_RGBA, CL_UNSIGNED_INT8
PRELUDE = """struct S { int a; short b; uchar c; uchar d; float e; uint f; };
struct T { uchar a; uint b[2]; };
struct Q { char a; long b; short c; };
union V { uchar a; ushort b; uint c[2]; };
struct P { int a; short b; long c; int t[4]; };
"""


class Kernel(WideNumbers, Expressions):
    """One kernel; `spec()` says what a launch has to pass."""
    def __init__(self, random, name, byte_limit, optimised):
        super().__init__()
        self.r, self.name, self.limit, self.optimised = random, name, byte_limit, optimised
        self.dims = random.choice([1, 1, 1, 2, 2, 3])
        self.max = {1: [random.choice([64, 255, 600, 1024])], 2: [random.choice([17, 40]), random.choice([13, 32])],
                    3: [random.choice([8, 12]), random.choice([6, 10]), random.choice([5, 8])]}[self.dims]
        self.local = {1: random.choice([[1], [8], [16], [5]]), 2: random.choice([[4, 2], [8, 1], [1, 3]]),
                      3: random.choice([[2, 2, 1], [4, 1, 1], [1, 1, 2]])}[self.dims]
        self.fixed = random.random() < 0.2
        self.items = 1
        for m in self.max:
            self.items *= m
        # PoCL compiles a kernel again for other local sizes, and where there is an offset: that takes most of the time.
        self.has_offsets, self.any_local = random.random() < 0.35, random.random() < 0.08
        self.keeps_local = self.fixed  # its result depends on the local size
        self.make()

    # -- statements --
    def make(self):
        r = self.r
        for _ in range(r.randint(1, 3)):
            self.buffer(r.choice(list(SCALARS) * 3 + list(VECTORS) + list(STRUCTS)), "in")
        self.begin()
        for _ in range(r.randint(1, 3)):
            self.local_value()
        if self.chance(0.14):
            self.stage()
        if self.chance(0.24):
            self.struct_argument()
        if self.chance(0.04):
            self.image()
        outs = []
        if self.dims == 1 and self.plain and self.chance(0.08):
            self.copy_out()
        if self.chance(0.2):
            self.counter()
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
        text, size = self.number_of(order)
        form = r.random()
        if self.by_size:
            pass  # how many numbers there are depends on the launch
        elif self.dims == 1 and form < 0.03:
            half = size // 2
            text = f"({text} < {half} ? {text} * 2 : ({text} - {half}) * 2 + 1)" if size % 2 == 0 else text
        elif form < 0.06:
            text = f"({text} ^ 1)" if size % 2 == 0 else text
        elif form < 0.09 and size % 8 == 0:
            text = f"(({text} % 8) * {size // 8} + {text} / 8)"
        elif form < 0.12:
            self.args.append({"kind": "permutation", "decl": "__global const int* ", "name": "perm", "items": size,
                              "bytes": 4 * size})
            text = f"perm[{text}]"
        self.items = size
        self.plain = text == "x"
        self.line(f"const int i = {text};")
        self.atoms.append(Index("i", 0, size - 1))
        self.atoms.append(Index("i", 0, size - 1))
        if self.chance(0.25):
            self.launch_atom()

    def number_of(self, order):
        """The text of a work-item's own number, and how many numbers there may be.

        Rows are as long as in the largest launch, or a little longer, or as long as the launch itself says.
        """
        text, size, factors = None, 1, []
        self.by_size = self.chance(0.2)
        for n, m in order:
            at, length = n, str(m)
            if self.by_size:
                d = "xyz".index(n)
                at = f"({n} - (int)get_global_offset({d}))" if self.has_offsets else n
                length = f"(int)get_global_size({d})"
                factors.append(length)
            elif text is not None:
                m += self.r.choice([0, 0, 0, 1, 1, 2, 16 if self.dims == 2 else 3])
                length = str(m) if self.chance(0.5) else self.scalar("int", m, m)
            if self.chance(0.1):
                at = f"({length} - 1 - {at})"
            text = at if text is None else f"({text} * {length} + {at})"
            size *= m
        self.total = " * ".join(factors) if self.by_size else str(size)
        return text, size

    def launch_atom(self):
        """What a work-item asks of the whole launch, or of its work-group."""
        d = self.r.randrange(self.dims)
        most, local = self.max[d], self.local[d]
        text, lo, hi = self.r.choice([(f"get_global_size({d})", 1, most), (f"get_num_groups({d})", 1, most),
                                      (f"get_global_offset({d})", 0, most), (f"get_group_id({d})", 0, most),
                                      (f"get_local_id({d})", 0, local - 1), (f"get_local_size({d})", local, local),
                                      (f"get_global_size({d}) - get_global_id({d}) + get_global_offset({d})", 1, most),
                                      ("get_work_dim()", self.dims, self.dims)])
        n = self.name_of("g")
        self.keeps_local = True
        self.line(f"const int {n} = (int)({text});")
        self.atoms.append(Index(n, lo, hi))

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
                         "edges", "table", "counting", "counting", "data walk", "strides", "ring", "ring",
                         "places", "places", "places"])
        if form == "plain":
            self.line(f"uint {n} = {self.value()};")
        elif form == "places":  # elements at several places, each computed in another way
            self.line(f"uint {n} = 0u;")
            for _ in range(r.randint(2, 4)):
                self.line(f"{n} = {n} * 3u + {self.element(self.index(r.choice([2, 2, 3])))};")
        elif form == "table":
            self.line(f"const int {n}_[4] = {{ {', '.join(str(r.randrange(9)) for _ in range(4))} }};")
            self.line(f"uint {n} = {self.element(Index(f'({self.atoms[0].text} + {n}_[{self.value(1)} & 3u])', 0, self.atoms[0].hi + 8))};")
        elif form == "strides":
            a, j = r.choice(self.inputs()), self.name_of("j")
            end = min(a["cap"], r.choice([self.items, 4 * self.items]))
            self.line(f"uint {n} = 0u;")
            here = self.of(f"({a['name']} + {j})", a)
            self.line(f"for (int {j} = i; {j} < {end}; {j} += {self.total}) {n} = {n} * 3u + {here};")
        elif form == "ring":  # positions that go round after 256 or 65536 elements
            self.ring(n)
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
        elif form == "counting":  # a counter that data moves
            c, k = self.name_of("c"), r.randint(1, 8)
            self.line(f"uint {n} = 0u; int {c} = 0;")
            j = self.name_of("j")
            self.line(f"for (int {j} = 0; {j} < {k}; ++{j}) {{")
            self.depth += 1
            step, at = self.name_of("t"), Index(f"(i + {c})", 0, self.items + k)
            self.line(f"const int {step} = {self.small_now_in(j)};")
            if self.chance(0.6):  # how far it is from where its last step alone would have brought it
                at = Index(f"(i + {c} - {j} * {step} + {k})", 0, self.items + 2 * k)
            self.line(f"{n} += {self.element(at)};")
            self.line(f"{c} += {step};")
            self.depth -= 1
            self.line("}")
            self.smalls.append(Index(c, 0, k))
        elif form == "data walk":
            a = r.choice(self.inputs())
            k, p, j = r.randint(1, 8), self.name_of("p"), self.name_of("j")
            at = self.fit(self.index(1), max(1, a["cap"] - k))
            qualifier = a["space"] + ("" if a["space"] == "__constant" else " const")
            self.line(f"uint {n} = 0u;")
            self.line(f"{{ {qualifier} {a['type']}* {p} = {a['name']} + {at};")
            self.line(f"  for (int {j} = 0; {j} < {k}; ++{j}) {{ {n} = {n} * 3u + {self.of(p, a)}; "
                      f"{p} += {self.small_now_in(j)}; }} }}")
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
        self.known(n)

    def ring(self, n):
        """Elements behind a head of few bits."""
        r = self.r
        kind = r.choice(["uchar", "uchar", "ushort"])
        top = {"uchar": 255, "ushort": 65535}[kind]
        j, k, first = self.name_of("j"), r.randint(1, 9), self.scalar(kind, *r.choice([(0, 255), (240, 255), (top - 9, top)]))
        self.line(f"uint {n} = 0u;")
        form = r.choice(["sum", "counter", "once"])
        if form == "counter":
            self.line(f"for ({kind} {j} = {first}; {j} != ({kind})({first} + {k}); ++{j}) "
                      f"{n} = {n} * 3u + {self.element(Index(f'(int){j}', 0, top))};")
        elif form == "sum":
            at = f"(int)({kind})({first} {r.choice(['+', '-'])} {j})"
            self.line(f"for ({r.choice([kind, 'int'])} {j} = 0; {j} < {k}; ++{j}) {n} = {n} * 3u + {self.element(Index(at, 0, top))};")
        else:
            at = f"(int)({kind})({first} {r.choice(['+ 20', '- 3', '* 3', '+ 250'])})"
            self.line(f"{n} = {self.element(Index(at, 0, top))} + {self.element(Index(f'({at} + i)', 0, top + self.items))};")

    def of(self, pointer, a):
        if a["type"] in STRUCTS:
            return f"(uint){pointer}->{MEMBERS[a['type']][-1]}"
        return self.as_uint(f"*{pointer}", a["type"], a["space"])

    def element(self, at):
        a = self.r.choice(self.inputs())
        p = f"{a['name']}[{self.fit(at, a['cap'])}]"
        if a["type"] in STRUCTS:
            return f"(uint){p}.{MEMBERS[a['type']][0]}"
        return self.as_uint(p, a["type"], a["space"])

    def loop_value(self, n, form):
        r = self.r
        j = self.name_of("j")
        kind = r.choice(["int", "int", "uint", "long", "short", "ulong", "size_t", "uchar", "ushort", "char"])
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
        member = r.choice(["a", "t[1]", "t[2]"])
        form = r.choice(["as it is", "as it is", "fixed", "where", "guarded", "helper"])
        if form != "as it is":  # PoCL 3.1 gives one copy to a work-group
            self.keeps_local = True
        if form == "fixed":
            self.line(f"{n}.{member} = {r.choice(['3', f'{n}.b + 1', '0'])};")
        elif form == "where":
            self.line(f"{n}.t[{self.value(1)} & 3u] = {r.choice(['3', '5', '0'])};")
        elif form == "guarded":
            self.line(f"if ({self.condition(1)}) {n}.{member} = {r.choice(['3', '5', '0'])};")
        elif form == "helper":
            name = f"{self.name}_{self.name_of('h')}"
            self.helpers.append(f"static void {name}(struct P* p, int to) {{ p->t[to & 3] = 6; }}")
            self.line(f"{name}(&{n}, (int){self.value(1)});")
        if self.chance(0.7):
            v = self.name_of("t")
            member = r.choice(["a", "t[1]", "t[2]", member, member])
            self.line(f"const int {v} = {n}.{member}{r.choice(['', ' * 4']) if member != 'a' else ''} & {r.choice([7, 15])};")
            self.smalls.append(Index(v, 0, 15))
            if self.chance(0.8):
                w = self.name_of("v")
                self.line(f"uint {w} = {self.element(Index(f'(i + {v})', 0, self.items + 14))};")
                self.known(w)
        v = self.name_of("v")
        self.line(f"uint {v} = (uint){n}.c + (uint){n}.t[{self.value(1)} & 3u] + (uint){n}.a;")
        self.known(v)

    def local_place(self):
        """The work-item's number in its work-group, and how many there are."""
        size, text = 1, "(int)get_local_id(0)"
        for d, count in enumerate(self.local[:self.dims]):
            if d > 0:
                text += f" + {size} * (int)get_local_id({d})"
            size *= count
        return f"({text})", size

    def stage(self):
        """Through local memory: each work-item brings an element, all read their neighbours'."""
        self.keeps_local = True
        n, v = self.name_of("l"), self.name_of("v")
        at, size = self.local_place()
        if self.chance(0.5):
            self.args.append({"kind": "local", "decl": "__local uint* ", "name": n, "bytes": 4 * (size + 4)})
        else:
            self.line(f"__local uint {n}[{size + 4}];")
        whole = [a for a in self.inputs() if a["type"] == "uint" and a["space"] == "__global" and a["cap"] >= 2 * self.items]
        if whole and self.dims == 1 and self.chance(0.5):
            a, e, stride = self.r.choice(whole), self.name_of("e"), self.r.choice([1, 1, 2])
            how, last = ("async_work_group_copy", "") if stride == 1 else ("async_work_group_strided_copy", f"{stride}, ")
            self.line(f"event_t {e} = {how}({n}, {a['name']} + get_group_id(0) * {size * stride}, {size}, {last}0);")
            self.line(f"wait_group_events(1, &{e});")
        else:
            self.line(f"{n}[{at}] = {self.element(Index('i', 0, self.items))};")
        self.line(f"if ({at} < 4) {n}[{size} + {at}] = {self.element(Index('(i + 3)', 0, self.items + 3))};"
                  if size >= 4 else f"if ({at} == 0) for (int k = 0; k < 4; ++k) {n}[{size} + k] = 3u;")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        self.line(f"uint {v} = {n}[{at} + {self.r.randrange(4)}] * 3u + {n}[{size - 1} - {at}];")
        self.known(v)
        if self.chance(0.3):
            c, w = self.name_of("l"), self.name_of("v")
            self.line(f"__local {self.r.choice(['uint', 'int'])} {c}[4];")
            self.line(f"if ({at} == 0) for (int k = 0; k < 4; ++k) {c}[k] = 0;")
            self.line("barrier(CLK_LOCAL_MEM_FENCE);")
            self.line(f"atomic_{self.r.choice(['add', 'xor', 'or', 'max'])}(&{c}[{self.value(1)} & 3u], {self.value(1)} & 0xffffu);")
            self.line("barrier(CLK_LOCAL_MEM_FENCE);")
            self.line(f"uint {w} = (uint){c}[{self.r.randrange(4)}] + (uint){c}[{self.value(1)} & 3u];")
            self.known(w)

    def copy_out(self):
        """A work-group writes its elements by an asynchronous copy from local memory."""
        self.keeps_local = True
        n, o, e = self.name_of("l"), self.name_of("o"), self.name_of("e")
        size = self.local[0]
        self.args.append({"kind": "out", "type": "uint", "name": o, "decl": "__global uint* ", "bytes": 4 * self.items})
        self.line(f"__local uint {n}[{size}];")
        self.line(f"{n}[get_local_id(0)] = {self.value(1)};")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        self.line(f"event_t {e} = async_work_group_copy({o} + get_global_offset(0) + get_group_id(0) * {size}, {n}, {size}, 0);")
        self.line(f"wait_group_events(1, &{e});")

    def counter(self):
        """Numbers that all work-items change by atomic operations, whose order does not matter."""
        r = self.r
        kind, o = r.choice(["uint", "uint", "int", "int", "ulong", "long"]), self.name_of("o")
        fields = r.choice([1, 1, 1, 2])  # numbers of one place that are changed in other ways
        places = r.choice([1, 4, 64])
        size = places * fields
        own = self.plain and SIZES[kind] * (size + self.items) <= self.limit and self.chance(0.3)
        qualifier = "" if own else r.choice(["", "volatile "])
        self.args.append({"kind": "out", "type": kind, "name": o, "decl": f"{qualifier}__global {kind}* ",
                          "bytes": SIZES[kind] * (size + (self.items if own else 0))})
        function = "atom" if SIZES[kind] == 8 or self.chance(0.2) else "atomic"
        few = ["add", "sub"] if SIZES[kind] == 8 else ["add", "sub", "xor", "or", "and", "min", "max"]
        through = [o]
        if self.chance(0.3):  # the same bytes as another argument
            alias = self.name_of("r")
            self.args.append({"kind": "alias", "type": kind, "of": o, "name": alias, "decl": f"__global {kind}* "})
            through.append(alias)
        for field in range(fields):
            operation = r.choice(few)
            alike = [operation] if operation not in ("add", "sub") else ["add", "sub", "inc", "dec"]
            for _ in range(r.choice([1, 1, 2])):
                at = f"{self.fit(self.index(r.choice([1, 2])), places)} * {fields} + {field}"
                self.update(f"{function}_{r.choice(alike)}", f"{r.choice(through)} + {at}", kind)
        if own:
            self.line(f"{through[-1]}[{size} + i] = ({kind}){self.value(1)};")  # elements of its own, behind them

    def update(self, function, at, kind):
        """One atomic operation whose result does not matter."""
        r, j = self.r, self.name_of("j")
        number = "" if function.endswith(("inc", "dec")) else f", ({kind}){self.value(1)}"
        call = f"{function}({at}{number})"
        form = r.choice(["plain", "plain", "guard", "loop", "unused", "helper", "group"])
        if form == "guard":
            self.line(f"if ({self.condition()}) {call};")
        elif form == "loop":
            self.line(f"for (int {j} = 0; {j} < {r.choice(['3', f'(int)({self.value(1)} & 3u)'])}; ++{j}) {call};")
        elif form == "unused":
            self.line(f"{{ const {kind} {j} = {call}; if ({j} > 7) {{ }} }}")
        elif form == "helper" and number:
            name = f"{self.name}_{self.name_of('h')}"
            self.helpers.append(f"static {kind} {name}(volatile __global {kind}* p, {kind} v) {{ return {function}(p, v); }}")
            self.line(f"{name}({at}{number});")
        elif form == "group" and function in ("atomic_add", "atomic_or", "atomic_xor"):  # first among the work-group
            self.keeps_local = True
            local, (place, _) = self.name_of("l"), self.local_place()
            self.line(f"__local {kind} {local};")
            self.line(f"if ({place} == 0) {local} = 0;")
            self.line("barrier(CLK_LOCAL_MEM_FENCE);")
            self.line(f"{function}(&{local}{number});")
            self.line("barrier(CLK_LOCAL_MEM_FENCE);")
            self.line(f"if ({place} == 0) {function}({at}, {local});")
        else:
            self.line(f"{call};")

    def image(self):
        """Kernels that use images run whole, between others that do not."""
        n = self.name_of("m")
        writes = self.chance(0.4)
        self.args.append({"kind": "image", "decl": f"{'write_only' if writes else 'read_only'} image2d_t ", "name": n,
                          "writes": writes})
        if writes:
            self.line(f"if (i < {IMAGE[0] * IMAGE[1]}) write_imageui({n}, (int2)(i % {IMAGE[0]}, i / {IMAGE[0]}), "
                      f"(uint4)({self.value(1)} & 255u, 1u, (uint)i & 255u, 7u));")
            return
        v = self.name_of("v")
        sampler = "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST"
        self.line(f"const sampler_t {n}s = {sampler};")
        self.line(f"uint {v} = read_imageui({n}, {n}s, (int2)({self.index(1).text}, {self.index(1).text})).{self.r.choice('xyzw')};")
        self.known(v)

    def output(self):
        r = self.r
        fits = [k for k in list(SCALARS) * 3 + list(VECTORS) + list(STRUCTS) * 2 if SIZES[k] * self.items <= self.limit]
        kind = r.choice(fits)
        most = self.limit // (SIZES[kind] * self.items)
        block = r.choice([b for b in (1, 1, 1, 1, 2, 3, 4, 4, 8, 16) if b <= most])
        used = block
        out = {"kind": "out", "type": kind, "name": self.name_of("o"), "decl": f"__global {kind}* ", "block": used}
        spare = (most - block) * self.items
        out["base"] = r.choice([0, 0, 0, 1, 5]) if spare > 8 else 0
        out["cap"] = self.items * block + out["base"]
        out["bytes"] = out["cap"] * SIZES[kind]
        free = self.limit // SIZES[kind] - out["cap"]
        if kind in SCALARS and free >= 16 and self.chance(0.25):
            self.tails.append((out["name"], kind, out["cap"], free))
            out["bytes"] += free * SIZES[kind]
        out["strided"] = block > 1 and self.chance(0.7 if self.by_size else 0.3)  # element k of item i at k * total + i
        if self.chance(0.2):  # the same bytes as another argument, read where they are written
            alias = dict(out, kind="alias", of=out["name"], name=self.name_of("r"), decl=f"__global const {kind}* ")
            self.args.append(out)
            self.args.append(alias)
        else:
            self.args.append(out)
        return out

    def slot(self, out, k):
        text = f"i + {k} * ({self.total})" if out["strided"] else (f"i * {out['block']} + {k}" if out["block"] > 1 else "i")
        return f"{text} + {out['base']}" if out["base"] else text

    def put(self, out, k, value, at=None):
        """One statement that writes element k of what this work-item owns, or element `at` of all."""
        r = self.r
        kind, at = out["type"], at or self.slot(out, k)
        place = f"{out['name']}[{at}]"
        if kind in STRUCTS and self.chance(0.5):
            return self.put_whole(kind, place, value)
        if kind in ("struct Q", "union V"):
            some = r.sample(MEMBERS[kind], r.randint(1, 3) if kind == "struct Q" else 1)
            return " ".join(f"{place}.{m} = {value};" for m in some)
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

    def put_whole(self, kind, place, value):
        """A struct copied whole, from an input or from a variable: what its members leave out is copied or left alone."""
        r, p = self.r, self.name_of("p")
        alike = [a for a in self.inputs() if a["type"] == kind]
        member = r.choice(MEMBERS[kind])
        if self.optimised and self.chance(0.4):  # else what no member holds would be copied, and is undefined
            return f"{{ {kind} {p}; {' '.join(f'{p}.{m} = {value};' for m in MEMBERS[kind])} {place} = {p}; }}"
        if alike:
            a = r.choice(alike)
            source = f"{a['name']}[{self.fit(self.index(1), a['cap'])}]"
            if self.chance(0.4):
                return f"{place} = {source};"
            return f"{{ {kind} {p} = {source}; {p}.{member} = {value}; {place} = {p}; }}"
        return f"{{ {kind} {p} = {place}; {p}.{member} = {value}; {place} = {p}; }}"

    def store(self, out):
        r = self.r
        alias = [a for a in self.args if a["kind"] == "alias" and a["of"] == out["name"]]
        value = self.value()
        if alias and out["type"] in SCALARS:
            read = f"{alias[0]['name']}[{self.slot(out, 0)}]"
            value = f"({value} + {self.as_uint(read, out['type'], '__global')})"
        if self.unused and self.chance(0.7):
            value = f"({' * 3u + '.join([value] + self.unused)})"
            self.unused.clear()
        v = self.name_of("w")
        self.line(f"const uint {v} = {value};")
        block = out["block"]
        k = str(r.randrange(block))
        form = r.choice(["plain", "plain", "guard", "guard", "else", "switch", "switch", "loop", "loop", "wrap", "uint trips",
                         "uint trips", "step", "break", "while", "vstore", "walk", "do", "two loops", "char wrap", "truth trips",
                         "data place", "data place", "data place", "wide place", "wide place", "wide place", "count down"])
        if out["strided"] and self.chance(0.3):
            form = "strides"
        if form == "guard":
            self.line(f"if ({self.condition()}) {{ {self.put(out, k, v)} }}")
        elif form == "else":
            self.line(f"if ({self.condition()}) {{ {self.put(out, k, v)} }} else {{ {self.put(out, r.choice([k, '0']), f'({v} + 1u)')} }}")
        elif form == "switch":
            what = r.choice([f"{v} & 3u", f"{r.choice(self.atoms).text} % 5", f"{r.choice(self.atoms).text}"])
            def case(c):
                body = self.put(out, r.choice([k, '0']), f'({v} + {c}u)') if self.chance(0.6) else ""
                return f"case {c}: {body} {r.choice(['break;', 'break;', ''])} "
            cases = "".join(case(c) for c in sorted(r.sample(range(7), r.randint(1, 3))))
            self.line(f"switch ({what}) {{ {cases}default: {r.choice(['break;', self.put(out, k, v)])} }}")
        elif form == "vstore" and out["type"] in SCALARS and block in (2, 4, 8) and not out["strided"]:
            n = r.choice([n for n in (2, 4, 3) if n <= block])
            kind = out["type"]
            one = f"convert_float({v} & 0xffu)" if kind == "float" else f"({kind}){v}"
            self.line(f"vstore{n}(({kind}{n})({one}), 0, {out['name']} + {self.slot(out, 0)});")
        elif form == "walk" and not out["strided"]:
            p = self.name_of("p")
            self.line(f"{{ __global {out['type']}* {p} = {out['name']} + {self.slot(out, 0)};")
            inner = self.put(dict(out, name=p), "0", v, "0")
            self.line(f"  for (int k = 0; k < {r.randint(1, block)}; ++k, ++{p}) {{ {inner} }} }}")
        elif form in ("data place", "wide place"):
            test, at = self.place_of_data(block) if form == "data place" else self.wide_place(block)
            self.line(f"{test}{{ {self.put(out, at, v)} }}")
        elif form == "count down":
            j = self.name_of("j")
            self.line(f"{{ uint {j} = {self.value(1)} {r.choice([f'% {block + 1}u', f'& {(1 << (block.bit_length() - 1)) - 1}u'])}; "
                      f"while ({j}-- > 0) {{ {self.put(out, f'((int){j})', f'({v} + {j})')} }} }}")
        elif form in ("loop", "wrap", "uint trips", "step", "break", "while", "do", "two loops", "char wrap", "truth trips", "strides"):
            self.store_loop(out, form, v)
        else:
            self.line(self.put(out, k, v))

    def place_of_data(self, block):
        """A test that may be empty, and an element of a block that data choose."""
        r, x = self.r, self.name_of("x")
        low = (1 << (block.bit_length() - 1)) - 1  # a mask below the block's length
        form = r.choice(["rest", "rest", "mask", "clamp", "min", "shift", "compare", "compare", "unsigned", "sum", "signed rest",
                         "uchar", "short", "wide", "bits", "select"])
        number = r.choice([self.value(1), f"({self.value(1)} {r.choice(['+ 7u', '* 5u', '- 3u', '^ 9u', '>> 3'])})"])
        if form in ("compare", "unsigned", "sum"):
            shift = r.choice([0, 0, 1, 4])
            few = f"((int){number} % {2 * block + 3})" if self.chance(0.6) else f"(int){number}"
            self.line(f"const int {x} = {few};")
            if form == "compare":
                return f"if ({x} >= 0 && {x} {r.choice([f'< {block}', f'<= {block - 1}'])}) ", f"({x})"
            if form == "unsigned":
                return f"if ((uint){x} < {block}u) ", f"({x})"
            return f"if ({x} + {shift} >= 0 && {x} + {shift} < {block}) ", f"({x} + {shift})"
        if form == "wide":
            self.line(f"const ulong {x} = (ulong){number} * 0x9e3779b97f4a7c15ul;")
            return "", r.choice([f"(int)({x} % {block}ul)", f"(int)({x} & {low}ul)", f"(int)clamp((long){x}, 0l, {block - 1}l)"])
        self.line(f"const uint {x} = {number};")
        at = {"rest": f"(int)({x} % {block}u)", "mask": f"(int)({x} & {low}u)", "clamp": f"clamp((int){x}, 0, {block - 1})",
              "min": f"(int)min({x}, {block - 1}u)", "shift": f"(int)({x} >> {33 - block.bit_length()})" if block > 1 else "0",
              "signed rest": f"(int)abs((int){x} % {block})", "uchar": f"(int)((uchar){x} % {block})",
              "short": f"(((short){x} % {block} + {block}) % {block})", "bits": f"(int)({x} & {r.choice(self.atoms).text} & {low})",
              "select": f"(int)(({self.condition(1)} ? {x} : (uint)i) & {low}u)"}[form]
        return "", f"({at})"

    def store_loop(self, out, form, v):
        r = self.r
        block, j = out["block"], self.name_of("j")
        inside = lambda text: f"(int)({text}) % {block}" if block > 1 else "0"
        # A counter of which nothing is known would make all of the block unknown, and that of the neighbours.
        some = lambda text: inside(text) if self.chance(0.25) else str(r.randrange(block))
        put = lambda text, value: self.put(out, f"({text})", f"({value})")
        kind = r.choice(["int", "uint", "long", "size_t", "short", "uchar", "ushort"])
        guard = f"if ({self.condition(1)}) " if self.chance(0.2) else ""
        if form == "loop":
            # A negative bound is a large one for a counter without a sign.
            most = f"min((int){self.value(1)}" if kind in ("int", "long") else f"clamp((int){self.value(1)}, 0"
            bound = r.choice([str(block), self.scalar("int", 0, block), f"({self.value(1)} % {block + 1}u)",
                              f"min({r.choice(self.atoms).text}, {block})", f"{most}, {block})"])
            self.line(f"for ({kind} {j} = {r.choice([0, 0, 1])}; {j} < ({kind}){bound}; {j} += {r.choice([1, 1, 2])}) "
                      f"{guard}{{ {put('(int)' + j, f'{v} + (uint){j}')} }}")
        elif form == "strides":  # each work-item takes every so manieth element
            most = block * self.items
            first, end = self.slot(out, 0), r.choice([str(most), str(most - r.randrange(1, 9)), self.scalar("int", 0, most)])
            end = f"{end} + {out['base']}" if out["base"] else end
            self.line(f"for (int {j} = {first}; {j} < {end}; {j} += {self.total}) "
                      f"{guard}{{ {self.put(out, '0', f'({v} + (uint){j})', j)} }}")
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
                self.line(f"for ({small} {j} = {begin_}; {j} != ({small}){end_}; ++{j}) {guard}{{ {put(some(f'{j} & 15'), f'{v} + (uint){j}')} }}")
            else:
                self.line(f"for ({small} {j} = {begin_}; {j} < ({small}){end_}; ++{j}) {guard}{{ {put(some(f'{j} & 15'), f'{v} + (uint){j}')} if (({j} & 15) == 9) break; }}")
        elif form == "uint trips":  # a bound of 64 bits of which 32 count
            wide = r.choice(["long", "ulong"])
            bound = self.scalar(wide, 0, min(block, 4), 32)
            narrow = r.choice(["uint", "uint", "int", "uchar"]) if wide == "long" else "uint"
            cast = f"({narrow}){bound}"
            op = "!=" if narrow == "uint" or self.chance(0.5) else "<"
            self.line(f"for ({narrow} {j} = 0; {j} {op} {cast}; ++{j}) {guard}{{ {put(some(j), f'{v} + (uint){j}')} }}")
        elif form == "char wrap":
            bound = self.scalar("int", 0, 3, 8)
            self.line(f"for (uchar {j} = 0; {j} != (uchar){bound}; ++{j}) {guard}{{ {put(some(j), f'{v} + {j}')} }}")
        elif form == "step":
            self.line(f"for (int {j} = 0; {j} < {block + 2}; {j} += 1 + {self.small_now_in(j)}) {guard}{{ {put(some(j), f'{v} ^ (uint){j}')} }}")
        elif form == "truth trips":
            self.line(f"for (int {j} = 0; {j} < {r.choice([1, 2])} + {self.condition(1)} - {self.condition(1)}; ++{j}) {{ {put(inside(j), f'{v} + 1u')} }}")
        elif form == "break":
            where = r.choice(["before", "after"])
            stop = f"if ({self.condition(1)}) break;"
            self.line(f"for (int {j} = 0; {j} < {block}; ++{j}) {{ {stop if where == 'before' else ''} {put(j, f'{v} + {j}')} {stop if where == 'after' else ''} }}")
        elif form == "while":
            self.line(f"{{ uint {j} = {self.value(1)} & 7u; while ({j}-- {r.choice(['!= 0', '> 0'])}) {guard}{{ {put(some(j), f'{v} + {j}')} }} }}")
        else:
            self.line(f"{{ int {j} = 0; do {guard}{{ {put(some(j), f'{v} + {j}')} }} while (++{j} < (int)({self.value(1)} & 3u)); }}")

    def small_now_in(self, j):
        self.atoms.append(Index(f"{j}", 0, 18))
        text = self.small_now()
        if self.chance(0.6):
            here = self.element(Index(f"(i + {j})", 0, self.items + 18))
            text = self.r.choice([f"({here} > 100u)", f"({here} & 255u ? 1 : 0)", f"((int)({here}) < 0)", f"({here} > 100u)"])
        self.atoms.pop()
        return text

    def source(self):
        def declare(a):
            return a["decl"] + a["name"] if "decl" in a else f"{a['type']} {a['name']}"
        fixed = f"__attribute__((reqd_work_group_size({', '.join(map(str, (self.local + [1, 1])[:3]))}))) " if self.fixed else ""
        return "\n".join(self.helpers + [f"__kernel {fixed}void {self.name}({', '.join(map(declare, self.args))}) {{"] +
                         self.body + ["}"])
