# SPDX-License-Identifier: Apache-2.0
"""Policies and bounds in the simulator, beside what their papers report. No device is used."""
import os

from reproduction import embedded_figures, matrix_figures, tiled_figures
from reproduction.simulator import Simulator


def make(page, options):
    page.text("Everything here comes from <code>mkmd simulate</code>: published algorithms on generated graphs, "
              "with planning times of the machine this page was made on. Dashed lines and ticks are limits that no "
              "schedule can beat.")
    simulator = Simulator(options.mkmd, os.path.join(page.folder, "inputs"))
    matrix_figures.make_figures(page, simulator)
    tiled_figures.make_figures(page, simulator, options)
    embedded_figures.make_figures(page, simulator, options)
