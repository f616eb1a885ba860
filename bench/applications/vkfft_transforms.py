# SPDX-License-Identifier: Apache-2.0
"""pyvkfft: Fourier transforms of several shapes."""
import numpy as np
import pyopencl as cl
import pyopencl.array
from pyvkfft.fft import fftn, ifftn, rfftn, dctn
from pyvkfft.opencl import VkFFTApp

from results import random, show

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
for shape in ((1 << 18,), (512, 512), (300, 420), (64, 64, 64), (97, 128), (16, 4096)):
    data = cl.array.to_device(queue, (random(1, *shape) + 1j * random(2, *shape)).astype(np.complex64))
    app = VkFFTApp(data.shape, data.dtype, queue, ndim=len(shape))
    for _ in range(4):
        app.fft(data)
    show(f"forward {shape}", data.get())
    app.ifft(data)
    show(f"back {shape}", data.get())
