# SPDX-License-Identifier: Apache-2.0
"""Stores at the places that an index buffer says. Each place comes once, or several times with the same number."""
from expressions import SIZES


class Scatter:
    """A part of grammar.Kernel, beside Expressions."""

    def scatter(self):
        r = self.r
        kind = r.choice(["uint", "uint", "int", "ulong"])
        if SIZES[kind] * self.items > self.limit:
            return
        repeats, index, at = self.chance(0.4), self.name_of("n"), self.name_of("at")
        self.args.append({"kind": "permutation", "decl": f"{r.choice(['__global', '__constant'])} const int* ", "name": index,
                          "items": self.items, "bytes": 4 * self.items, "repeats": repeats})
        through = self.shared_argument(kind, self.name_of("o"), "", self.items)
        place = f"{r.choice(through)}[{at}]"
        self.line(f"const int {at} = {index}[i];")
        if repeats:  # in whichever order
            self.line(r.choice([f"{place} = ({kind}){at} * 3;", f"if ({self.condition()}) {place} = ({kind}){at};"]))
            return
        value = f"({kind}){self.value(1)}"
        self.line(r.choice([f"{place} = {value};", f"if ({self.condition()}) {place} = {value};",
                            f"{place} = {value} + {r.choice(through)}[{at}];",
                            f"for (int {at}_ = 0; {at}_ < 2; ++{at}_) {place} = {value} + {place};"]))
