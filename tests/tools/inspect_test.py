#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mkmd inspect on made up traces, and on broken ones."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import traces  # noqa: E402
from trace_case import FORMATS, MKMD, SVG, TraceCase, mkmd  # noqa: E402


class Formats(TraceCase):
    def test_formats(self):
        said = self.check_all(self.small)
        self.assertTrue(any(t["after"] for t in said["tasks"]))
        self.assertEqual(said["native_commands"], {"kernel": 3, "read": 12})
        self.assertIn("line 42", self.show(self.small))
        self.assertIn("tiny", self.show(self.small))

    def test_what_takes_longest_comes_first(self):
        """Of launches that are not split; with what would help, once for each advice."""
        file = self.path("whole")
        native = [("short", 100, 0.001, "too short to split"), ("untimed", 500, 0, "printf"),
                  ("long", 2, 0.5, "printf"), ("short", 10, 0.002, "too short to split")]
        traces.write(file, traces.trace(10) + [
            {"native": {"commands": {}, "kernels": [
                {"kernel": name, "launches": launches, "seconds": seconds, "whole_because": why, "line": 0}]}}
            for name, launches, seconds, why in native])
        whole = [w for w in json.loads(self.show(file, "--json"))["not_split"] if not w["captured"]]
        self.assertEqual([(w["kernel"], w["launches"], w["seconds"]) for w in whole],
                         [("long", 2, 0.5), ("short", 110, 0.003), ("untimed", 500, 0), ("tiny", 3, 0)])
        self.assertIn("printf", whole[0]["advice"])
        self.assertEqual(whole[1]["advice"], "")
        self.assertEqual(self.show(file).count("remove printf"), 1)
        self.assertRegex(self.show(file), r"long +500 ms +2 ")

    def test_ten_thousand_pieces(self):
        self.assertGreaterEqual(len(self.check_json(self.large)["pieces"]), 10_000)
        root = self.check_svg(self.large)
        self.assertTrue(any("pieces, mostly of" in (e.text or "") for e in root.iter(SVG + "title")))
        self.assertLess(len(self.show(self.large, "--text").splitlines()), 600)

    def test_colours_differ_in_grey(self):
        def lightness(colour):
            linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
                      for c in (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))]
            return 116 * (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]) ** (1 / 3) - 16
        page = self.show(self.large, "--html")
        colours = json.loads(re.search(r'"colours":(\[\[.*?\]\])', page).group(1))
        grey = sorted(lightness(c[0]) for c in colours)
        self.assertGreaterEqual(len(grey), 7)
        for darker, lighter in zip(grey, grey[1:] + [100]):
            self.assertGreater(lighter - darker, 9)

    def test_one_window(self):
        said = json.loads(self.show(self.small, "--json", "--window", "2"))
        whole = json.loads(self.show(self.small, "--json"))
        self.assertEqual([t["id"] for t in said["tasks"]], [t["id"] for t in whole["tasks"] if t["window"] == 1])
        self.assertAlmostEqual(said["measured"], whole["windows"][1]["measured"])
        self.assertEqual(mkmd("inspect", self.small, "--window", "999").returncode, 2)

    def test_the_best_single_device(self):
        def outcome(taken, alone, **more):
            return {"outcome": dict({"taken": taken, "alone": alone, "spent": 0.002, "explores": False}, **more)}

        def said_of(*outcomes):
            file = self.path("outcomes")
            traces.write(file, traces.trace(10) + list(outcomes))
            said = json.loads(self.show(file, "--json"))
            return said["best_single_device"], said["exploring"], self.show(file)

        quick, slow = [[0.04, 0.04], [0.01, 0.01], [0.02, 0.001]], [[0.03, 0.03], [0.02, 0.02], [0.001, 0]]
        best, exploring, text = said_of(outcome(0.006, quick, explores=True), outcome(0.012, slow, spent=0.003))
        self.assertEqual(best["device"], 1)  # the third one's time is a guess
        self.assertAlmostEqual(best["seconds"], 0.03)
        self.assertAlmostEqual(best["seconds_here"], 0.018)
        self.assertEqual(exploring, {"windows": 1, "of": 2, "seconds": 0.003})
        self.assertIn("best single device for captured work: gpu#0, 30.0 ms; it took 18.0 ms, a gain of 40.0 %", text)
        self.assertIn("exploring: 1 of 2 windows, which cost 3.00 ms", text)
        self.assertIn("a loss of 50.0 %", said_of(outcome(0.045, [[1, 1], [0.03, 0.03], [1, 1]]))[2])
        best, _, text = said_of(outcome(0.01, [[0.04, 0.01], [0.04, 0.01], [0.04, 0]]))
        self.assertIsNone(best)
        self.assertIn("best single device: not known", text)
        self.assertNotIn("best single device", self.show(self.small))

    def test_output_file(self):
        for option in FORMATS:
            file = self.path("out")
            self.assertEqual(self.show(self.small, option, "--output", file), "")
            with open(file) as written:
                self.assertEqual(written.read(), self.show(self.small, option))
        result = mkmd("inspect", self.small, "--output", "/no/such/folder/x")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1))

    # --- broken input ---

    def broken(self, lines, *parts):
        file = self.path("broken")
        with open(file, "w") as out:
            out.write(lines if isinstance(lines, str) else "".join(json.dumps(line) + "\n" for line in lines))
        for command in (["inspect", file], ["simulate", file, "--policy", "heft"]):
            if command[0] == "simulate" and not os.path.getsize(file):
                continue
            result = mkmd(*command)
            self.assertEqual((result.returncode, result.stdout), (2, ""), result)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            if command[0] == "inspect":
                for part in (file,) + parts:
                    self.assertIn(part, result.stderr)

    def test_broken_input_names_the_line(self):
        good = traces.trace(20)
        piece = next(i for i, line in enumerate(good) if "piece" in line)

        def changed(at, kind, **values):
            copy = json.loads(json.dumps(good))
            copy[at][kind].update(values)
            return copy
        self.broken("nonsense\n", ":1:")
        self.broken('{"trace": 1e999}\n', ":1:", "number overflow", "1e999")
        self.broken([{"graph": {}}], ":1:", "trace")
        self.broken([dict(good[0], format=99)] + good[1:], ":1:", "format", "99")
        self.broken(good[:1] + good[2:], ":2:", "platform")
        self.broken(good + good[:1], f":{len(good) + 1}:", "second trace")
        self.broken(good[:3] + ["x"] + good[3:], ":4:")
        for at, values, part in ((piece, {"device": 9}, "device 9"), (piece, {"command": 10 ** 6}, "1000000"),
                                 (piece, {"end": 5}, "end"), (piece, {"lo": [0, 0]}, "lo"),
                                 (piece, {"start": "soon"}, "start"), (piece, {"start": -4}, "start")):
            self.broken(changed(at, "piece", **values), f":{at + 1}:", part)
        graph = good[2]["window"]["graph"]
        tasks = graph["tasks"]
        for edges in ([{"src": 1, "dst": 99, "bytes": 1}], [{"src": 2, "dst": 1}, {"src": 1, "dst": 2}]):
            self.broken(changed(2, "window", graph={"tasks": tasks, "edges": edges}), ":3:", "graph")
        self.broken(changed(2, "window", graph={"tasks": tasks[:-1], "edges": []}), ":3:", "tasks")
        text = "".join(json.dumps(line) + "\n" for line in good)
        self.broken(text.replace('"piece"', '"piece', 1), f":{piece + 1}:", "JSON")

    def test_no_name_reaches_the_terminal_as_a_command(self):
        hostile = "\x1b[2J\x07\x9b31m\u202e\r\n]]></title><script>"

        def spoiled(value, key=""):
            if isinstance(value, dict):
                return {k if key != "commands" or not isinstance(value[k], int) else k + hostile: spoiled(v, k)
                        for k, v in value.items()}
            if isinstance(value, list):
                return [spoiled(v) for v in value]
            return value + hostile if isinstance(value, str) and key not in ("trace", "kind", "class", "access") else value
        trace, output = self.path("hostile"), self.path("hostile.out")
        traces.write(trace, [spoiled(line) for line in traces.trace(60)])
        for option in [""] + FORMATS:
            self.show(trace, *option.split(), "--output", output)
            with open(output, newline="") as file:
                text = file.read()
            found = {c for c in text if c not in "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c == "\u202e")}
            if option == "--html":
                found -= set("\t")  # of the page itself
            self.assertEqual(found, set(), option)
            self.assertTrue("\\x1b[2J" in text or "\\\\x1b[2J" in text, option)
            if option in ("--svg", "--html"):
                self.assertEqual(text.count("<script>"), text.count("\n<script>\n"), option)  # the page's own
            if option == "--svg":
                ElementTree.fromstring(text)

    def test_a_cut_last_line_is_left_out(self):
        lines = [json.dumps(line) for line in traces.trace(20)]
        whole = "\n".join(lines)
        end = len(whole) - len(lines[-1])
        for cut in list(range(end, len(whole), 7)) + [end - 5]:
            file = self.path("cut")
            with open(file, "w") as out:
                out.write(whole[:cut])
            said = json.loads(self.show(file, "--json"))
            self.assertEqual(said["cut"], cut != end)
            self.assertTrue(said["pieces"])

    def test_an_empty_trace_and_one_cut_in_its_first_line(self):
        file = self.path("short")
        header = json.dumps(traces.header())
        for length in (0, 1, 20, len(header) - 1):
            with open(file, "w") as out:
                out.write(header[:length])
            self.check_empty(file, length > 0)

    def test_standard_input(self):
        with open(self.small) as trace:
            text = trace.read()
        for name in ("-", "/dev/stdin"):
            result = subprocess.run([MKMD, "inspect", name], input=text, capture_output=True, text=True, timeout=600)
            self.assertEqual((result.returncode, result.stdout), (0, self.show(self.small)), result.stderr)
        result = mkmd("inspect", self.folder.name)
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1))
        self.assertIn("is a folder; give a trace", result.stderr)

    def test_graphs_that_graphviz_cannot_draw_are_announced(self):
        result = mkmd("inspect", self.large, "--dot")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (0, 1), result.stderr)
        self.assertIn("--html", result.stderr)

    def test_wrong_use(self):
        for arguments in ([], ["--json"], [self.small, "--json", "--svg"], [self.small, "--nope"],
                          [self.small, self.large], ["/no/such/file"], [self.small, "--output"],
                          [self.small, "--window", "0"]):
            result = mkmd("inspect", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    # --- the page in a browser ---

    BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

    @unittest.skipUnless(BROWSER, "no chromium")
    def test_page_in_a_browser(self):
        script = """<script>
          const box = canvas.getBoundingClientRect(), at = { clientX: box.left + 400, clientY: box.top + 60 };
          const whole = view[1] - view[0];
          canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -2500, cancelable: true, ...at }));
          document.body.dataset.zoom = whole / (view[1] - view[0]);
          const row = D.rows[0];
          let bar = 0;
          while (row.x[2 * bar] < view[0]) ++bar;
          const there = { clientX: box.left + (toPixel(row.x[2 * bar]) + toPixel(row.x[2 * bar + 1])) / 2,
                          clientY: box.top + row.top + 5, bubbles: true };
          canvas.dispatchEvent(new MouseEvent("mousedown", there));
          canvas.dispatchEvent(new MouseEvent("mouseup", there));
          draw();
          document.body.dataset.clicked = "1";
        </script></body>"""
        page = self.path("page.html")
        with open(page, "w") as out:
            out.write(self.show(self.large, "--html").replace("</body>", script))
        result = subprocess.run([self.BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1300,1000",
                                 "--user-data-dir=" + self.path("browser"), "--dump-dom", "file://" + page],
                                capture_output=True, text=True, timeout=600)
        body = re.search(r"<body[^>]*>", result.stdout).group(0)
        self.assertNotIn("data-error", body)
        self.assertIn('data-ready="1"', body)
        self.assertIn('data-clicked="1"', body)
        self.assertGreater(float(re.search(r'data-zoom="([0-9.]+)"', body).group(1)), 50)
        details = re.search(r'<div id="details">(.*?)</div>', result.stdout).group(1)
        self.assertRegex(details, r"command \d+.* work-groups; .*predicted")
        self.assertIn('class="node on"', result.stdout)
        self.assertGreater(result.stdout.count("<tr>"), 10)


if __name__ == "__main__":
    if not Formats.BROWSER:
        print("inspect_test: SKIPPED the page in a browser: chromium is not installed", file=sys.stderr)
    unittest.main(verbosity=1)
