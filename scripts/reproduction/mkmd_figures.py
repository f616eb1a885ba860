# SPDX-License-Identifier: Apache-2.0
"""Figures and tables of mkmd.py's page, from the dictionaries of mkmd_runs.py."""
import math

from reproduction import published
from reproduction.page import legend_below, plt

NAMES = {"abe": "ABE", "bicgstab": "BiCGSTAB", "care": "CARE", "commutator": "Commutator", "gabe": "GABE",
         "gramian": "Gramian", "jacobi": "Jacobi", "lyapunov": "Lyapunov", "stein": "Stein", "svd": "SVD",
         "sylvester": "Sylvester", "gsylvester": "gen. Sylvester*"}
IN_ORDER = "single:GTX760"
# A shade and a hatch each, which can be told apart in grey, too.
LOOKS = {IN_ORDER: ("#bdbdbd", ""), "mkmd-coarse": ("#1b4f72", ""), "mkmd": ("#76d7c4", "..."),
         "default": ("#e59866", "///")}


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def usable(run):
    return "failed" not in run and run["valid"]


def bars(axis, groups, series, value):
    """A bar per group and series; `value` of a run is None where it has none. What is void is an outline."""
    width = 0.84 / len(series)
    for i, policy in enumerate(series):
        for g, runs in enumerate(groups.values()):
            run = runs.get(policy, {"failed": ""})
            height = None if "failed" in run else value(run, runs)
            if height is None:
                continue
            at = g + (i - (len(series) - 1) / 2) * width
            shade, hatch = LOOKS[policy]
            look = ({"facecolor": shade, "hatch": hatch, "edgecolor": "#222222", "linewidth": 0.5} if run["valid"]
                    else {"fill": False, "edgecolor": "#222222", "linewidth": 0.9, "linestyle": ":"})
            axis.bar(at, height, width * 0.94, **look)
        axis.bar(0, 0, facecolor=LOOKS[policy][0], hatch=LOOKS[policy][1], edgecolor="#222222", linewidth=0.5,
                 label=policy)
    axis.set_xticks(range(len(groups)), [NAMES[g] for g in groups], rotation=30, ha="right")
    axis.grid(axis="x", visible=False)
    axis.set_xlim(-0.6, len(groups) - 0.4)


def speedup(run, runs):
    first = runs[IN_ORDER]
    return first["seconds"] / run["seconds"] if usable(first) else None


def cell(run, text):
    """For tables: what a run gave, or why it counts for nothing."""
    if "failed" in run:
        return "failed: " + run["failed"].splitlines()[0][:90]
    if not run["valid"]:
        return f"{text(run)} – void, {100 * run['overruns'] / max(1, run['actions']):.1f} % overruns"
    return text(run)


def eleven(groups):
    return {name: runs for name, runs in groups.items() if name != "gsylvester"}


def means(groups, policy, value):
    found = [value(runs[policy], runs) for runs in eleven(groups).values()
             if usable(runs.get(policy, {"failed": ""})) and usable(runs[IN_ORDER])]
    return mean(found), len(found)


def emulated(page, results):
    groups = results["emulated"]
    policies = [p for p in (IN_ORDER, "mkmd-coarse", "mkmd", "default") if any(p in runs for runs in groups.values())]
    others = policies[1:]
    name = f"default ({results['default_policy']})"
    scale = results["time_scale"]
    source = (published.MKMD + ", Section 6.1. Here: bench/platforms/mkmd-table2.json, an i7-3770, a GTX 760 and a GTX "
              f"750 Ti at N = 4096; {scale[0]:g} real seconds per emulated second ({scale[1]:g} for BiCGSTAB and Jacobi), "
              "jitter 5 %. Nothing is known beforehand: no profile.")
    star = "* An equation that is not among the eleven; no mean has it." if "gsylvester" in groups else ""

    figure, axis = plt.subplots(figsize=(10.2, 4.0))
    bars(axis, groups, others, speedup)
    known = {p: s for p, s in published.MKMD_SPEEDUP.items()}
    names = [NAMES[g] for g in groups]
    marks = [(names.index(e), s) for e, s in known.items() if e in names]
    axis.plot([x for x, _ in marks], [s for _, s in marks], linestyle="none", marker="D", markeredgecolor="#222222",
              markerfacecolor="white", markersize=7, label="published (MKMD)")
    axis.axhline(1, color="#222222", linewidth=0.8)
    axis.set_ylabel("speed-up over in-order on the GTX 760")
    legend_below(figure, [axis], columns=6, extra=0.04)
    page.section("Speed-up on the emulated machine (Figure 9a)", source)
    page.figure("emulated-9a", figure)
    good = {g: runs for g, runs in groups.items() if all(usable(runs[p]) for p in (IN_ORDER, "mkmd-coarse", "default"))}
    (fine, count), (coarse, _) = means(good, "default", speedup), means(good, "mkmd-coarse", speedup)
    rows = [(f"MKMD / {name}, geometric mean", published.MKMD_MEAN_SPEEDUP, f"{fine:.3f} ({count} programs)"),
            ("share of the gain by coarse scheduling", f"{published.MKMD_COARSE_SHARE_OF_GAIN:.0%}",
             f"{(coarse - 1) / (fine - 1):.0%}"),
            ("mkmd-coarse, geometric mean", "–", f"{coarse:.3f}")]
    if "mkmd" in policies:
        rows.append(("mkmd (the paper's algorithm), geometric mean", "–", f"{means(groups, 'mkmd', speedup)[0]:.3f}"))
    rows += [(f"MKMD / default, {e}", s, cell(runs["default"], lambda run: f"{speedup(run, runs) or math.nan:.2f}"))
             for e, s in known.items() for g, runs in groups.items() if NAMES[g] == e and "default" in runs]
    page.beside(rows)

    def line(program, policy, run):
        first = groups[program][IN_ORDER]
        ratio = first["seconds"] / run["seconds"] if usable(first) else math.nan
        model = run["seconds"] / run["model"] if run["model"] == run["model"] else math.nan
        return f"{1e3 * run['seconds']:.1f} ms ({ratio:.2f}×" + (f", {model:.2f} of simulated)" if model == model else ")")

    page.text("Emulated milliseconds as the program itself measures them; in brackets the speed-up, and the time over "
              "that of <code>mkmd simulate</code>, which knows all rates and has no jitter. " + star)
    page.table(["program"] + policies,
               [[NAMES[g]] + [cell(runs[p], lambda run, g=g, p=p: line(g, p, run)) if p in runs else "–"
                              for p in policies] for g, runs in groups.items()])
    bad = [f"{NAMES[g]} under {p}" for g, runs in groups.items() for p, run in runs.items() if not usable(run)]
    page.text("Void or failed: " + (", ".join(bad) if bad else "none") + ".")

    figure, axis = plt.subplots(figsize=(10.2, 3.3))
    bars(axis, groups, policies, lambda run, runs: 100 * run["idle_share"])
    axis.set_ylabel("idle, % of device time")
    legend_below(figure, [axis], columns=6, extra=0.04)
    page.section("Idle time on the emulated machine (Figure 9b)", source)
    page.figure("emulated-9b", figure)
    use = lambda run, runs: max(1e-9, 1 - run["idle_share"])
    page.beside([("devices in use, geometric mean, in order", f"{published.MKMD_UTILISATION['in order']:.0%}",
                  f"{means(groups, IN_ORDER, use)[0]:.0%}"),
                 (f"devices in use, geometric mean, MKMD / {name}", f"{published.MKMD_UTILISATION['mkmd']:.0%}",
                  f"{means(groups, 'default', use)[0]:.0%}")])

    figure, axis = plt.subplots(figsize=(10.2, 3.3))
    bars(axis, groups, others, lambda run, runs: max(1e-4, 1e3 * run["planning_seconds"]))
    axis.axhline(1e3 * published.MKMD_OVERHEAD_SECONDS, color="#222222", linestyle="--", linewidth=1,
                 label="published: less than this")
    axis.set_yscale("log")
    axis.set_ylim(0.1, 20)
    axis.set_ylabel("planning, ms per run of the graph")
    legend_below(figure, [axis], columns=6, extra=0.04)
    page.section("Scheduling overhead (Figure 10)", source + " Everything the planner does counts: graph, policy, proofs "
                 "that pieces are disjoint. Planned for the second time: at first, code for pieces is made as well.")
    page.figure("emulated-10", figure)
    defaults = {NAMES[g]: runs["default"] for g, runs in groups.items() if usable(runs["default"])}
    planned = {e: run for e, run in defaults.items() if not math.isnan(run["planning_seconds"])}  # of the last repeat
    share = {e: run["planning_seconds"] / run["seconds"] for e, run in planned.items()}
    longest = max((run["planning_seconds"] for run in planned.values()), default=math.nan)
    rest = [s for e, s in share.items() if e not in published.MKMD_OVERHEAD_SHARE]
    page.beside([(f"longest, MKMD / {name}", "< 10 ms", f"{1e3 * longest:.2f} ms")] +
                [(f"share of the run, {e}", f"{s:.1%}", f"{share[e]:.2%}" if e in share else "not measured")
                 for e, s in published.MKMD_OVERHEAD_SHARE.items()] +
                [("share of the run, others", f"< {published.MKMD_OVERHEAD_SHARE_OF_OTHERS:.1%}",
                  f"≤ {max(rest):.2%}" if rest else "–")])


def real(page, results):
    groups = results["real"]
    policies = ["mkmd-coarse", "default"]
    source = (f"Two one-core halves of this machine's CPU (pocl/2, {results['cores']} cores) against one core without "
              "us. The paper has no such machine: what can be reached here is 2.")
    figure, axis = plt.subplots(figsize=(10.2, 3.6))
    bars(axis, groups, policies, lambda run, runs: run["ratio"])
    axis.axhline(2, color="#222222", linestyle="--", linewidth=1, label="limit")
    axis.axhline(1, color="#222222", linewidth=0.8)
    axis.set_ylabel("speed-up over one core")
    legend_below(figure, [axis], columns=6, extra=0.04)
    page.section("Speed-up on real devices (as Figure 9a)", source)
    page.figure("real-9a", figure)

    def line(run):
        text = f"{run['ratio']:.2f} ({run['lowest']:.2f} to {run['highest']:.2f})"
        if "idle_share" in run:
            text += f", idle {run['idle_share']:.0%}, planning {1e3 * run['planning_seconds']:.2f} ms"
        return text

    rows = [[NAMES[g], runs["size"], cell(runs["in order"], lambda run: f"{1e3 * run['seconds']:.0f} ms")] +
            [cell(runs[p], line) for p in policies] for g, runs in groups.items()]
    for p in policies:
        ratios = [runs[p]["ratio"] for runs in eleven(groups).values() if usable(runs[p])]
        page.text(f"{p}: geometric mean {mean(ratios):.3f}, smallest {min(ratios, default=math.nan):.2f} "
                  f"({len(ratios)} programs).")
    page.table(["program", "N", "in order, one core", *policies], rows)


def table_1(page, results):
    page.section("Predicted execution times (Table 1)", published.MKMD + ", Table 1: mean error in % over 100 random "
                 "inputs and work-group sizes, from 20 and from 40 profiled runs. Here whole launches of random inputs are "
                 "tested, none of them among those the models were fitted to.")
    head = ["kernel", "cost per work-item (paper)", "published: 20", "40"]
    tables = results["table_1"]
    devices = [(place, device) for place, of in tables.items()
               for device in sorted({d for errors in of.values() if "failed" not in errors for d in errors})]
    for place, device in devices:
        short = device if place == "emulated" else f"{device.rsplit(', ', 1)[-1]} of this CPU"
        head += [f"{short}{' (emulated)' if place == 'emulated' else ''}: 20", "40"]
    rows = []
    for kernel, (cost, twenty, forty) in published.MKMD_TABLE_1.items():
        row = [kernel, cost, twenty, forty]
        for place, device in devices:
            errors = tables[place].get(kernel, {"failed": "not measured"})
            for profiles in ("20", "40"):
                if "failed" in errors:
                    row.append(errors["failed"])
                else:
                    found = errors.get(device, {}).get(profiles)
                    row.append(f"{found['mean']:.1f}" if found and found["tested"] else "–")
        rows.append(row)
    page.table(head, rows)
    page.text(f"Tested: {max((e['tested'] for of in tables.values() for errors in of.values() if 'failed' not in errors for by in errors.values() for e in by.values()), default=0)} "
              "launches per kernel and device at most; launches outside of a model's range are not predicted by it and "
              "do not count. The emulated devices' times have 5 % jitter, averaged over nine.")
