# SPDX-License-Identifier: Apache-2.0
"""What tests of `mkmd inspect` and `mkmd simulate` share: two made up traces, how to record one here, and what must hold
of every trace. Arguments of the test: the command, and the folder of the test programs."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import traces

MKMD, PROGRAMS = (os.path.abspath(p) for p in (sys.argv.pop(1), sys.argv.pop(1)))
SVG = "{http://www.w3.org/2000/svg}"
KEYS = {"tasks", "pieces", "transfers", "predicted", "measured", "idle_share", "bytes_moved"}
FORMATS = ["--json", "--dot", "--text", "--svg", "--perfetto", "--html"]
LETTER = 6.6  # pixels of one, at most
os.environ["MKMD_WAIT_FOR_CODE"] = "1"  # short programs are to be split
os.environ["MKMD_LEARN"] = "0"  # and each run does what the first does


def mkmd(*arguments):
    return subprocess.run([MKMD, *arguments], capture_output=True, text=True, timeout=600)


class TraceCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.small, cls.large = cls.path("small"), cls.path("large")
        traces.write(cls.small, traces.trace(60))
        traces.write(cls.large, traces.trace(10_000))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def show(self, *arguments):
        result = mkmd("inspect", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
        return result.stdout

    def record(self, program, *options, **variables):
        trace = self.path(program + ".jsonl")
        environment = dict(os.environ, XDG_CACHE_HOME=self.path("cache"), POCL_AFFINITY="1", **variables)
        result = subprocess.run([MKMD, "run", "--devices", "pocl/2", "--trace", trace, *options, "--",
                                 os.path.join(PROGRAMS, program)], capture_output=True, text=True, timeout=600,
                                env=environment)
        return trace, result

    def check_json(self, trace):
        said = json.loads(self.show(trace, "--json"))
        self.assertLessEqual(KEYS, said.keys())
        groups = {}
        for piece in said["pieces"]:
            size = 1
            for lo, hi in zip(piece["lo"], piece["hi"]):
                size *= hi - lo
            groups[piece["task"]] = groups.get(piece["task"], 0) + size
            self.assertLess(piece["start"], piece["end"] + 1e-12)
        for task in said["tasks"]:
            if task["kind"] == "kernel":
                x, y, z = task["groups"]
                self.assertEqual(groups[task["id"]], x * y * z)
        self.assertEqual(said["bytes_moved"], sum(t["bytes"] for t in said["transfers"]))
        self.assertTrue(0 <= said["idle_share"] <= 1)
        self.assertGreater(said["measured"], 0)
        self.assertGreater(said["predicted"], 0)
        return said

    def check_perfetto(self, trace, said):
        events = json.loads(self.show(trace, "--perfetto"))["traceEvents"]
        rows, arrows = {}, {}
        for e in events:
            if e["ph"] == "X":
                rows.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
            elif e["ph"] in "sf":
                arrows.setdefault(e["id"], {})[e["ph"]] = e
        drawn = sum(map(len, rows.values()))
        self.assertEqual(drawn, len(said["pieces"]) + len(said["transfers"]) + len(said["memory_commands"]))
        named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.assertLessEqual(rows.keys(), named)
        for slices in rows.values():
            slices.sort()
            for (_, end), (start, _) in zip(slices, slices[1:]):
                self.assertLessEqual(end, start + 1e-3)
        self.assertTrue(arrows)
        for pair in arrows.values():
            self.assertEqual(pair.keys(), {"s", "f"})
            self.assertLessEqual(pair["s"]["ts"], pair["f"]["ts"])
            start = pair["s"]
            self.assertTrue(any(a <= start["ts"] <= b for a, b in rows[start["pid"], start["tid"]]))

    def check_svg(self, trace):
        text = self.show(trace, "--svg")
        root = ElementTree.fromstring(text)
        width = float(root.get("width"))
        lines = {}
        for e in root.iter(SVG + "text"):
            label = "".join(t for t in [e.text] + [child.tail for child in e] if t)
            size = LETTER * len(label)
            x = float(e.get("x"))
            left = x - {None: 0, "middle": size / 2, "end": size}[e.get("text-anchor")]
            lines.setdefault(float(e.get("y")), []).append((left, left + size, label))
        for labels in lines.values():
            labels.sort()
            for (_, end, one), (start, _, other) in zip(labels, labels[1:]):
                self.assertLessEqual(end, start + 2, (one, other))
            self.assertLessEqual(labels[-1][1], width + 2)
        rows = sum(1 for e in root.iter(SVG + "rect") if e.get("class") == "row")
        self.assertLess(sum(1 for _ in root.iter(SVG + "rect")), 1000 * rows + 100)
        return root

    def check_all(self, trace):
        said = self.check_json(trace)
        self.check_perfetto(trace, said)
        self.check_svg(trace)
        text = self.show(trace, "--text")
        for device in said["devices"]:
            self.assertIn(device["name"], text)
        summary = self.show(trace)
        for part in ("busy", "idle share", "moved between memories", "predicted", "worst predictions"):
            self.assertIn(part, summary)
        dot = self.show(trace, "--dot")
        self.assertEqual(len(re.findall(r"^    c\d+ \[", dot, re.M)), len(said["tasks"]))
        if shutil.which("dot"):
            drawn = subprocess.run(["dot", "-Tplain"], input=dot, capture_output=True, text=True, timeout=600)
            self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
            self.assertEqual(len(re.findall("^node ", drawn.stdout, re.M)), len(said["tasks"]))
        page = self.show(trace, "--html")
        self.assertEqual(re.findall(r"(?:src|href)=|https?://(?!www\.w3\.org/2000/svg)", page), [])
        return said

    def check_empty(self, trace, cut):
        self.assertIn("nothing was recorded", self.show(trace))
        said = json.loads(self.show(trace, "--json"))
        self.assertEqual((said["tasks"], said["pieces"], said["cut"]), ([], [], cut))
        json.loads(self.show(trace, "--perfetto"))
        ElementTree.fromstring(self.show(trace, "--svg"))
        self.assertRegex(self.show(trace, "--dot"), r"(?s)^digraph trace \{.*\}\n$")
        for option in FORMATS:
            self.assertNotRegex(self.show(trace, option), r"\b(nan|inf)\b")
