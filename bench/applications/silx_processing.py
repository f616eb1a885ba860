# SPDX-License-Identifier: Apache-2.0
"""silx: tomography, median filter, convolution, statistics, byte-offset compression, SIFT."""
import numpy as np

from results import random, show, spots


def attempt(name, work):
    try:
        work()
    except Exception as error:  # the same bare and split, or the results differ
        print(f"result {name} raised {type(error).__name__}: {str(error)[:80]}", flush=True)


def tomography():
    from silx.image.phantomgenerator import PhantomGenerator
    from silx.opencl.backprojection import Backprojection
    from silx.opencl.projection import Projection
    phantom = PhantomGenerator.get2DPhantomSheppLogan(256).astype(np.float32)
    angles = np.linspace(0, np.pi, 180, endpoint=False)
    sinogram = Projection(phantom.shape, angles=angles)(phantom)
    show("projection", sinogram)
    back = Backprojection(sinogram.shape, angles=angles)
    for _ in range(3):
        image = back(sinogram)
    show("filtered back projection", image)


def median():
    from silx.opencl.medfilt import MedianFilter2D
    image = spots(1024)
    show("median filter", MedianFilter2D(image.shape, devicetype="CPU").medfilt2d(image, (5, 5)))


def convolution():
    from silx.opencl.convolution import Convolution
    image = spots(1024)
    kernel = np.exp(-np.linspace(-2, 2, 21) ** 2).astype(np.float32)
    for axes in ((1,), (0,)):
        show(f"convolution {axes}", Convolution(image.shape, kernel, axes=axes)(image))
    flat = np.outer(kernel[:9], kernel[:9]).astype(np.float32)
    show("convolution 2D", Convolution(image.shape, flat)(image))


def statistics():
    from silx.opencl.statistics import Statistics
    show("statistics", np.array(Statistics(template=spots(1024))(spots(1024)), dtype=np.float64))


def gradient():
    from silx.opencl.linalg import LinAlg
    image = spots(1024)
    algebra = LinAlg(image.shape)
    show("gradient", algebra.gradient(image, return_to_host=True))
    show("divergence", algebra.divergence(algebra.d_gradient, return_to_host=True))


def compression():
    from silx.opencl.codec.byte_offset import ByteOffset
    values = (random(3, 1 << 20) * 50).astype(np.int32)
    codec = ByteOffset(len(values) * 2, len(values))
    packed = codec.encode(values).get()
    show("byte offset, packed", packed)
    show("byte offset, unpacked", codec(packed.tobytes()).get())


def sift():
    from silx.opencl.sift import SiftPlan
    image = spots(512)
    found = SiftPlan(template=image, devicetype="CPU").keypoints(image)
    show("SIFT", np.sort(np.stack([found.x, found.y, found.scale, found.angle], axis=1), axis=0))


for task in (tomography, median, convolution, statistics, gradient, compression, sift):
    attempt(task.__name__, task)
