# SPDX-License-Identifier: Apache-2.0
"""pyclesperanto and its prototype: cells of an image are found, labelled and measured."""
import numpy as np
import pyclesperanto
import pyclesperanto_prototype

from results import show, spots

flat = spots(768, count=150)
solid = np.stack([spots(192, count=20, seed=s) for s in range(24)])


def cells(name, cle):
    def see(step, image):
        show(f"{name} {step}", np.asarray(cle.pull(image)))

    image, volume = cle.push(flat), cle.push(solid)
    blurred = cle.gaussian_blur(image, sigma_x=2, sigma_y=2)
    see("blur", blurred)
    see("top hat", cle.top_hat_box(blurred, radius_x=12, radius_y=12))
    binary = cle.threshold_otsu(blurred)
    see("threshold", binary)
    see("labels", (getattr(cle, "connected_components_labeling_box", None) or cle.connected_components_labeling)(binary))
    see("Voronoi-Otsu", cle.voronoi_otsu_labeling(image, spot_sigma=4, outline_sigma=1))
    see("maxima", cle.detect_maxima_box(blurred, radius_x=3, radius_y=3))
    see("edges", cle.sobel(blurred))
    see("mean filter", cle.mean_sphere(image, radius_x=4, radius_y=4))
    see("blur 3D", cle.gaussian_blur(volume, sigma_x=2, sigma_y=2, sigma_z=1))
    see("projection", cle.maximum_z_projection(volume))


for name, cle in (("new", pyclesperanto), ("prototype", pyclesperanto_prototype)):
    cle.select_device()
    cells(name, cle)
