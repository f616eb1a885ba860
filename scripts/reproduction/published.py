# SPDX-License-Identifier: Apache-2.0
"""Numbers the papers report in their text and tables; what only their plots show is not here."""

HETEROPRIO = ("Beaumont, Eyraud-Dubois, Kumar: Fast Approximation Algorithms for Task-Based Runtime Systems. "
              "Concurrency and Computation: Practice and Experience 30(17), 2018")
MKMD = "Lee, Samadi, Mahlke: Orchestrating Multiple Data-Parallel Kernels on Multiple Devices. PACT 2015"
EMSOFT = ("Zhou, Liu: Task Mapping in Heterogeneous Embedded Systems for Fast Completion Time. EMSOFT 2014")

# MKMD, Section 6.1: speed-ups over in-order execution on the fastest device, by benchmark where given.
MKMD_MEAN_SPEEDUP = 1.89
MKMD_COARSE_SHARE_OF_GAIN = 0.52
MKMD_SPEEDUP = {"BiCGSTAB": 1.12, "Jacobi": 1.12, "Stein": 1.9, "SVD": 1.9}
MKMD_UTILISATION = {"in order": 0.30, "mkmd": 0.94}
MKMD_OVERHEAD_SECONDS = 10e-3  # upper limit for all benchmarks
MKMD_OVERHEAD_SHARE = {"BiCGSTAB": 0.064, "Jacobi": 0.042}
MKMD_OVERHEAD_SHARE_OF_OTHERS = 0.001
# Table 1: the cost function as found by their compiler, and two mean errors of predicted times in % on a GTX 760. They
# are those after 20 and after 40 profiled runs, over 100 random inputs and work-group sizes.
MKMD_TABLE_1 = {"blackscholes": ("8th argument", 2.12, 1.27), "nbody": ("8th argument / local size", 1.72, 1.23),
                "matrixmul": ("6th argument", 1.4, 0.9), "fdtd3d": ("6th argument", 1.98, 1.45),
                "sobel": ("1", 1.18, 0.97), "median": ("1", 1.06, 0.98),
                "kmeans": ("4th argument · 5th argument", 1.42, 1.18)}

# Zhou and Liu, Table 3: (applications, exact ms, best of their three ms).
EMSOFT_TABLE_3 = [("case study × 5", 318.52, 330.28), ("va + xgemm + increment × 5", 758.19, 868.61),
                  ("xgemm + fblock + pi × 2", 7176.68, 9975.14)]
# Section 5.3, computation-intensive, large, three devices: gain over dmdar is more than this.
EMSOFT_GAIN_LARGE = {"h-ratio": 0.15, "d-rank": 0.10, "ad-part": 1.10}
