# SPDX-License-Identifier: Apache-2.0
"""OpenCV's transparent API: filters, geometry, colours and products of UMat."""
import os

os.environ["OPENCV_OPENCL_DEVICE"] = ":CPU:"
import cv2
import numpy as np

from results import random, show, spots

cv2.ocl.setUseOpenCL(True)
assert cv2.ocl.useOpenCL()
image = cv2.UMat(np.clip(spots(1024), 0, 255).astype(np.uint8))
real = cv2.UMat(spots(1024))
colour = cv2.UMat((random(1, 720, 1280, 3) * 255).astype(np.uint8))
turn = cv2.getRotationMatrix2D((512, 512), 30, 0.9)
square = cv2.UMat(random(4, 512, 512))
steps = {
    "gauss": lambda: cv2.GaussianBlur(image, (9, 9), 2),
    "gauss, real": lambda: cv2.GaussianBlur(real, (9, 9), 2),
    "box": lambda: cv2.blur(image, (7, 7)),
    "median": lambda: cv2.medianBlur(image, 5),
    "bilateral": lambda: cv2.bilateralFilter(image, 7, 30, 30),
    "sobel": lambda: cv2.Sobel(image, cv2.CV_16S, 1, 0),
    "laplace": lambda: cv2.Laplacian(real, cv2.CV_32F, ksize=3),
    "canny": lambda: cv2.Canny(image, 40, 120),
    "erode": lambda: cv2.erode(image, np.ones((5, 5), np.uint8)),
    "dilate": lambda: cv2.dilate(image, np.ones((5, 5), np.uint8)),
    "resize": lambda: cv2.resize(colour, (640, 360), interpolation=cv2.INTER_AREA),
    "enlarge": lambda: cv2.resize(colour, (1920, 1080), interpolation=cv2.INTER_LINEAR),
    "warp": lambda: cv2.warpAffine(image, turn, (1024, 1024)),
    "pyramid": lambda: cv2.pyrDown(image),
    "grey": lambda: cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY),
    "hsv": lambda: cv2.cvtColor(colour, cv2.COLOR_BGR2HSV),
    "lab": lambda: cv2.cvtColor(colour, cv2.COLOR_BGR2Lab),
    "equalise": lambda: cv2.equalizeHist(image),
    "clahe": lambda: cv2.createCLAHE(2.0, (8, 8)).apply(image),
    "threshold": lambda: cv2.threshold(image, 80, 255, cv2.THRESH_BINARY)[1],
    "adaptive": lambda: cv2.adaptiveThreshold(image, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 11, 2),
    "integral": lambda: cv2.integral(image),
    "transform": lambda: cv2.dft(square, flags=cv2.DFT_COMPLEX_OUTPUT),
    "product": lambda: cv2.gemm(square, square, 1.0, None, 0.0),
    "exponent": lambda: cv2.exp(square),
    "weighted": lambda: cv2.addWeighted(real, 0.5, real, 0.25, 3.0),
    "absolute difference": lambda: cv2.absdiff(image, cv2.UMat(np.full((1024, 1024), 9, np.uint8))),
    "match": lambda: cv2.matchTemplate(image, cv2.UMat(np.clip(spots(1024), 0, 255).astype(np.uint8)[:16, :16]),
                                       cv2.TM_CCOEFF_NORMED),
    "transpose": lambda: cv2.transpose(real),
    "flip": lambda: cv2.flip(colour, 1),
    "non-local means": lambda: cv2.fastNlMeansDenoising(cv2.UMat((random(8, 256, 256) * 255).astype(np.uint8)), None, 5),
}
for name, step in steps.items():
    for _ in range(3):
        result = step()
    show(name, result.get())
flow = cv2.calcOpticalFlowFarneback(image, cv2.UMat(np.roll(image.get(), 3, axis=1)), None, 0.5, 3, 15, 3, 5, 1.2, 0)
show("optical flow", flow.get())
