# SPDX-License-Identifier: Apache-2.0
"""Random kernels that are deterministic and stay inside their buffers.

Each work-item owns a block of elements of each output and writes nothing else. Inputs are other bytes than outputs.
Index expressions carry an interval; what may leave the array is clamped, masked or taken modulo.
"""
from expressions import Expressions, Index, MEMBERS, SCALARS, STRUCTS, VECTORS
from images import Images
from local_memory import LocalMemory
from moved import MovedPlaces
from scatter import Scatter
from stores import Stores
from updates import Updates
from wide import WideNumbers

PRELUDE = """struct S { int a; short b; uchar c; uchar d; float e; uint f; };
struct T { uchar a; uint b[2]; };
struct Q { char a; long b; short c; };
union V { uchar a; ushort b; uint c[2]; };
struct P { int a; short b; long c; int t[4]; };
"""


class Kernel(Stores, MovedPlaces, Scatter, Updates, Images, LocalMemory, WideNumbers, Expressions):
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
        if self.chance(0.12):
            self.images()
        outs = []
        if self.dims == 1 and self.plain and self.chance(0.08):
            self.copy_out()
        if self.chance(0.2):
            self.counter()
        if self.chance(0.2):
            self.marks()
        if self.plain and self.chance(0.25):
            self.chosen()
        if self.chance(0.1):
            self.scatter()
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
