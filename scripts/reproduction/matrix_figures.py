# SPDX-License-Identifier: Apache-2.0
"""MKMD's Figures 9 and 10: eleven matrix equations on one CPU and two GPUs."""
import math

from reproduction import published
from reproduction.page import COLOURS, legend_below, plt

EQUATIONS = ["ABE", "BiCGSTAB", "Commutator", "GABE", "Gramian", "Jacobi", "Lyapunov", "CARE", "Stein", "SVD",
             "Sylvester"]
POLICIES = ["mkmd-coarse", "mkmd", "mkmd-slices", "mkmd-malleable", "mkmd-online"]
IN_ORDER = "single:1"  # the GTX 760
REPEATED = 5           # planning is timed this often, the quickest counts


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def bars(axis, series, labels):
    """Groups of bars: series is {name: [value by group]}."""
    width = 0.8 / len(series)
    for i, (name, values) in enumerate(series.items()):
        axis.bar([g + (i - (len(series) - 1) / 2) * width for g in range(len(values))], values, width * 0.92,
                 color=COLOURS[i], label=name)
    axis.set_xticks(range(len(labels)), labels, rotation=30, ha="right")
    axis.grid(axis="x", visible=False)
    axis.set_xlim(-0.6, len(labels) - 0.4)


def make_figures(page, simulator):
    runs, limit = {}, {}
    for equation in EQUATIONS:
        bounds, runs[equation] = simulator.run(f"mkmd:{equation}", [IN_ORDER] + POLICIES * REPEATED,
                                               bounds="transfers")
        limit[equation] = runs[equation][IN_ORDER]["makespan"] / bounds["area + transfers"]["seconds"]
    speedup = {p: {e: runs[e][IN_ORDER]["makespan"] / runs[e][p]["makespan"] for e in EQUATIONS} for p in POLICIES}
    source = published.MKMD + ", Section 6.1; 4096 × 4096, simulated i7-3770, GTX 760, GTX 750 Ti."

    labels = EQUATIONS + ["geo. mean"]
    figure, axis = plt.subplots(figsize=(10.2, 4.2))
    bars(axis, {p: [*speedup[p].values(), mean(speedup[p].values())] for p in POLICIES}, labels)
    limits = [*limit.values(), mean(limit.values())]
    axis.hlines(limits, [g - 0.45 for g in range(12)], [g + 0.45 for g in range(12)], color="#222222",
                linestyle="--", linewidth=1, label="limit")
    known = {**published.MKMD_SPEEDUP, "geo. mean": published.MKMD_MEAN_SPEEDUP}
    mkmd_bar = (POLICIES.index("mkmd") - (len(POLICIES) - 1) / 2) * 0.8 / len(POLICIES)
    axis.plot([labels.index(e) + mkmd_bar for e in known], list(known.values()), linestyle="none", marker="D",
              markeredgecolor="#222222", markerfacecolor="#f5e663", markersize=6, label="published (mkmd)")
    axis.axhline(1, color="#222222", linewidth=0.8)
    axis.set_ylabel("speed-up over in-order on the GTX 760")
    legend_below(figure, [axis], columns=7, extra=0.02)
    page.section("Speed-up of eleven matrix equations (Figure 9a)", source +
                 " The limit is the area bound with transfers, a linear program.")
    page.figure("mkmd-9a", figure)
    coarse, fine = (mean(speedup[p].values()) for p in ("mkmd-coarse", "mkmd"))
    rows = [("mkmd, geometric mean", published.MKMD_MEAN_SPEEDUP, f"{fine:.3f}"),
            ("share of the gain by coarse scheduling", f"{published.MKMD_COARSE_SHARE_OF_GAIN:.0%}",
             f"{(coarse - 1) / (fine - 1):.0%}")]
    rows += [(f"mkmd, {e}", s, f"{speedup['mkmd'][e]:.2f}") for e, s in published.MKMD_SPEEDUP.items()]
    rows += [(f"{p}, geometric mean", "–", f"{mean(speedup[p].values()):.3f}") for p in POLICIES[2:]]
    rows += [("limit, geometric mean", "–", f"{limits[-1]:.3f}")]
    page.beside(rows)

    idle = {"in order": [runs[e][IN_ORDER]["idle_share"] for e in EQUATIONS]}
    idle.update({p: [runs[e][p]["idle_share"] for e in EQUATIONS] for p in POLICIES if p != "mkmd-slices"})
    figure, axis = plt.subplots(figsize=(10.2, 3.4))
    bars(axis, {p: [100 * x for x in values] for p, values in idle.items()}, EQUATIONS)
    axis.set_ylabel("idle, % of device time")
    legend_below(figure, [axis], columns=6, extra=0.02)
    page.section("Idle time (Figure 9b)", source)
    page.figure("mkmd-9b", figure)
    page.beside([(f"devices in use, geometric mean, {name}", f"{share:.0%}",
                  f"{mean(1 - x for x in idle[name]):.0%}")
                 for name, share in published.MKMD_UTILISATION.items()])

    figure, axis = plt.subplots(figsize=(10.2, 3.4))
    planning = {p: [1e3 * runs[e][p]["planning"] for e in EQUATIONS] for p in POLICIES}
    bars(axis, planning, EQUATIONS)
    axis.axhline(1e3 * published.MKMD_OVERHEAD_SECONDS, color="#222222", linestyle="--", linewidth=1,
                 label="published: less than this")
    axis.set_yscale("log")
    axis.set_ylabel("planning time, ms")
    legend_below(figure, [axis], columns=6, extra=0.02)
    page.section("Scheduling overhead (Figure 10)", source + " mkmd-online plans while things run: its time is that "
                 "of the whole simulation.")
    page.figure("mkmd-10", figure)
    share = {e: runs[e]["mkmd"]["planning"] / runs[e]["mkmd"]["makespan"] for e in EQUATIONS}
    others = max(x for e, x in share.items() if e not in published.MKMD_OVERHEAD_SHARE)
    page.beside([("longest, mkmd", "< 10 ms", f"{max(planning['mkmd']):.2f} ms")] +
                [(f"share of the run, {e}, mkmd", f"{s:.1%}", f"{share[e]:.2%}")
                 for e, s in published.MKMD_OVERHEAD_SHARE.items()] +
                [("share of the run, others, mkmd", f"< {published.MKMD_OVERHEAD_SHARE_OF_OTHERS:.1%}",
                  f"≤ {others:.3%}")])
