# SPDX-License-Identifier: Apache-2.0
"""Random numbers of 64 bits made of data, and elements of a block that they choose.

C's rules matter here. An operand without a sign makes the result one without a sign. A remainder takes the sign of its
left side.
"""


class WideNumbers:
    """A part of grammar.Kernel, beside Expressions."""

    def wide(self, depth=2):
        """An expression of type long or ulong, and whether its type has a sign."""
        r = self.r
        if depth == 0 or self.chance(0.2):
            return self.wide_atom()
        form = r.choice(["op", "op", "op", "constant", "constant", "constant", "extreme", "extreme", "shift", "cast", "negative",
                         "abs", "builtin", "select", "count"])
        a, signed = self.wide(depth - 1)
        own = "long" if signed else "ulong"
        if form == "op":
            b, other = self.wide(depth - 1)
            return f"({a} {r.choice(['+', '-', '*', '^', '^', '&', '|', '|'])} {b})", signed and other
        if form == "constant":
            c = r.choice(["1l", "1ul", "-1l", "7l", "0xfful", "3", "2u", "(1l << 40)", "0x7fffffffffffffffl", "0x8000000000000000ul"])
            return f"({a} {r.choice(['^', '^', '|', '|', '&', '+', '-'])} {c})", signed and not c.endswith("ul")
        if form == "shift":
            return f"({a} {r.choice(['>>', '>>', '<<'])} {r.choice([1, 3, 31, 32, 33, 62, 63])})", signed
        if form == "cast":
            to = r.choice(["long", "ulong"])
            return f"({to}){r.choice(['', '', '(int)', '(uint)', '(short)', '(uchar)'])}({a})", to == "long"
        if form == "extreme":
            b, other = self.wide(depth - 1)
            kind = r.choice([own, "long", "ulong"])
            return f"{r.choice(['max', 'min'])}(({kind})({a}), ({kind})({b}))", kind == "long"
        if form == "negative":
            return f"({r.choice(['-', '~'])}{a})", signed
        if form == "abs":
            return f"abs({a})", False
        if form == "builtin":
            b, _ = self.wide(depth - 1)
            name = r.choice(["mul_hi", "hadd", "rhadd", "add_sat", "sub_sat", "rotate", "abs_diff"])
            return f"{name}({a}, ({own})({b}))", signed and name != "abs_diff"
        if form == "count":
            return f"{r.choice(['popcount', 'clz'])}({a})", signed
        b, other = self.wide(depth - 1)
        return f"({self.condition(1)} ? {a} : {b})", signed and other

    def wide_atom(self):
        r = self.r
        raw = [a for a in self.inputs() if a["type"] in ("long", "ulong")]
        if raw and self.chance(0.6):
            a = r.choice(raw)
            return f"{a['name']}[{self.fit(self.index(1), a['cap'])}]", a["type"] == "long"
        form = r.choice(["long", "ulong", "product", "signed", "index"])
        if form == "product":
            return f"((ulong){self.value(1)} * 0x9e3779b97f4a7c15ul)", False
        if form == "signed":
            return f"((long){self.value(1)} - 0x7ffffffel)", True
        if form == "index":
            return f"(long){r.choice(self.atoms).text}", True
        return f"({form}){self.value(1)}", form == "long"

    def wide_place(self, block):
        """A test that may be empty, and an element of a block that a number of 64 bits chooses."""
        r, x = self.r, self.name_of("x")
        text, _ = self.wide(r.choice([1, 2, 2, 3]))
        kind = r.choice(["long", "long", "long", "ulong", "ulong", "int", "short", "char"])
        self.line(f"const {kind} {x} = ({kind})({text});")
        signed, half = kind != "ulong", (block - 1) // 2
        low = (1 << (block.bit_length() - 1)) - 1  # a mask below the block's length
        form = r.choice(["rest", "rest", "rest", "rest", "mask", "clamp", "count", "test", "test", "shift"])
        if form == "rest":
            c = r.choice(["", "l", "ul", "u"])
            if signed and not (c == "ul" or c == "u" and kind != "long"):  # the other operand leaves the sign
                return "", f"({half} + (int)({x} % {half + 1}{c}))"
            return "", f"(int)({x} % {block}{c})"
        if form == "mask":
            return "", f"(int)(({x} {r.choice(['^', '|', '+', '-'])} {r.choice(['1', '1l', '5ul'])}) & {low})"
        if form == "clamp":
            return "", r.choice([f"(int)clamp({x}, ({kind})0, ({kind}){block - 1})", f"(int)min((ulong){x}, {block - 1}ul)",
                                 f"(int)max(min({x}, ({kind}){block - 1}), ({kind})0)"])
        if form == "count":
            return "", f"(int)({r.choice(['popcount', 'clz'])}({x}) % {block})"
        if form == "shift":
            return "", f"(int)((ulong){x} >> {65 - block.bit_length()})" if block > 1 else "0"
        if self.chance(0.7):
            few = self.name_of("x")
            self.line(f"const {kind} {few} = {x} % {2 * block + 3};")
            x = few
        return r.choice([f"if ({x} >= 0 && {x} < {block}) ", f"if ((ulong){x} < {block}) ", f"if ({x} > -1l && {x} <= {block - 1}) "
                         if signed else f"if ({x} <= {block - 1}) "]), f"(int){x}"
