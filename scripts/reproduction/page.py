# SPDX-License-Identifier: Apache-2.0
"""A page of figures: SVG drawn by matplotlib, each with a table of published values beside ours. What is
drawn, and from which numbers, is the business of the other modules here."""
import html
import io
import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

# Okabe and Ito's colours, which people with any colour vision can tell apart; the marker says the same again.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C564B", "#7F7F7F",
           "#BCBD22"]
MARKERS = "osD^vP*X<>"

plt.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "mkmd", "font.family": "sans-serif", "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7, "axes.axisbelow": True, "axes.titlesize": 10, "legend.frameon": False,
    "lines.linewidth": 1.4, "lines.markersize": 4.2,
})

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 1080px; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 2.5em; border-top: 1px solid #ddd; padding-top: 1em }
svg { max-width: 100%; height: auto; font-family: system-ui, sans-serif }
table { border-collapse: collapse; margin: .8em 0; font-size: .93em }
td, th { border-bottom: 1px solid #ddd; padding: .25em .9em .25em 0; text-align: left; vertical-align: top }
p.note { color: #555; font-size: .93em }
"""


def line_style(index):
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}


def legend_below(figure, axes, columns=6, extra=0.0):
    """One legend for all panels, under them."""
    handles, labels = {}, []
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            if label not in handles:
                handles[label] = handle
                labels.append(label)
    labels.sort(key=lambda label: any(word in label for word in ("limit", "bound", "published")))
    rows = -(-len(labels) // columns)
    space = (0.24 * rows + 0.08 + extra) / figure.get_figheight()
    figure.tight_layout(rect=(0, space, 1, 1))
    figure.legend([handles[l] for l in labels], labels, loc="lower center", ncol=columns, columnspacing=1.6)


class Page:
    def __init__(self, title, folder):
        self.title, self.folder, self.parts = title, folder, []
        os.makedirs(folder, exist_ok=True)

    def text(self, text):
        self.parts.append(f"<p>{text}</p>")

    def section(self, title, source):
        self.parts.append(f"<h2>{html.escape(title)}</h2><p class=note>{html.escape(source)}</p>")

    def figure(self, name, figure):
        """Keeps the figure as NAME.svg and puts it on the page; the figure is closed."""
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
        plt.close(figure)
        svg = out.getvalue()
        with open(os.path.join(self.folder, name + ".svg"), "w") as file:
            file.write(svg)
        svg = svg[svg.index("<svg"):]
        for prefix in ("figure_1", "axes_", "patch_", "line2d_", "text_", "matplotlib.axis_", "legend_",
                       "xtick_", "ytick_", "PathCollection_", "LineCollection_"):  # ids are the page's, too
            svg = svg.replace(f'id="{prefix}', f'id="{name}-{prefix}')
        self.parts.append(f"<figure>{svg}</figure>")
        print(f"  {name}")

    def table(self, head, rows):
        cells = lambda row, tag: "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in row)
        self.parts.append("<table><tr>" + cells(head, "th") + "</tr>" +
                          "".join("<tr>" + cells(row, "td") + "</tr>" for row in rows) + "</table>")

    def beside(self, rows):
        """Rows of (what, as published, here)."""
        self.table(["", "published", "here"], rows)

    def write(self):
        path = os.path.join(self.folder, "index.html")
        with open(path, "w") as file:
            file.write(f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(self.title)}</title>"
                       f"<style>{STYLE}</style><h1>{html.escape(self.title)}</h1>" + "\n".join(self.parts) +
                       "</html>\n")
        return path
