# SPDX-License-Identifier: Apache-2.0
"""What the workloads share: inputs that are the same in every run, and one line for each result."""
import hashlib

import numpy as np


def random(seed, *shape, dtype=np.float32):
    return np.random.default_rng(seed).random(shape).astype(dtype)


def spots(size, count=200, seed=7, width=6.0):
    """An image of bright spots on noise, as microscopes and detectors see."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    image = rng.random((size, size), dtype=np.float32) * 10
    for cy, cx in rng.random((count, 2)) * size:
        y0, y1 = max(0, int(cy - 4 * width)), min(size, int(cy + 4 * width))
        x0, x1 = max(0, int(cx - 4 * width)), min(size, int(cx + 4 * width))
        part = np.s_[y0:y1, x0:x1]
        image[part] += 200 * np.exp(-((y[part] - cy) ** 2 + (x[part] - cx) ** 2) / (2 * width * width))
    return image


def show(name, array):
    """One line: a hash of all bytes, and the sum for whoever reads it."""
    array = np.ascontiguousarray(array)
    digest = hashlib.sha256(array.tobytes()).hexdigest()[:16]
    total = float(np.sum(array.astype(np.complex128).view(np.float64))) if array.size else 0.0
    print(f"result {name} {array.dtype}{list(array.shape)} {digest} sum {total:.9g}", flush=True)
