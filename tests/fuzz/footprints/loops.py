# SPDX-License-Identifier: Apache-2.0
"""Random loops, and what they move: places in a ring, values that some ways leave undefined, bounds that are minima."""
from formulas import INTEGERS
from statements import Statements

COUNTERS = ["int", "int", "int", "uint", "long", "ulong", "size_t", "short", "uchar", "char", "ushort"]


class Loops(Statements):

    def loop(self):
        r, j = self.r, self.name_of("j")
        kind = r.choice(COUNTERS)
        first = r.choice(["0", "0", "0", "1", self.atom(), self.affine()])
        bound = r.choice(["4", "3", "8", "10", "1"] + [self.atom()] * 4 +
                         [self.affine(), f"min((int)({self.atom()}), {r.choice([5, 20])})", f"({self.number(1)}) % 9",
                          f"({self.number(1)} & 15)", self.load(0)])
        kept = len(self.vars)
        self.loops += 1
        head, end = self.head_of(kind, j, first, bound)
        self.line(head)
        if not any(name == j for name, _ in self.pointers):
            self.vars.append((j, self.chance(.08)))
        self.block(r.randint(1, 3))
        self.line(end)
        self.loops -= 1
        del self.vars[kept:]
        self.pointers = [p for p in self.pointers if p[0] != j]
        if not head.startswith(("for", "__global", "int")):  # the counter is still there
            self.vars.append((j, True))

    def head_of(self, kind, j, first, bound):
        """How a loop begins and ends."""
        r = self.r
        form = r.choice(["for", "for", "for", "counting", "odd", "pointer", "walk"])
        if form == "for":
            test = r.choice([f"{j} < {bound}", f"{j} < {bound}", f"{j} <= {bound}", f"{j} != ({kind})({bound})",
                             f"{j} < {bound} && {self.condition(1)}"])
            step = r.choice([f"++{j}", f"{j}++", f"{j} += {r.choice(['1', '2', '3', '4', 'get_local_size(0)', f'({self.atom()} & 3) + 1'])}"])
            return f"for ({kind} {j} = {first}; {test}; {step}) {{", "}"
        if form == "counting":
            return r.choice([
                (f"{kind} {j} = {bound}; while ({j}-- {r.choice(['> 0', '!= 0', ''])}) {{", "}"),
                (f"{kind} {j} = {first}; while ({j} {r.choice(['<', '!=', '<='])} {bound}) {{",
                 r.choice([f"  {j} += {r.choice(['1', '2', f'1 + (({self.atom()}) & 1)'])}; }}",
                           f"  if ({self.condition(1)}) {j} += 2; else ++{j}; }}"])),
                (f"{kind} {j} = {first}; do {{",
                 f"  {r.choice(['', f'++{j};'])} }} while ({r.choice([f'++{j}', f'{j}++'])} {r.choice(['<', '<=', '!='])} {bound});"),
                (f"for ({kind} {j} = {bound}; {j} {r.choice(['>', '>=', '!='])} {first}; {r.choice([f'--{j}', f'{j} -= 2'])}) {{", "}")])
        if form == "odd":
            most = r.choice(["64", "100", self.atom()])
            return r.choice([(f"for ({kind} {j} = {r.choice(['64', '1', '16', self.atom()])}; {j} > 0; {j} >>= 1) {{", "}"),
                             (f"for ({kind} {j} = {r.choice(['1', '3', self.atom()])}; {j} < {most}; {j} *= 2) {{", "}")])
        if form == "walk":
            step = r.choice(["get_global_size(0)", "get_local_size(0)", "16"])
            return f"for ({kind} {j} = {self.work_item()}; {j} < {r.choice(['100', '64', self.atom()])}; {j} += {step}) {{", "}"
        a = r.choice(self.buffers(True))
        self.pointers.append((j, a["type"]))
        last = f"{j} + {r.choice(['3', '5', self.atom()])}"
        self.line(f"__global {a['type']}* {j} = {a['name']} + {self.index(a['cap'], 1)}; __global {a['type']}* {j}e = {last};")
        return f"for (; {j} {r.choice(['<', '!='])} {j}e; {r.choice([f'++{j}', f'{j} += 1', f'{j} += 2'])}) {{", "}"

    # -- what loops move --
    def special(self):
        self.r.choice([self.ring, self.ring, self.ring, self.undefined, self.undefined, self.to_minimum, self.to_minimum, self.once,
                       self.once, self.taken, self.nested, self.swapped, self.until, self.triangle, self.triangle, self.decided, self.decided,
                       self.alike_alone, self.alike_alone, self.flagged, self.flagged, self.limited, self.limited])()

    def own_int(self):
        name = self.name_of("x")
        some = [name for name, _ in self.vars] + [f"get_global_id({self.dims - 1})"] * 3
        self.line(f"int {name} = (int)({self.r.choice(some)});")
        return name

    def flagged(self):
        """A flag that a loop sets, and stores where it is set."""
        r, f, j, t = self.r, self.name_of("f"), self.name_of("j"), self.own_int()
        low, high, count = r.choice([0, 1, 3]), r.choice([8, 20, 40]), r.choice(["1", "2", "3", f"(({self.atom()}) & 3)"])
        test = r.choice([f"{t} > {j} + {low} && {t} < {high} - {j}"] * 3 + [f"{t} + {j} == {high}", f"{j} == {low}", self.condition(1)])
        self.line(f"{r.choice(['bool', 'int', 'uchar'])} {f} = {r.choice(['0', '0', '0', '1'])};")
        self.line(f"for (int {j} = 0; {j} < {count}; ++{j}) {{")
        if self.chance(.3):
            self.line(f"if ({f}) {self.element(self.around(r.choice([j, t])))}")
        if self.chance(.6):
            self.line(f"{f} = 0;")
        self.line(f"if ({test}) {f} = {r.choice(['1', '1', '2'])};")
        if self.chance(.3):
            self.line(f"if ({f}) {self.element(self.around(r.choice([j, t])))}")
        if self.chance(.4):
            self.line(f"if ({j} == {count} - 1) break;")
        self.line("}")
        self.line(f"if ({r.choice([f, f, f'{f} == 1', f'{f} != 0', f'!{f}', f'{f} > 0'])}) {self.element(r.choice([t, self.around(t)]))}")

    def limited(self):
        """A choice by an order of two numbers between two others that are about as far apart, and a store up to it."""
        r, a, b, t, m = self.r, self.own_int(), self.name_of("b"), self.own_int(), self.name_of("m")
        base, more = r.choice(["0", "3", t, b]), r.choice([-1, 0, 0, 0, 1, 2])
        other = f"{base} {r.choice('+-')} ({b} - {a}) + {more}"
        pair = r.choice([(base, other), (other, base)])
        self.line(f"int {b} = {r.choice(['0', '7', '16', f'(int)({self.atom()})'])};")
        self.line(f"int {m} = {a} {r.choice(['<', '<=', '>', '>='])} {b} ? {pair[0]} : {pair[1]};")
        self.line(f"if ({t} {r.choice(['<', '<=', '>', '>='])} {m}) {self.element(r.choice([t, f'{t} + {a}', f'{t} - {m} + 40', self.around(m)]))}")

    def alike_alone(self):
        for _ in range(self.r.choice([1, 1, 2, 3])):
            self.equal_stores()

    def element(self, place, value="1"):
        """A store to a place that is a short formula."""
        a = self.r.choice(self.buffers(True))
        return self.put(f"{a['name']}[{place}]", a["type"], value)

    def around(self, name):
        """A place near it: alone, or where a work-item's own numbers lie."""
        r, own = self.r, self.r.choice(self.vars)[0] if self.vars else "0"
        return r.choice([name, name, f"{name} + {self.affine()}", f"{name} * {r.choice([2, 3, 8])}", *[f"{name} + {r.choice([40, 64, 100])}"] * 3,
                         f"({own}) * 8 + {name}",
                         f"{name} & 63", f"({own}) * 16 + ({name} & 15)"])

    def ring(self):
        """A position that goes round, by steps that data may choose, handed on through several variables."""
        r, at, j = self.r, self.name_of("at"), self.name_of("j")
        kind, size = r.choice(["int", "int", "uint", "short", "uchar", "long"]), r.choice([2, 3, 5, 7, 8, 16])
        step = r.choice(["1", "1", str(r.randint(1, 9)), f"(({self.load(0)}) & 3)", j, self.atom()])
        cast = f"({kind})"
        moved = r.choice([f"({at} + {step}) % {size}", f"({at} + {step}) & {size - 1}", f"min({cast}({at} + {step}), {cast}{size})",
                          f"{at} == {size - 1} ? 0 : {at} + 1", f"{at} > {size} ? 0 : {at} + {step}", f"({at} - 1) % {size}",
                          f"max({cast}({at} - {step}), {cast}{r.choice([0, 1])})", f"min({cast}({at} - {step}), {cast}{size})",
                          f"{at} < -{size} ? {size} : {at} - {step}", f"min({cast}({at} - {size}), {cast}{r.randint(0, 9)})",
                          f"{size} - {at}", f"{at} ^ {r.choice([1, 3])}",
                          f"({at} * 5 + 3) % {size}", f"clamp({cast}({at} + {step}), {cast}0, {cast}{size})", f"REST({at} + {step}, {size})"])
        self.line(f"{kind} {at} = {r.choice(['0', '0', str(r.randint(-3, 20)), self.atom(), f'({self.number(1)}) & 7'])};")
        self.line(f"for (int {j} = 0; {j} < {r.choice(['4', '9', f'(({self.atom()}) & 15)'])}; ++{j}) {{")
        self.vars.append((at, False))
        self.depth += 1
        self.line(self.element(self.around(at), j))
        if self.chance(.3):
            self.line(f"if ({self.condition(1)}) {at} = {r.choice([str(r.randint(-2, 12)), f'{at} + 1', self.atom()])};")
        self.line(f"if ({self.condition(1)}) {at} = {moved};" if self.chance(.3) else f"{at} = {moved};")
        if self.chance(.3):
            self.line(f"if ({j} == {r.randint(0, 3)}) continue;")
            self.line(f"{at} = {r.choice([moved, f'{at} % 3', '0'])};")
        self.depth -= 1
        self.line("}")

    def undefined(self):
        """Some ways leave the value undefined, and are not those on which it is used."""
        r, v, c, j = self.r, self.name_of("v"), self.name_of("c"), self.name_of("j")
        kind, use = r.choice(["int", "uint", "long", "short"]), self.element(self.around(v))
        form = r.choice(["branch", "branch", "ways", "first round", "first round", "last round", "pointer"])
        if form == "first round":  # an iteration sets what the next one uses
            first = r.choice([0, 0, 1])
            self.line(f"{kind} {v}; for (int {j} = {first}; {j} < {r.choice(['1', '2', '5', self.atom()])}; ++{j}) {{")
            self.line(f"  if ({j} > {first + r.choice([0, 0, 1])}) {use}")
            self.line(f"  {v} = {r.choice([j, f'{j} * 2', self.number(1), f'({j} > 1 ? {v} + 1 : {self.atom()})'])}; }}")
        elif form == "last round":
            self.line(f"{kind} {v}; bool {c} = false; for (int {j} = 0; {j} < {r.choice(['1', '3', self.atom()])}; ++{j}) "
                      f"if ({self.condition(1)}) {{ {v} = {r.choice([j, self.affine()])}; {c} = true; {r.choice(['', 'break;'])} }}")
            self.line(f"if ({c}) {use}")
        elif form == "pointer":
            a = r.choice(self.buffers(True))
            self.line(f"bool {c} = {self.condition(1)}; __global {a['type']}* {v};")
            self.line(f"if ({c}) {v} = {a['name']} + {self.index(a['cap'], 1)};")
            self.store()
            self.line(f"if ({c}) {self.put(f'{v}[0]', a['type'])}")
        else:
            self.line(f"{kind} {v}; const int {c} = {self.condition(1)} ? {r.randint(1, 3)} : 0;")
            self.line(f"if ({c}) {v} = {self.number(1)};")
            if form == "ways":
                self.line(f"if ({c} == 2) {v} = {self.number(1)}; else if ({c} == 3) {v} += {self.number(1)};")
            self.store()
            self.line(f"if ({c}) {use}")

    def to_minimum(self):
        """Loops from one place to another one, or to a limit, whichever comes first."""
        r, j, a, b = self.r, self.name_of("j"), self.name_of("a"), self.name_of("b")
        length, limit = r.choice(["4", "7", f"(int)({self.atom()})"]), r.choice(["100", "64", f"(int)({self.atom()})"])
        least, most = r.choice([("min", "max"), ("min", "max"), ("max", "min")])
        end = r.choice([f"{least}({a} + {length}, {limit})", f"{least}({limit}, {a} + {length})",
                        f"({a} + {length} < {limit} ? {a} + {length} : {limit})", f"min({a} + {length}, {most}({limit}, {a}))"])
        step = r.choice([f"++{j}", f"++{j}", f"{j} += 2"])
        self.line(f"int {a} = {self.affine()}, {b} = {end};")
        head = r.choice([f"int {j} = {r.choice([a, a, f'max({a}, 0)', f'{a} + 1', f'min({a}, {limit})', f'min({r.randint(0, 9)}, {a})'])}; {j} {r.choice(['<', '<', '<=', '!='])} {b}; {step}",
                         f"int {j} = {b} - 1; {j} {r.choice(['>=', '>'])} {r.choice([a, f'max({a}, 0)'])}; --{j}"])
        self.line(f"for ({head}) {{ {self.element(r.choice([j, f'{j} * 2', f'{j} - {a}', f'{j} + {a}']), j)} }}")

    def once(self):
        """A loop that runs once moves its place afterwards."""
        r, n, j = self.r, self.name_of("n"), self.name_of("j")
        kind = r.choice(COUNTERS)
        self.line(f"int {n} = {r.choice(['0', '2', self.affine()])};")
        move = f"if ({self.condition(1)}) {{ {self.element(n)} {n} += {r.choice(['1', '3', self.atom()])}; }}"
        trips = r.choice(["1", "1", "1", "2"])
        head, end = r.choice([(f"for ({kind} {j} = 0; {j} < {trips}; ++{j}) {{", "}"), (f"{kind} {j} = 0; do {{", f"}} while (++{j} < {trips});"),
                              (f"{kind} {j} = 5; while ({j} != 5 - {trips}) {{ --{j};", "}"),
                              (f"for ({kind} {j} = 3; {j} < 7; {j} += {r.choice([4, 5, 3])}) {{", "}")])
        self.line(f"{head} {move} {r.choice(['', f'if ({self.condition(1)}) break;', f'if ({self.condition(1)}) continue;'])} "
                  f"{r.choice(['', self.element(f'{n} + {j}')])} {end}")
        self.line(self.element(self.around(n)))
        self.vars.append((n, True))

    def taken(self):
        """Iterations that step on, and others that do not."""
        r, n, j = self.r, self.name_of("n"), self.name_of("j")
        step = r.choice(["1", "2", f"({self.atom()})", j])
        self.line(f"int {n} = {r.choice(['0', self.affine()])};")
        self.line(f"for (int {j} = 0; {j} < {r.choice(['4', '8', self.atom()])}; ++{j}) {{ if ({self.condition(1)}) {n} += {step}; "
                  f"{self.element(self.around(n), j)} {r.choice(['', f'if ({self.load(0)} > 3) {n}--;'])} }}")
        self.vars.append((n, True))

    def nested(self):
        r, i, j = self.r, self.name_of("j"), self.name_of("j")
        self.line(f"for (int {i} = {r.choice(['0', self.atom()])}; {i} < {r.choice(['4', '5', '1', self.atom()])}; ++{i}) "
                  f"for (int {j} = {r.choice(['0', i, f'{i} + 1'])}; {j} < {r.choice(['3', i, f'{i} + 2', f'6 - {i}'])}; ++{j}) {{")
        self.line(f"  if ({r.choice([f'{i} == {j}', f'{j} > {i}', self.condition(1)])}) {r.choice(['break', 'continue'])};")
        self.line(f"  {self.element(r.choice([f'{i} * 8 + {j}', f'{i} * 8 + {j} + {self.affine()}', f'{i} ^ {j}']), i)} }}")

    def triangle(self):
        """Rows and columns that bound each other: of a matrix, or of a band of it; and what lies beside it."""
        r, i, j = self.r, self.name_of("i"), self.name_of("j")
        width = r.choice(["8", "16", "20", "(int)get_global_size(0)", f"({self.atom()} & 31)"])
        self.line(f"const int {i} = (int)get_{r.choice(['global_id', 'global_id', 'group_id'])}({r.randrange(self.dims)});")
        near = r.choice([i, i, f"{i} + 1", f"{i} - 2", f"{width} - {i}", f"2 * {i}", f"{width} - 1 - {i}"])
        far = r.choice([width, width, f"{width} - {i}", f"{i} + 3", f"2 * {i} + 1"])
        if self.dims > 1 and self.chance(.3):
            self.line(f"const int {j} = (int)get_global_id({r.randrange(self.dims)});")
            head = f"if ({r.choice([f'{j} >= {near}', f'{near} < {j}', f'{j} + {i} < {width}', f'{j} <= {near} && {j} > {i} - 3'])})"
        else:
            head = r.choice([f"for (int {j} = {near}; {j} {r.choice(['<', '<='])} {far}; {r.choice([f'++{j}', f'++{j}', f'{j} += 2'])})",
                             f"for (int {j} = {width} - 1; {j} {r.choice(['>', '>='])} {near}; --{j})",
                             f"for (int {j} = 0; {j} {r.choice(['<', '<='])} {near}; ++{j}) if ({r.choice(['1', f'{j} + {i} > 3'])})"])
        a = r.choice(["0", "1", self.atom(), self.affine()])
        place = r.choice([f"{i} * {width} + {j}", f"{j} * {width} + {i}", f"{j} * ({width} + 1) + {i}", f"{i} * {width} - {j}", f"3 * {i} + {j}",
                          f"{j} - {i}", f"({j} - {i}) * {width} + {i}", f"2 * {j} + {i} * {width}"])
        self.line(f"{head} {{ {self.element(f'{place} + {a}', j)} {r.choice(['', '', self.element(f'{j} * {width} + {i}')])} }}")

    def decided(self):
        """The launch decides where to write; or data or a work-item do."""
        r, at, scalars = self.r, self.name_of("at"), [a["name"] for a in self.args if not a["buffer"] and a["type"] in INTEGERS]
        test = r.choice([f"{n} {how}" for n in scalars for how in ("> 2", "& 1", "< 4", "== 3", "!= 0")] + [self.condition(1)])
        if self.chance(.2):
            test = f"get_{r.choice(['local_size', 'num_groups', 'global_id', 'group_id'])}(0) {r.choice(['> 1', '== 2', '< 3'])}"
        one, two = (r.choice([self.affine(), f"({self.work_item()}) * {r.choice([1, 4, 8])}", "7", f"{r.choice(scalars)} & 63"])
                    for _ in range(2))
        form = r.choice(["select", "select", "branch", "both", "pointer"])
        if form == "select":
            self.line(f"const int {at} = {test} ? {one} : {two};")
        elif form == "branch":
            self.line(f"int {at} = {one}; if ({test}) {at} = {two};")
        elif form == "both":
            self.line(f"int {at}; if ({test}) {{ {self.element(one)} {at} = {two}; }} else {{ {at} = {one}; }}")
        else:
            a = r.choice(self.buffers(True))
            self.line(f"{a['space']} {a['type']}* {at} = {test} ? {a['name']} + ({one}) : {a['name']} + ({two}); {self.put(f'{at}[0]', a['type'])}")
            return
        self.line(self.element(self.around(at)))
        self.vars.append((at, form == "branch"))

    def until(self):
        """To a number that the counter's type may cut."""
        r, j = self.r, self.name_of("j")
        kind, bound = r.choice(["uchar", "char", "ushort", "uint"]), r.choice([self.atom(), self.atom(), self.number(1)])
        first = r.choice(["0", "0", "1", f"({self.atom()})"])
        self.line(f"for ({kind} {j} = {first}; {j} {r.choice(['!=', '!=', '<'])} {r.choice([f'({kind})', '(uchar)'])}({bound}); ++{j}) "
                  f"{{ {self.element(self.around(j), j)} }}")

    def swapped(self):
        """Two values that iterations hand on to each other."""
        r, v, w, j = self.r, self.name_of("v"), self.name_of("v"), self.name_of("j")
        self.line(f"int {v} = {self.atom()}, {w} = {self.atom()};")
        self.line(f"for (int {j} = 0; {j} < {r.choice(['3', '1', self.atom()])}; ++{j}) {{ const int q = {v}; {v} = {w}; "
                  f"{w} = {r.choice(['q', 'q + 1', f'q + {j}', f'(q + {j}) & 7', f'{v} > q ? q : {v} + 1'])}; "
                  f"{self.element(r.choice([v, w, f'{v} + {w}', f'({v} & 3) * 4 + ({w} & 3)']), j)} }}")
        self.vars += [(v, True), (w, True)]
