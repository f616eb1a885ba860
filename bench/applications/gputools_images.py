# SPDX-License-Identifier: Apache-2.0
"""gputools: filters, noise removal and transforms of images and volumes."""
import gputools
import numpy as np
from gputools.convolve.median_filter import median_filter
from gputools.denoise import bilateral2, nlm2, nlm3

from results import random, show

gputools.init_device(use_gpu=False)
volume = random(1, 32, 128, 128)
flat = random(2, 512, 512)
window = np.outer(np.hanning(11), np.hanning(11)).astype(np.float32)
steps = {
    "gauss": lambda: gputools.gaussian_filter(volume, (2.0, 3.0, 3.0)),
    "separable": lambda: gputools.convolve_sep2(flat, np.ones(9, np.float32), np.ones(7, np.float32)),
    "convolve": lambda: gputools.convolve(flat, window),
    "uniform": lambda: gputools.uniform_filter(volume, size=5),
    "median": lambda: median_filter(flat, size=5),
    "maximum": lambda: gputools.max_filter(volume, size=5),
    "non-local means": lambda: nlm2(flat, 2.0),
    "non-local means 3D": lambda: nlm3(volume[:16], 2.0, 1, 2),
    "bilateral": lambda: bilateral2(flat, 3, 2.0),
    "scale": lambda: gputools.scale(volume, (1.5, 1.5, 1.5)),
    "rotate": lambda: gputools.rotate(volume, axis=(1, 0, 0), angle=0.3),
}
for name, step in steps.items():
    for _ in range(2):
        result = step()
    show(name, result)
