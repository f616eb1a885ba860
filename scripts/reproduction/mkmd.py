# SPDX-License-Identifier: Apache-2.0
"""MKMD's Figures 9 and 10 and Table 1 by running programs. They run on the emulated machine of its Table 2, and on two
halves of this machine's CPU. What is measured is kept in results.json beside the page and can be drawn again."""
import json
import os

from reproduction import mkmd_figures, mkmd_runs


def make(page, options):
    path = os.path.join(page.folder, "results.json")
    if options.redraw:
        with open(path) as file:
            results = json.load(file)
    else:
        results = mkmd_runs.measure(options, lambda partial: save(path, partial))
    page.text("Every number here comes from programs that ran: their results were compared with those of a plain run, "
              "and planning, transfers and the host's own time are in them." +
              (" <b>Quick version</b>: few programs, one repeat each. A look, not a measurement."
               if results["quick"] else ""))
    page.text("A run with more than 1 % overruns (real work that took longer than its emulated time) is <b>void</b>: it "
              "is drawn as an outline, and no mean has it. The same goes for runs that failed, which have no bar. Some "
              "results of the paper are plots only; where a number is in neither its text nor its tables, none is "
              "shown.")
    mkmd_figures.emulated(page, results)
    mkmd_figures.real(page, results)
    mkmd_figures.table_1(page, results)


def save(path, results):
    with open(path + ".new", "w") as file:
        json.dump(results, file, indent=1)
    os.replace(path + ".new", path)
