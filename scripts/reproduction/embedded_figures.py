# SPDX-License-Identifier: Apache-2.0
"""Figure 5 and Table 3 of Zhou and Liu: many small applications on one CPU and one or two GPUs."""
from reproduction import published
from reproduction.page import COLOURS, legend_below, plt
from reproduction.matrix_figures import bars
from reproduction.simulator import together, without_last_device

POLICIES = ["dmdar", "h-ratio", "d-rank", "ad-part", "mkmd-malleable"]
MIXES = {"mixed": "mixed", "computation": "computation-intensive", "data": "data-intensive"}
SIZES = ["small", "medium", "large"]
CPU_ONLY = "single:0"
THEIRS = ["h-ratio", "d-rank", "ad-part"]
# Table 2: microseconds on CPU and GPU, the bytes each passes on, and to whom.
CASE_STUDY = {"tasks": [("t1.1", 568, 422), ("t1.2", 1520, 242), ("t2.1", 44100, 5600), ("t2.2", 874, 844),
                        ("t2.3", 440, 420)],
              "edges": [(0, 1, 200000), (2, 4, 4194304), (3, 4, 4194304)]}


def figure_5(page, simulator, options):
    sizes = ["small", "large"] if options.quick else SIZES
    figure, axes = plt.subplots(2, 3, figsize=(10.2, 6.2), sharey="row")
    speedup = {}
    for column, (mix, title) in enumerate(MIXES.items()):
        problems = [simulator.generate(f"app:{mix},{size}") for size in sizes]
        for row, devices in enumerate((3, 2)):
            axis, limits = axes[row][column], []
            values = {p: [] for p in POLICIES}
            for size, problem in zip(sizes, problems):
                if devices == 2:
                    problem = without_last_device(problem)
                bounds, found = simulator.run(problem, [CPU_ONLY] + POLICIES, bounds="path,transfers",
                                              bound_time=20)
                base = found[CPU_ONLY]["makespan"]
                limits.append(base / max(b.get("seconds", 0) for b in bounds.values()))
                for p in POLICIES:
                    values[p].append(base / found[p]["makespan"])
                    speedup[devices, mix, size, p] = values[p][-1]
            bars(axis, values, sizes)
            axis.hlines(limits, [g - 0.45 for g in range(len(sizes))], [g + 0.45 for g in range(len(sizes))], color="#222222",
                        linestyle="--", linewidth=1, label="limit")
            axis.set_xticks(range(len(sizes)), sizes, rotation=0, ha="center")
            if row == 0:
                axis.set_title(title)
        axes[0][0].set_ylabel("CPU and two GPUs\nspeed-up over the CPU alone")
        axes[1][0].set_ylabel("CPU and one GPU\nspeed-up over the CPU alone")
    legend_below(figure, axes.flat)
    page.section("Workloads of many applications (Figure 5)", published.EMSOFT + ", Section 5.3; model of an i7-4770, "
                 "GTX 660 and GT 620. The limit is the longer of critical path and area with transfers.")
    page.figure("emsoft-5", figure)
    gain = lambda p: speedup[3, "computation", "large", p] / speedup[3, "computation", "large", "dmdar"] - 1
    worst = min(THEIRS, key=lambda p: speedup[3, "data", "large", p])
    more = sum(speedup[3, m, s, "mkmd-malleable"] >= speedup[2, m, s, "mkmd-malleable"] - 1e-9
               for m in MIXES for s in sizes)
    page.beside([(f"{p} over dmdar, computation-intensive, large", f"more than {x:.0%}", f"{gain(p):+.1%}")
                 for p, x in published.EMSOFT_GAIN_LARGE.items()] +
                [("mkmd-malleable over dmdar, same workload", "–", f"{gain('mkmd-malleable'):+.1%}"),
                 ("least of their three, data-intensive, large", "ad-part", worst),
                 ("two GPUs at least as good as one", "always", f"in {more} of {3 * len(sizes)} cases (mkmd-malleable)")])
    page.text("The paper gives sizes but no kernel times, so these come from operation and byte counts. In this model "
              "the GTX 660 is 8 to 20 times as fast as the other devices: no schedule gains as much over dmdar as "
              "the paper reports, and four equal blocks all end up on the fast device.")


def case_study():
    tasks = [{"id": i, "name": name, "times": [cpu * 1e-6, gpu * 1e-6], "divisible": False, "pinned": None}
             for i, (name, cpu, gpu) in enumerate(CASE_STUDY["tasks"])]
    edges = [{"src": s, "dst": d, "bytes": b, "buffer": f"o{s}", "access": "full"}
             for s, d, b in CASE_STUDY["edges"]]
    return {"platform": {"devices": [{"name": "CPU", "class": "CPU", "mem": 0},
                                     {"name": "GPU", "class": "GPU", "mem": 1}], "bw": 6e9, "lat": 0},
            "graph": {"tasks": tasks, "edges": edges}}


def whole(problem):
    for task in problem["graph"]["tasks"]:
        task["divisible"] = False
    return problem


def table_3(page, simulator, options):
    apps = lambda names: [whole(simulator.generate(f"app:{name},medium")) for name in names]
    sets = [("case study", [case_study()], 5), ("va + xgemm + increment", apps(["va", "xgemm", "increment"]), 5),
            ("xgemm + fblock + pi", apps(["xgemm", "fblock", "pi"]), 2)]
    seconds = 2 if options.quick else 60
    rows, ratios, labels = [], [], []
    for (name, problems, times), (_, exact, best) in zip(sets, published.EMSOFT_TABLE_3):
        for k in [1, 3] if options.quick and times == 5 else sorted({1, 3 if times == 5 else 2, times}):
            problem = together(problems * k)
            small = len(problem["graph"]["tasks"]) < 40
            more = {"exact": seconds} if small else {}
            bounds, found = simulator.run(problem, ["dmdar"] + THEIRS, bounds="path,transfers", bound_time=20, **more)
            limit_name, limit = max(((n, b["seconds"]) for n, b in bounds.items() if "seconds" in b),
                                    key=lambda item: item[1])
            if "exact optimum" in bounds:
                limit_name, limit = "exact optimum", bounds["exact optimum"]["seconds"]
            ours = min(found[p]["makespan"] for p in THEIRS)
            of_paper = best / exact if k == times else None
            rows.append((f"{name} × {k}", len(problem["graph"]["tasks"]), f"{1e3 * limit:.3f} ms ({limit_name})",
                         f"{1e3 * ours:.3f} ms", f"{ours / limit:.3f}",
                         f"{best} / {exact} ms = {of_paper:.3f}" if of_paper else "–"))
            labels.append(name.replace(" + ", " +\n") + f"\n× {k}")
            ratios.append((ours / limit, found["dmdar"]["makespan"] / limit, of_paper,
                           1 if limit_name == "exact optimum" else 0.4))
    page.section("Against the exact optimum (Table 3)", published.EMSOFT + ", Table 3; best of h-ratio, d-rank and "
                 f"ad-part. The integer program stops after {seconds} s; what it had proved then, or a bound, is the "
                 "limit.")
    figure, axis = plt.subplots(figsize=(9.2, 4.2))
    places = range(len(labels))
    for shift, column, colour, label in ((-0.2, 0, COLOURS[0], "best of three"), (0.2, 1, COLOURS[1], "dmdar")):
        drawn = axis.bar([p + shift for p in places], [r[column] for r in ratios], 0.36, color=colour, label=label)
        for bar, ratio in zip(drawn, ratios):
            bar.set_alpha(ratio[3])  # pale: what it is compared with is a bound
    axis.plot([p - 0.2 for p in places if ratios[p][2]], [r[2] for r in ratios if r[2]], linestyle="none", marker="D",
              markeredgecolor="#222222", markerfacecolor="#f5e663", label="published (best of three)")
    axis.axhline(1, color="#222222", linestyle="--", linewidth=1, label="optimum (pale bars: a bound)")
    axis.set_ylim(0.9)
    axis.set_xticks(places, labels)
    axis.grid(axis="x", visible=False)
    axis.set_ylabel("makespan / optimum")
    legend_below(figure, [axis], columns=4)
    page.figure("emsoft-table-3", figure)
    page.table(["set", "tasks", "optimum or bound", "best of three", "ratio", "published"], rows)
    page.text("The first set is Table 2 of the paper, times and all. The paper's own times of the second and third "
              "set are not given; theirs are the model's, at medium size. The solver's optimum is good to about 1e-4.")


def make_figures(page, simulator, options):
    figure_5(page, simulator, options)
    table_3(page, simulator, options)
