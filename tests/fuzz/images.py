# SPDX-License-Identifier: Apache-2.0
"""Images that kernels read and write. Each work-item writes pixels of its own."""

from expressions import Index

IMAGE = (16, 12)  # pixels of CL_RGBA, CL_UNSIGNED_INT8


class Images:
    """A part of grammar.Kernel, beside Expressions."""

    def images(self):
        for _ in range(self.r.choice([1, 1, 2])):
            if self.chance(0.6):
                self.write_pixels()
            else:
                self.read_pixel()

    def image_argument(self, writes):
        n = self.name_of("m")
        self.args.append({"kind": "image", "decl": f"{'write_only' if writes else 'read_only'} image2d_t ", "name": n,
                          "writes": writes})
        if self.chance(0.6):
            size = self.name_of("s")
            d = self.r.randrange(2)
            self.line(f"const int {size} = get_image_{'height' if d else 'width'}({n});")
            self.atoms.append(Index(size, IMAGE[d], IMAGE[d]))
            v = self.name_of("v")
            self.line(f"uint {v} = {self.element(Index(f'(i + {size})', IMAGE[d], self.items - 1 + IMAGE[d]))};")
            self.known(v)
        return n

    def write_pixels(self):
        n = self.image_argument(True)
        condition, place = self.r.choice(self.pixels_of_an_item(n))
        self.line(f"if ({condition}) write_imageui({n}, (int2)({place}), "
                  f"(uint4)({self.value(1)} & 255u, 1u, (uint)i & 255u, 7u));")

    def pixels_of_an_item(self, n):
        """Conditions and the pixel then written, which no other work-item writes; or a loop and its pixels."""
        w, h = IMAGE
        places = [(f"i < {w * h}", p) for p in (
            f"i % {w}, i / {w}", f"i % get_image_width({n}), i / get_image_width({n})", f"i / {h}, i % {h}",
            f"{w - 1} - i % {w}, {h - 1} - i / {w}", f"(i & {w - 1}) ^ 1, i >> 4")]
        if self.dims == 1:
            places += [(f"x < {h}) for (int k = 0; k < {w}; ++k", "k, x"), (f"x < {w}) for (int k = 0; k < {h}; ++k", "x, k"),
                       (f"x < {h // 2}) for (int k = 0; k < {2 * w}; ++k", f"k % {w}, 2 * x + k / {w}")]
        if self.dims == 2:
            inside = f"x < {w} && y < {h}"
            places += [(inside, p) for p in (
                "x, y", "x, y", f"{w - 1} - x, {h - 1} - y", f"(x + 5) % {w}, y", f"x, (y + 7) % {h}", "x ^ 1, y",
                f"get_image_dim({n}) - 1 - (int2)(x, y)")]
            places += [(f"x < get_image_width({n}) && y < get_image_height({n})", "x, y"), (f"x < {h} && y < {w}", "y, x"),
                       (f"x < {w // 2} && y < {h // 2}", "2 * x + 1, 2 * y")]
        return places

    def read_pixel(self):
        n, v = self.image_argument(False), self.name_of("v")
        sampler = "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST"
        self.line(f"const sampler_t {n}s = {sampler};")
        self.line(f"uint {v} = read_imageui({n}, {n}s, (int2)({self.index(1).text}, {self.index(1).text})).{self.r.choice('xyzw')};")
        self.known(v)
