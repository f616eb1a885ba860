# SPDX-License-Identifier: Apache-2.0
"""Updates: atomic operations whose results nobody uses, in all the places that such a statement can have. And pointers
that are chosen between two buffers."""
from expressions import SIZES


class Updates:
    """A part of grammar.Kernel, beside Expressions."""

    def shared_argument(self, kind, name, qualifier, items):
        """Adds a buffer that the kernel writes. The names of all arguments that lead to it."""
        self.args.append({"kind": "out", "type": kind, "name": name, "decl": f"{qualifier}__global {kind}* ",
                          "bytes": SIZES[kind] * items})
        names = [name]
        if self.chance(0.3):  # the same bytes as another argument
            alias = self.name_of("r")
            self.args.append({"kind": "alias", "type": kind, "of": name, "name": alias, "decl": f"__global {kind}* "})
            names.append(alias)
        return names

    def counter(self):
        """Numbers that all work-items change by atomic operations, whose order does not matter."""
        r = self.r
        kind, o = r.choice(["uint", "uint", "int", "int", "ulong", "long"]), self.name_of("o")
        fields = r.choice([1, 1, 1, 2])  # numbers of one place that are changed in other ways
        places = r.choice([1, 4, 64])
        size = places * fields
        own = self.plain and SIZES[kind] * (size + self.items) <= self.limit and self.chance(0.3)
        qualifier = "" if own else r.choice(["", "volatile "])
        function = "atom" if SIZES[kind] == 8 or self.chance(0.2) else "atomic"
        through = self.shared_argument(kind, o, qualifier, size + (self.items if own else 0))
        in_place = own and self.reads_own(f"{r.choice(through)}[{size} + i]")
        few = ["add", "sub"] if SIZES[kind] == 8 else ["add", "sub", "xor", "or", "and", "min", "max"]
        for field in range(fields):
            operation = r.choice(few)
            alike = [operation] if operation not in ("add", "sub") else ["add", "sub", "inc", "dec"]
            for _ in range(r.choice([1, 1, 2])):
                at = f"{self.fit(self.index(r.choice([1, 2])), places)} * {fields} + {field}"
                self.update(f"{function}_{r.choice(alike)}", f"{r.choice(through)} + {at}", kind)
        if own:
            place = f"{through[-1]}[{size} + i]"  # elements of its own, behind them
            self.line(f"{place} = ({kind})({self.value(1)}{f' + {place}' if in_place else ''});")

    def reads_own(self, place):
        """Whether the work-item reads an element of its own, which it then changes."""
        if self.chance(0.5):
            return False
        v = self.name_of("v")
        self.line(f"const uint {v} = (uint){place};")
        self.known(v)
        return True

    def marks(self):
        """Numbers that all work-items store alike, wherever their data say."""
        r, o = self.r, self.name_of("o")
        kind = r.choice(["uchar", "uchar", "ushort", "int", "int", "uint", "ulong", "float", "int2", "uchar4"])
        fields = r.choice([1, 1, 1, 2])  # numbers of one place, of which each is another constant
        places = r.choice([1, 1, 4, 64])
        size = places * fields
        own = self.plain and SIZES[kind] * (size + self.items) <= self.limit and self.chance(0.3)
        qualifier = r.choice(["", "volatile "])
        through = self.shared_argument(kind, o, qualifier, size + (self.items if own else 0))
        whole = kind in ("int", "uint", "uchar", "ushort", "ulong")
        in_place = own and whole and self.reads_own(f"{r.choice(through)}[{size} + i]")
        for field in range(fields):
            number = r.choice(["1", "0", "-1", "77", self.scalar("int", 0, 9)])
            if kind == "float":
                number = r.choice(["1.0f", "0.0f", "-0.0f", "0.1f"])
            for _ in range(r.choice([1, 1, 2])):
                at = f"{self.fit(self.index(r.choice([1, 2])), places)} * {fields} + {field}"
                self.mark(f"{r.choice(through)}[{at}]", f"({kind})({number})", kind)
        if own:
            place = f"{through[-1]}[{size} + i]"
            self.line(f"{place} = {f'({kind}){self.value(1)}' if in_place or self.chance(0.5) else f'({kind})(1)'};")

    def chosen(self):
        """A work-item's own element of one of two buffers, as a condition chooses."""
        r, p, q, c = self.r, self.name_of("p"), self.name_of("q"), self.name_of("c")
        kind, moved = r.choice(["int", "uint", "uchar", "ushort", "ulong"]), r.randrange(3)
        if SIZES[kind] * (self.items + moved) > self.limit:
            return
        a, b = (self.shared_argument(kind, self.name_of("o"), "", self.items + moved)[0] for _ in range(2))
        uniform = self.chance(0.6)
        self.line(f"const bool {c} = {self.scalar('int', 0, 1) if uniform else self.condition(1)};")
        pointer = f"__global {kind}*"
        if uniform and self.chance(0.7):  # nobody writes the other buffer
            v = self.name_of("v")
            self.line(f"const {pointer} {q} = {c} ? {b} : {a};")
            self.line(f"const uint {v} = (uint){q}[{self.fit(self.index(r.choice([1, 2])), self.items)}];")
            self.known(v)
        forms = [f"{pointer} {p} = {c} ? {a} + i : {b} + (i + {moved});", f"{pointer} {p} = ({c} ? {a} : {b}) + i;",
                 f"{pointer} {p} = {b} + i + {moved}; if ({c}) {p} = {a} + i;"]
        self.line(r.choice(forms))
        value = f"({kind})({self.value(1)})"
        forms = [f"*{p} = {value};", f"*{p} = {value} + *{p};", f"if ({self.condition()}) *{p} = {value};",
                 f"for (int {p}_ = 0; {p}_ < 2; ++{p}_) *{p} = {value} + *{p};"]
        if kind in ("int", "uint"):
            forms.append(f"atomic_xor({p}, {value});")
        self.line(r.choice(forms))

    def mark(self, place, number, kind):
        r, j = self.r, self.name_of("j")
        form = r.choice(["plain", "plain", "guard", "guard", "loop", "bytes", "twice", "read", "helper"])
        if form == "guard":
            self.line(f"if ({self.condition()}) {place} = {number};")
        elif form == "loop":
            self.line(f"for (int {j} = 0; {j} < (int)({self.value(1)} & 3u); ++{j}) {place} = {number};")
        elif form == "bytes" and number.endswith(("(0)", "(-1)")):  # the same bytes, as numbers of another width
            self.line(f"*(__global uchar*)&{place} = (uchar){number.split(')')[1]});")
            self.line(f"if ({self.condition()}) {place} = {number};")
        elif form == "twice":
            self.line(f"if ({self.condition()}) {place} = {number}; else {place} = {number};")
        elif form == "read" and kind in ("int", "uint"):  # what it has stored itself
            self.line(f"{place} = {number};")
            self.line(r.choice(["mem_fence(CLK_GLOBAL_MEM_FENCE);", "barrier(CLK_GLOBAL_MEM_FENCE);", ""]) if self.depth < 2 else "")
            self.line(f"const uint {j} = (uint){place};")
            self.known(j)
        elif form == "helper":
            name = f"{self.name}_{self.name_of('h')}"
            self.helpers.append(f"static void {name}(volatile __global {kind}* p, {kind} v) {{ *p = v; }}")
            self.line(f"{name}(&{place}, {number});")
        else:
            self.line(f"{place} = {number};")

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
