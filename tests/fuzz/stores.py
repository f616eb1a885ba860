# SPDX-License-Identifier: Apache-2.0
"""Outputs, and the statements that write to the block of elements a work-item owns."""
from expressions import MEMBERS, SCALARS, SIZES, STRUCTS, VECTORS


class Stores:
    """A part of grammar.Kernel, beside Expressions."""

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
        divisors = [d for d in (2, 3, 4, 5, 8, 16, 32, 64) if self.items % d == 0]
        # Blocks of items that are moved apart: element k of item i in block i / d at (i / d) * d * block + i % d + k * d
        out["digits"] = r.choice(divisors) if divisors and not out["strided"] and self.chance(0.2) else 0
        if self.chance(0.2):  # the same bytes as another argument, read where they are written
            alias = dict(out, kind="alias", of=out["name"], name=self.name_of("r"), decl=f"__global const {kind}* ")
            self.args.append(out)
            self.args.append(alias)
        else:
            self.args.append(out)
        return out

    def is_dense(self, out):
        """The elements of a work-item lie side by side."""
        return not out["strided"] and not out["digits"]

    def slot_of_digits(self, out, k):
        r, d, block = self.r, out["digits"], out["block"]
        by = self.scalar("int", d, d) if self.chance(0.4) else str(d)
        rest = r.choice([f"i % {by}", f"(i & ({by} - 1))"]) if d & (d - 1) == 0 else f"i % {by}"
        text = r.choice([f"i * {block} - ({rest}) * {block - 1}", f"i / {by} * {by} * {block} + {rest}",
                         f"i + i / {by} * ({by} * {block - 1})"])
        return f"{text} + {k} * {by}"

    def slot(self, out, k):
        if out["digits"]:
            text = self.slot_of_digits(out, k)
            return f"{text} + {out['base']}" if out["base"] else text
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
                         "data place", "data place", "data place", "wide place", "wide place", "wide place", "count down",
                         "tile", "tile", "once", "taken", "taken", "ring place"])
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
        elif form == "vstore" and out["type"] in SCALARS and block in (2, 4, 8) and self.is_dense(out):
            n = r.choice([n for n in (2, 4, 3) if n <= block])
            kind = out["type"]
            one = f"convert_float({v} & 0xffu)" if kind == "float" else f"({kind}){v}"
            self.line(f"vstore{n}(({kind}{n})({one}), 0, {out['name']} + {self.slot(out, 0)});")
        elif form == "walk" and self.is_dense(out):
            p = self.name_of("p")
            self.line(f"{{ __global {out['type']}* {p} = {out['name']} + {self.slot(out, 0)};")
            inner = self.put(dict(out, name=p), "0", v, "0")
            self.line(f"  for (int k = 0; k < {r.randint(1, block)}; ++k, ++{p}) {{ {inner} }} }}")
        elif form in ("data place", "wide place"):
            test, at = self.place_of_data(block) if form == "data place" else self.wide_place(block)
            self.line(f"{test}{{ {self.put(out, at, v)} }}")
        elif form in ("tile", "once", "taken", "ring place"):
            self.store_moved(out, form, v)
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
