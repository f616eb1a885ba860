# SPDX-License-Identifier: Apache-2.0
"""What a work-group shares in its local memory: elements of buffers, and numbers that its work-items change together."""
from expressions import Index


class LocalMemory:
    """A part of grammar.Kernel, beside Expressions."""

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
