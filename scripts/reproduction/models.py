# SPDX-License-Identifier: Apache-2.0
"""Models of kernel times: what they predict for the samples that `mkmd profile` has measured."""
import json
import os
import subprocess
import sys
import tempfile

from reproduction.page import legend_below, line_style, plt

MOST_POINTS = 300  # of one model; more are one blot


def of(model):
    kernel, kind = f"{model['kernel']} ({model['program'][:8]})", model["device"].split("|")
    # A real device's kind is its name, driver and number of compute units; an emulated one's is a name.
    return f"{kernel} on {kind[0]}" + (f", compute units: {kind[-1]}" if len(kind) > 2 else "")


def make(page, options):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "models.json")
        subprocess.run([options.mkmd, "models", "--json", file], check=True)
        with open(file) as text:
            models = [model for model in json.load(text) if model["samples"]]
    if not models:
        sys.exit("reproduce: there are no samples to draw; `mkmd profile` takes some")
    figure, axis = plt.subplots(figsize=(7.4, 7.4))
    for i, model in enumerate(models):
        samples = model["samples"][::len(model["samples"]) // MOST_POINTS + 1]
        axis.plot([s["measured"] for s in samples], [s["predicted"] for s in samples], linestyle="none",
                  alpha=0.7, label=of(model), **line_style(i))
    axis.set(xscale="log", yscale="log", xlabel="measured seconds", ylabel="predicted seconds")
    measured = [s["measured"] for model in models for s in model["samples"]]
    axis.plot([min(measured), max(measured)], [min(measured), max(measured)], color="#888888", linestyle="--",
              linewidth=0.9)
    legend_below(figure, [axis], columns=2)
    page.section("Predicted against measured times", "mkmd models --json FILE; one mark per sample.")
    page.figure("models", figure)
    page.table(["model", "samples", "held-out error"],
               [[of(m), len(m["samples"]), f"{100 * m['held_out_mape']:.1f} %"] for m in models])
