# SPDX-License-Identifier: Apache-2.0
"""pyFAI: azimuthal integration of detector images, by look-up tables and by histograms."""
import numpy as np
from pyFAI.integrator.azimuthal import AzimuthalIntegrator
from pyFAI.detectors import Detector

from results import show, spots

size = 1024
image = spots(size)
detector = Detector(pixel1=1e-4, pixel2=1e-4, max_shape=(size, size))
integrator = AzimuthalIntegrator(dist=0.1, poni1=0.051, poni2=0.05, wavelength=1e-10,
                                                            detector=detector)
for split, algorithm in (("bbox", "csr"), ("bbox", "lut"), ("no", "csr"), ("no", "histogram")):
    for _ in range(3):
        radial, intensity = integrator.integrate1d(image, 500, unit="q_A^-1", polarization_factor=0.9,
                                                   method=(split, algorithm, "opencl"))
    show(f"1D {split} {algorithm}", intensity)
flat = integrator.integrate2d(image, 300, 180, method=("bbox", "csr", "opencl"))
show("2D csr", flat.intensity)
for _ in range(2):
    clipped = integrator.sigma_clip_ng(image, 500, method=("no", "csr", "opencl"), thres=3)
show("sigma clip", clipped.intensity)
