# SPDX-License-Identifier: Apache-2.0
"""How planning time grows with the number of tasks: HeteroPrio and HEFT on Cholesky, 24 devices. At the
heart of both is a sorted queue, so time per task should grow like log n."""
import math
import os

from reproduction.page import COLOURS, legend_below, line_style, plt
from reproduction.simulator import Simulator

SIZES = [8, 12, 16, 24, 32, 40, 48, 64, 80, 96]
POLICIES = ["heteroprio", "heft"]
REPEATED = 5  # the quickest counts: the rest is the machine's


def make(page, options):
    simulator = Simulator(options.mkmd, os.path.join(page.folder, "inputs"))
    sizes = SIZES[:6] if options.quick else SIZES
    line = {policy: {} for policy in POLICIES}
    for n in sizes:
        found = simulator.run(f"cholesky:{n}", POLICIES * REPEATED)[1]
        for policy in POLICIES:
            line[policy][found[policy]["tasks"]] = found[policy]["planning"]

    figure, (total, each) = plt.subplots(1, 2, figsize=(9.6, 3.9))
    rows = []
    for i, policy in enumerate(POLICIES):
        tasks, seconds = list(line[policy]), list(line[policy].values())
        scale = math.exp(sum(math.log(t / (n * math.log(n))) for n, t in line[policy].items()) / len(tasks))
        fit = [scale * n * math.log(n) for n in tasks]
        total.plot(tasks, [1e3 * t for t in seconds], label=policy, **line_style(i))
        total.plot(tasks, [1e3 * t for t in fit], "--", color=COLOURS[i], linewidth=0.9, label=f"{policy}: c n log n")
        each.plot(tasks, [1e6 * t / n for n, t in line[policy].items()], **line_style(i))
        each.plot(tasks, [1e6 * t / n for n, t in zip(tasks, fit)], "--", color=COLOURS[i], linewidth=0.9)
        large = [(math.log(n), math.log(t)) for n, t in line[policy].items() if n > 1000]
        mx, my = (sum(column) / len(large) for column in zip(*large))
        exponent = sum((x - mx) * (y - my) for x, y in large) / sum((x - mx) ** 2 for x, _ in large)
        worst = max(t / f for t, f in zip(seconds, fit))
        rows += [(policy, n, f"{1e3 * t:.2f}", f"{1e6 * t / n:.3f}", f"{t / f:.2f}")
                 for (n, t), f in zip(line[policy].items(), fit)]
        page.text(f"{policy}: exponent {exponent:.2f} over more than 1,000 tasks (n log n would be "
                  f"{nlogn_exponent(large):.2f}); at most {worst:.2f} times the fitted c n log n.")
        print(f"  {policy}: exponent {exponent:.2f}, n log n has {nlogn_exponent(large):.2f}")
    for axis in (total, each):
        axis.set_xscale("log")
        axis.set_xlabel("tasks")
    total.set_yscale("log")
    total.set_ylabel("planning time, ms")
    each.set_ylabel("planning time per task, µs")
    each.set_ylim(0)
    legend_below(figure, [total], columns=4)
    page.section("Planning time against tasks", "Cholesky on 20 CPUs and 4 GPUs, one core, quickest of "
                 f"{REPEATED} runs.")
    page.figure("planning-time", figure)
    page.table(["policy", "tasks", "ms", "µs per task", "over the fit"], rows)


def nlogn_exponent(points):
    """The slope of n log n between the first and the last of the points (log n, log t)."""
    (a, _), (b, _) = points[0], points[-1]
    return 1 + (math.log(b) - math.log(a)) / (b - a)
