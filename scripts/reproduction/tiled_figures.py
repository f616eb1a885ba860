# SPDX-License-Identifier: Apache-2.0
"""HeteroPrio's Figures 10, 12, 13, 15 and 16: tiled factorisations on 20 CPUs and 4 GPUs, and how long
planning takes when graphs grow. As in the paper, the best of an algorithm's ranking schemes counts."""
import math

from matplotlib.ticker import FixedLocator, NullFormatter, ScalarFormatter

from reproduction.page import line_style, legend_below, plt
from reproduction.published import HETEROPRIO

KINDS = ["cholesky", "lu", "qr"]
TITLES = {"cholesky": "Cholesky", "lu": "LU", "qr": "QR"}
RANKS = ["min", "avg", "area"]
ALGORITHMS = {  # name: its ranking schemes, in the order of the legend
    "heteroprio": RANKS, "heft": RANKS, "dualhp": RANKS + ["fifo"],
    "balanced-estimate": RANKS + ["fifo", "lpt"], "balanced-makespan": RANKS + ["fifo", "lpt"],
    "area-list": [None], "area-list-steal": [None],
}
VARIANTS = {"heteroprio": RANKS, "heteroprio-dep": RANKS, "heteroprio-indep": RANKS}
INDEPENDENT = {"heteroprio": ["min"], "heteroprio-indep": ["min"], "heft": ["min"], "dualhp": ["min"],
               "balanced-estimate": ["lpt"], "balanced-makespan": ["lpt"]}
STYLE = {name: i for i, name in enumerate(
    ["heteroprio", "heft", "dualhp", "balanced-estimate", "balanced-makespan", "area-list", "area-list-steal",
     "heteroprio-dep", "heteroprio-indep"])}


def spec(name, rank):
    return name if rank is None else f"{name}:rank={rank}"


class Measured:
    """Makespan over bound, idle time and planning time: results[kind][algorithm][N]."""

    def __init__(self, simulator, sizes, seconds, form=""):
        self.simulator, self.sizes, self.seconds, self.form = simulator, sizes, seconds, form
        self.results = {kind: {} for kind in KINDS}
        self.bounds = {kind: {} for kind in KINDS}

    def add(self, algorithms):
        for kind in KINDS:
            for n in self.sizes:
                if n not in self.bounds[kind]:
                    graph = f"{kind}:{n}{self.form}"
                    self.bounds[kind][n] = self.simulator.run(graph, ["heft"], bounds="mixed")[0]["mixed"]
            for name, ranks in algorithms.items():
                self.results[kind][name] = self.line(kind, name, ranks)

    def line(self, kind, name, ranks):
        """Ends where the next size would take longer than wanted, as far as the last two sizes tell."""
        points, ranks = {}, list(ranks)
        for n in self.sizes:
            costs = [(m, points[m]["planning"]) for m in points]
            if len(costs) > 1 and costs[-1][1] > 0.02:
                growth = math.log(costs[-1][1] / costs[-2][1]) / math.log(costs[-1][0] / costs[-2][0])
                next_cost = costs[-1][1] * (n / costs[-1][0]) ** min(max(growth, 3), 7)
                if next_cost > self.seconds:
                    break
                if next_cost * len(ranks) > self.seconds:
                    ranks = ranks[:1]
            again = 3 if not costs or costs[-1][1] < 0.1 else 1  # short planning is timed more than once
            wanted = [spec(name, r) for r in ranks] + [spec(name, ranks[0])] * (again - 1)
            found = self.simulator.run(f"{kind}:{n}{self.form}", wanted)[1]
            best = min(found.values(), key=lambda r: r["makespan"])
            points[n] = {**best, "planning": found[spec(name, ranks[0])]["planning"],
                         "ratio": best["makespan"] / self.bounds[kind][n]["seconds"]}
        return points

    def ratios(self, kind, name):
        return {n: p["ratio"] for n, p in self.results[kind][name].items()}

    def worst(self, name, kind=None):
        return max(r for k in KINDS if kind in (None, k) for r in self.ratios(k, name).values())


def tile_axis(axis, sizes, label=True):
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_locator(FixedLocator([n for n in (4, 8, 12, 16, 20, 32, 48, 64) if n <= max(sizes)]))
    axis.xaxis.set_major_formatter(ScalarFormatter())
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.xaxis.set_minor_locator(FixedLocator([]))
    if label:
        axis.set_xlabel("tiles N")


def panels_by_kind(measured, names, value, ylabel, limit=None):
    figure, axes = plt.subplots(1, 3, figsize=(10.2, 3.7), sharey=True)
    for axis, kind in zip(axes, KINDS):
        for name in names:
            points = {n: value(kind, name, n) for n in measured.results[kind][name]}
            axis.plot(list(points), list(points.values()), label=name, **line_style(STYLE[name]))
        if limit is not None:
            axis.axhline(limit, color="#444444", linewidth=1, linestyle="--", label="lower bound")
        tile_axis(axis, measured.sizes)
        axis.set_title(TITLES[kind])
    axes[0].set_ylabel(ylabel)
    legend_below(figure, axes)
    return figure


def figure_10(page, simulator, options):
    sizes = [4, 8, 12, 16] if options.quick else [4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 40, 64]
    measured = Measured(simulator, sizes, 0.1 if options.quick else 5, ",independent")
    measured.add(INDEPENDENT)
    figure, axis = plt.subplots(figsize=(7.4, 4.2))
    mean = {}
    for name in INDEPENDENT:
        common = [n for n in sizes if all(n in measured.results[k][name] for k in KINDS)]
        mean[name] = {n: sum(measured.ratios(k, name)[n] for k in KINDS) / 3 for n in common}
        style = line_style(STYLE[name])
        if name == "heteroprio-indep":
            style.update(linestyle=":", markerfacecolor="none", markersize=8)
        axis.plot(list(mean[name]), list(mean[name].values()), label=name, **style)
    axis.axhline(1, color="#444444", linewidth=1, linestyle="--", label="area bound")
    tile_axis(axis, sizes)
    axis.set_ylabel("makespan / area bound")
    legend_below(figure, [axis], columns=4)
    page.section("Independent tasks (Figure 10)", HETEROPRIO + ", Section 7.1; mean of the three factorisations.")
    page.figure("heteroprio-10", figure)
    apart = max(abs(mean["heteroprio"][n] - mean["heteroprio-indep"][n]) for n in mean["heteroprio"])
    page.beside([
        ("HeteroPrio and HeteroPrioIndep", "the same line", f"at most {apart:.3f} apart"),
        ("all but HEFT and CYZ-5 for large N", "close to the bound",
         ", ".join(f"{name} {list(line.values())[-1]:.3f} at N = {list(line)[-1]}"
                   for name, line in mean.items() if name != "heft")),
        ("HEFT for large N", "stays poor", f"{list(mean['heft'].values())[-1]:.3f} at N = {max(mean['heft'])}"),
        ("N = 8: HeteroPrioIndep, BalancedMakespan / BalancedEstimate, DualHP", "the first two are better",
         " / ".join(", ".join(f"{mean[n][8]:.3f}" for n in pair) for pair in
                    [("heteroprio-indep", "balanced-makespan"), ("balanced-estimate", "dualhp")])),
    ])
    page.text("Lines end where planning would take too long for this page. CYZ-5 is left out everywhere: the "
              "thresholds of its rules are not in print where we could find them (docs/scheduling.md).")


def make_figures(page, simulator, options):
    figure_10(page, simulator, options)
    sizes = [4, 8, 12, 16, 20] if options.quick else [4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 64]
    measured = Measured(simulator, sizes, 0.1 if options.quick else 4)
    measured.add(VARIANTS)
    measured.add(ALGORITHMS)

    source = HETEROPRIO + ", Section 7.2; 20 CPUs and 4 GPUs, tiles of 960, best ranking scheme of each."
    ratio = lambda kind, name, n: measured.results[kind][name][n]["ratio"]
    page.section("Variants of HeteroPrio on task graphs (Figure 12)", source)
    page.figure("heteroprio-12", panels_by_kind(measured, VARIANTS, ratio, "makespan / mixed bound", 1))
    between = [n for n in sizes if 10 <= n <= 40]
    best = sum(ratio(k, "heteroprio", n) <= min(ratio(k, v, n) for v in VARIANTS) + 1e-9
               for k in KINDS for n in between)
    least = sum(measured.results[k]["heteroprio"][n]["policy"].endswith("min") for k in KINDS for n in sizes)
    page.beside([
        ("the generic version for N of 10 to 40", "best of the three", f"in {best} of {3 * len(between)} cases"),
        ("ranking scheme", "min is best in most cases", f"in {least} of {3 * len(sizes)} cases"),
    ])

    page.section("All algorithms on task graphs (Figure 13)", source)
    page.figure("heteroprio-13", panels_by_kind(measured, ALGORITHMS, ratio, "makespan / mixed bound", 1))
    rows = [(f"HeteroPrio, worst over N, {TITLES[k]}", "≤ 1.30", f"{measured.worst('heteroprio', k):.3f}")
            for k in KINDS]
    rows += [(f"{name}, worst over all", "≤ 1.30", f"{measured.worst(name):.3f}")
             for name in ("heft", "area-list-steal")]
    rows += [(f"{name}, worst, Cholesky / QR", text,
              f"{measured.worst(name, 'cholesky'):.3f} / {measured.worst(name, 'qr'):.3f}")
             for name, text in (("balanced-estimate", "1.25 / 1.4"), ("balanced-makespan", "1.25 / 1.4"),
                                ("dualhp", "1.25 / 1.7"))]
    if 32 in sizes:
        rows.append(("HeteroPrio at N = 32", "reaches the bound",
                     ", ".join(f"{ratio(k, 'heteroprio', 32):.3f}" for k in KINDS)))
    better = [f"{TITLES[k]} {n}" for k in KINDS for n in measured.results[k]["heft"]
              if ratio(k, "heft", n) < ratio(k, "heteroprio", n) - 1e-9]
    rows.append(("HEFT better than HeteroPrio", "LU, N = 8 to 20", ", ".join(better) or "never"))
    page.beside(rows)
    page.text("Kernel times other than Cholesky's acceleration factors are not in the paper: those of LU and QR "
              "are this repository's (scheduler/generators/tiled.cpp), so shapes are comparable, digits are not.")

    page.section("Idle time (Figure 15)", source + " Idle time of a class over its work in the bound's solution.")
    figure, axes = plt.subplots(2, 3, figsize=(10.2, 5.8), sharex=True, sharey="row")
    for row, device_class in enumerate(("GPU", "CPU")):
        for axis, kind in zip(axes[row], KINDS):
            for name in ALGORITHMS:
                points = {}
                for n, p in measured.results[kind][name].items():
                    work = measured.bounds[kind][n]["work"][device_class]
                    if work > 0:
                        points[n] = p["idle"][device_class] / work
                axis.plot(list(points), list(points.values()), label=name, **line_style(STYLE[name]))
            tile_axis(axis, sizes, row == 1)
            if row == 0:
                axis.set_title(TITLES[kind])
        axes[row][0].set_ylim(0, 2)
        axes[row][0].set_ylabel(f"{device_class}s: idle / work in the bound")
    legend_below(figure, axes.flat)
    page.figure("heteroprio-15", figure)
    page.text("Where the bound gives a class next to nothing to do (CPUs for small N) the ratio has no meaning; the "
              "axis ends at 2.")
    largest = max(n for n in sizes if n <= 24 and all(n in measured.results[k][a]
                                                      for k in KINDS for a in ALGORITHMS))
    idle = lambda name, c: sum(measured.results[k][name][largest]["idle"][c] /
                               max(measured.bounds[k][largest]["work"][c], 1e-12) for k in KINDS) / 3
    page.beside([
        (f"GPUs at N = {largest}", "AreaList wastes most",
         ", ".join(f"{n} {idle(n, 'GPU'):.2f}" for n in ALGORITHMS)),
        (f"CPUs at N = {largest}", "DualHP and Balanced waste more than HEFT and HeteroPrio",
         ", ".join(f"{n} {idle(n, 'CPU'):.2f}" for n in ALGORITHMS)),
    ])
    planning_figure(page, measured, sizes)


def planning_figure(page, measured, sizes):
    page.section("Planning time (Figure 16)", HETEROPRIO + ", Section 7.2; one ranking scheme, one core, mean of "
                 "the three factorisations.")
    figure, axis = plt.subplots(figsize=(7.4, 4.4))
    line = {}
    for name in ALGORITHMS:
        common = [n for n in sizes if all(n in measured.results[k][name] for k in KINDS)]
        line[name] = {n: sum(measured.results[k][name][n]["planning"] for k in KINDS) / 3 for n in common}
        axis.plot(list(line[name]), list(line[name].values()), label=name, **line_style(STYLE[name]))
    tile_axis(axis, sizes)
    axis.set_yscale("log")
    axis.set_ylabel("seconds")
    legend_below(figure, [axis], columns=4)
    page.figure("heteroprio-16", figure)
    last = max(line["heteroprio"])
    longest = max((max(l.items()), name) for name, l in line.items() if name.startswith("balanced"))
    page.beside([
        ("most algorithms, largest graphs", "less than 1 s",
         ", ".join(f"{name} {l[last]:.3g} s" for name, l in line.items() if last in l) + f" at N = {last}"),
        ("Balanced algorithms", "up to 10 s", f"{longest[0][1]:.2g} s at N = {longest[0][0]} ({longest[1]}); "
         "the line ends where it would take longer than this page allows"),
        ("AreaList", "quick, without the linear program it needs",
         "with it: nothing to solve once the area bound has no path that is too long"),
    ])
