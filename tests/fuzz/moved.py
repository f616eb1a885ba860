# SPDX-License-Identifier: Apache-2.0
"""Places in a work-item's block that loops move: between bounds that are minima, in steps that data take or leave, or
once."""
from expressions import Index


class MovedPlaces:
    """What grammar.Kernel makes of the block of an output that it owns."""

    def store_moved(self, out, form, v):
        if form == "tile" and self.is_dense(out):
            self.tile(out, v)
        elif form == "once":
            self.once(out, v)
        elif form == "ring place":
            self.ring_place(out, v)
        else:
            self.taken(out, v)

    def tile(self, out, v):
        """From the block's first element to its last, or to where a number says, whichever comes first."""
        r, j, block = self.r, self.name_of("j"), out["block"]
        last = self.items * block
        limit = r.choice([str(r.randint(0, last)), self.scalar("int", 0, last), f"({r.choice(self.atoms).text} * {block})"])
        first, end = f"i * {block}", f"i * {block} + {block}"
        if self.chance(0.3):
            first = f"max({first}, {r.choice([str(r.randint(0, last)), self.scalar('int', 0, last)])})"
        least = "min"
        if self.chance(0.3):  # not before some element
            least = r.choice(["max", "max", "min"])
            end, limit = f"max({first}, min({end}, {limit}))", f"i * {block} + {r.randint(0, block)}"
        inner = self.put(out, "0", f"({v} + (uint){j})", f"{j} + {out['base']}")
        if self.chance(0.3):
            head = f"int {j} = i * {block} + {block - 1}, {j}e = max(i * {block}, {limit}); {j} {r.choice([f'>= {j}e', f'> {j}e - 1'])}; --{j}"
        elif self.chance(0.3):
            head = f"int {j} = {first}; {j} < {least}({limit}, {end}); {j} += {r.choice([1, 1, 2])}"
        else:
            head = f"int {j} = {first}, {j}e = {least}({limit}, {end}); {j} {r.choice([f'< {j}e', f'<= {j}e - 1'])}; ++{j}"
        self.line(f"for ({head}) {{ {inner} }}")

    def once(self, out, v):
        """A loop that runs once moves its place afterwards."""
        r, n, j, block = self.r, self.name_of("n"), self.name_of("j"), out["block"]
        more = r.randrange(block)
        put = self.put(out, n, v)
        self.line(f"int {n} = 0;")
        head, end = r.choice([(f"for (int {j} = 0; {j} < 1; ++{j}) {{", "}"), (f"int {j} = 0; do {{", f"}} while (++{j} < 1);")])
        self.line(f"{head} if ({self.condition(1)}) {{ {put} {n} += {more}; }} {end}")
        if self.chance(0.5):
            self.line(self.put(out, n, f"({v} ^ 5u)"))

    def ring_place(self, out, v):
        """Round and round the block, by steps that data choose, in one or two loops."""
        r, n, j, k, block = self.r, self.name_of("n"), self.name_of("j"), self.name_of("k"), out["block"]
        step = r.choice(["1", "1", f"({self.small_now()})", str(r.randint(1, 9))])
        self.line(f"int {n} = {r.randrange(block)};")
        put = self.put(out, n, f"({v} + (uint){j})")
        begin = f"if ({k} == 0) {n} = {r.randrange(block)}; else " if self.chance(0.3) else ""
        move = f"{begin}{n} = ({n} + {step}) % {block};"
        if self.chance(0.3):
            move = f"if ({self.condition(1)}) {{ {move} }}"
        self.line(f"for (int {j} = 0; {j} < {r.randint(1, 3)}; ++{j}) for (int {k} = 0; {k} < {r.randint(1, 9)}; ++{k}) {{ {put} {move} }}")
        if self.chance(0.5):
            self.line(self.put(out, n, f"({v} ^ 9u)"))

    def taken(self, out, v):
        """Iterations that step on, and others that do not."""
        r, n, j, block = self.r, self.name_of("n"), self.name_of("j"), out["block"]
        trips = r.randint(1, block)
        self.line(f"int {n} = 0;")
        self.line(f"for (int {j} = 0; {j} < {trips}; ++{j}) {{")
        self.depth += 1
        saved = len(self.atoms)
        self.atoms.append(Index(j, 0, trips))
        step = self.name_of("t")
        self.line(f"const int {step} = ({self.small_now()}) {r.choice(['!= 0', '> 0', '& 1'])};")
        put = self.put(out, n, f"({v} + (uint){j})")
        if self.chance(0.3):  # how far it is from where its last step alone would have brought it
            put = self.put(out, f"(({n} - {j} * {step} + {trips}) % {block})", f"({v} + (uint){j})")
        before = self.chance(0.5)
        if before:
            self.line(put)
        self.line(f"if ({step}) {r.choice([f'{n}++;', f'{n} += 1;', f'{{ {put} {n}++; }}'])}")
        if not before:
            self.line(f"if ({n} < {block}) {{ {put} }}")
        del self.atoms[saved:]
        self.depth -= 1
        self.line("}")
        if self.chance(0.4):
            self.line(self.put(out, f"min({n}, {block - 1})", f"({v} * 3u)"))
