#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mkmd inspect and mkmd simulate on traces: made up ones, broken ones, and some recorded here."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import traces  # noqa: E402

MKMD, PROGRAMS = (os.path.abspath(p) for p in (sys.argv.pop(1), sys.argv.pop(1)))
SVG = "{http://www.w3.org/2000/svg}"
os.environ["MKMD_WAIT_FOR_CODE"] = "1"  # short programs are to be split
os.environ["MKMD_LEARN"] = "0"  # and each run does what the first does
KEYS = {"tasks", "pieces", "transfers", "predicted", "measured", "idle_share", "bytes_moved"}
FORMATS = ["--json", "--dot", "--text", "--svg", "--perfetto", "--html"]
LETTER = 6.6  # pixels of one, at most


def mkmd(*arguments):
    return subprocess.run([MKMD, *arguments], capture_output=True, text=True, timeout=600)


class Traces(unittest.TestCase):
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

    # --- what each format says ---

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

    def test_formats(self):
        said = self.check_all(self.small)
        self.assertTrue(any(t["after"] for t in said["tasks"]))
        self.assertEqual(said["native_commands"], {"kernel": 3, "read": 12})
        self.assertIn("line 42", self.show(self.small))
        self.assertIn("tiny", self.show(self.small))

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

    def check_empty(self, trace, cut):
        self.assertIn("nothing was recorded", self.show(trace))
        said = json.loads(self.show(trace, "--json"))
        self.assertEqual((said["tasks"], said["pieces"], said["cut"]), ([], [], cut))
        json.loads(self.show(trace, "--perfetto"))
        ElementTree.fromstring(self.show(trace, "--svg"))
        self.assertRegex(self.show(trace, "--dot"), r"(?s)^digraph trace \{.*\}\n$")
        for option in FORMATS:
            self.assertNotRegex(self.show(trace, option), r"\b(nan|inf)\b")

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

    # --- recorded here ---

    def test_recorded_run(self):
        # This policy divides whatever that brings, so bytes move on a busy machine, too.
        trace, result = self.record("matrix_chain", "--separate-memory", "--policy", "random-cuts")
        self.assertEqual(result.returncode, 0, result.stderr)
        said = self.check_all(trace)
        self.assertTrue(all(w["complete"] for w in said["windows"]))
        self.assertTrue(said["transfers"])
        self.assertTrue(all(re.fullmatch(r"b\d+", t["buffer"]) for t in said["transfers"]))
        self.assertGreater(sum(t["planned_pieces"] > 1 for t in said["tasks"] if t["kind"] == "kernel"), 0)
        result = mkmd("simulate", trace, "--policy", "heft")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_plans_are_made_again(self):
        """What a plan follows from is in the trace: the planner decides the same again without the program."""
        for program, *options in (("matrix_chain",), ("matrix_chain", "--separate-memory"), ("run_ahead",)):
            trace, result = self.record(program, "--trace-planning", *options)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.check_all(trace)
            result = mkmd("simulate", trace, "--replay")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertRegex(result.stdout, r"[1-9]\d* planned again, 0 differently")
        with open(trace) as file:
            text = file.read()
        self.assertIn('"at_home":', text)
        with open(trace, "w") as file:
            file.write(text.replace('"understood":true', '"understood":false', 1))
        result = mkmd("simulate", trace, "--replay")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"window \d+: .*\n.* 1 differently")

    def test_traces_without_what_plans_follow_from(self):
        trace, result = self.record("matrix_chain")
        result = mkmd("simulate", trace, "--replay")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("--trace-planning", result.stderr)

    def test_new_kernels_are_learned_before_the_program_runs_ahead(self):
        def lessons():
            """How many windows were short and over before the next one was planned."""
            trace, result = self.record("run_ahead")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(trace) as file:
                events = [json.loads(line) for line in file]
            windows = [e["window"] for e in events if "window" in e]
            end = {}  # of commands
            for piece in (e["piece"] for e in events if "piece" in e):
                end[piece["command"]] = max(piece["end"], end.get(piece["command"], 0))
            for count, (window, following) in enumerate(zip(windows, windows[1:])):
                commands = [command["id"] for command in window["commands"]]
                if len(commands) > 16 or any(end[command] > following["time"] for command in commands):
                    return count
            return len(windows)
        # A machine that is busy for a tenth of a second ends the lessons early.
        self.assertTrue(any(lessons() >= 4 for _ in range(20)))

    def test_reasons_have_source_lines(self):
        trace, _ = self.record("kernel_printf")
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../programs/kernels/kernel_printf.cpp")) as source:
            text = source.read()
        kernel = text[text.index("__kernel"):]
        said = [w for w in json.loads(self.show(trace, "--json"))["not_split"] if "printf" in w["why"]]
        self.assertTrue(said)
        # Lines are those of the string the program gives to OpenCL.
        start = text[:text.index("__kernel")].rindex('R"(')
        line = text[start:].split("\n")[said[0]["line"] - 1]
        self.assertIn("printf", line, kernel)

    def test_reasons_name_what_a_program_was_made_of(self):
        trace, _ = self.record("compile_link")
        reasons = {(w["kernel"], w["why"]) for w in json.loads(self.show(trace, "--json"))["not_split"]}
        self.assertIn(("use", "its program was linked from compiled programs"), reasons)

    def test_immediate_exit_loses_nothing(self):
        trace, result = self.record("immediate_exit")
        self.assertEqual(result.returncode, 6)
        said = self.check_json(trace)
        self.assertEqual(len([t for t in said["tasks"] if t["kind"] == "kernel"]), 6)
        self.assertFalse(said["cut"])

    def test_a_program_that_enqueues_nothing_leaves_an_empty_trace(self):
        trace = self.path("nothing")
        shutil.copy(self.small, trace)
        result = mkmd("run", "--trace", trace, "--", "true")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(os.path.getsize(trace), 0)
        self.check_empty(trace, False)
        result = mkmd("run", "--trace", "/no/such/folder/trace", "--", "echo", "it ran")
        self.assertEqual((result.returncode, result.stdout), (0, "it ran\n"))
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("cannot write /no/such/folder/trace", result.stderr)

    def writer(self, trace, **header):
        """A process that sleeps, and a trace that is of its."""
        process = subprocess.Popen(["sleep", "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        with open(f"/proc/{process.pid}/stat") as stat:
            began = int(stat.read().rpartition(")")[2].split()[19])
        traces.write(trace, [dict(traces.header(), pid=process.pid, began=began, **header)] + traces.trace(20)[1:])
        return process, began

    def test_a_trace_that_another_process_writes_is_left_to_it(self):
        trace = self.path("theirs")
        process, began = self.writer(trace)
        with open(trace) as file:
            before = file.read()
        program = os.path.join(PROGRAMS, "matrix_chain")
        environment = dict(os.environ, XDG_CACHE_HOME=self.path("cache"), MKMD_DEVICES="pocl/2", MKMD_TRACE=trace)
        preloaded = dict(environment, LD_PRELOAD=os.path.join(os.path.dirname(MKMD), "lib/mkmd/libinterpose.so"),
                         LD_LIBRARY_PATH=os.path.join(os.path.dirname(MKMD), "lib/mkmd"))
        for command, variables in (([MKMD, "run", "--", program], environment), ([program], preloaded)):
            result = subprocess.run(command, capture_output=True, text=True, timeout=600, env=variables)
            self.assertEqual(result.returncode, 0, result.stderr)
            said = [line for line in result.stderr.splitlines() if trace in line]
            self.assertEqual(len(said), 1, result.stderr)
            self.assertIn(f"process {process.pid} is writing", said[0])
            with open(trace) as file:
                self.assertEqual(file.read(), before)
        # Who had this process id once is no obstacle.
        traces.write(trace, [dict(traces.header(), pid=process.pid, began=began - 1)])
        result = subprocess.run([program], capture_output=True, text=True, timeout=600, env=preloaded)
        self.assertNotIn(trace, result.stderr)
        self.assertTrue(json.loads(self.show(trace, "--json"))["windows"])

    def test_two_that_trace_to_one_file_at_once(self):
        trace = self.path("both")
        environment = dict(os.environ, XDG_CACHE_HOME=self.path("cache"), MKMD_DEVICES="pocl/2", MKMD_TRACE=trace)
        command = [MKMD, "run", "--", os.path.join(PROGRAMS, "matrix_chain")]
        both = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
                for _ in range(2)]
        said = [process.communicate(timeout=600)[1] for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], said)
        self.assertLessEqual(sum(trace in text for text in said), 1, said)
        self.assertTrue(json.loads(self.show(trace, "--json"))["windows"])

    def test_kill_leaves_a_good_file(self):
        trace = self.path("killed.jsonl")
        environment = dict(os.environ, XDG_CACHE_HOME=self.path("cache"), MKMD_TRACE=trace, MKMD_DEVICES="pocl/2")
        process = subprocess.Popen([MKMD, "run", "--", os.path.join(PROGRAMS, "exit_pending")], env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 600
        while process.poll() is None and time.monotonic() < deadline:
            if os.path.exists(trace):
                with open(trace) as file:
                    if '"piece"' in file.read():
                        break
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        said = json.loads(self.show(trace, "--json"))
        self.assertTrue(said["windows"] and said["pieces"])
        for option in FORMATS:
            self.show(trace, option)

    # --- mkmd simulate ---

    def test_simulate(self):
        result = mkmd("simulate", self.small, "--policy", "mkmd-malleable")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        rows = [line.split() for line in result.stdout.splitlines()[2:]]
        windows = json.loads(self.show(self.small, "--json"))["windows"]
        self.assertEqual(len(rows), len(windows) + 1)
        self.assertAlmostEqual(sum(float(r[4]) for r in rows[:-1]), float(rows[-1][4]), delta=1e-4)
        for row, window in zip(rows, windows):
            self.assertAlmostEqual(float(row[2]), window["measured"], delta=1e-5 * window["measured"])
            self.assertGreaterEqual(float(row[5]), 0.9999)
        result = mkmd("simulate", self.small, "--policy", "all", "--bound-time", "2")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("\nheft ", result.stdout)
        output = self.path("schedules")
        self.assertEqual(mkmd("simulate", self.small, "--policy", "heft", "--output", output).returncode, 0)
        with open(output) as written:
            self.assertEqual(len(json.load(written)["windows"]), len(windows))

    def makespan(self, devices):
        file = self.path("platform.json")
        with open(file, "w") as out:
            json.dump({"platform": {"bw": 1e10, "lat": 1e-5, "devices": devices}}, out)
        result = mkmd("simulate", self.small, "--policy", "single:0", "--platform", file)
        self.assertEqual(result.returncode, 0, result.stderr)
        return float(result.stdout.splitlines()[-1].split()[4])

    def test_other_hardware(self):
        named = {"name": "gpu#0", "class": "GPU", "mem": 0}
        cpu = {"name": "cpu", "class": "CPU", "mem": 0}
        alone = self.makespan([named, cpu])
        # Twice the rates, half the time; a device of another name is known by its rates.
        fast = dict(named, rates={"operations": 2e12, "bytes": 2e11})
        self.assertAlmostEqual(self.makespan([fast, cpu]), alone / 2, delta=1e-3 * alone)
        other = dict(fast, name="something new")
        self.assertAlmostEqual(self.makespan([other, cpu]), alone / 2, delta=1e-3 * alone)
        file = self.path("unknown.json")
        with open(file, "w") as out:
            json.dump({"platform": {"bw": 1e10, "devices": [dict(named, name="unknown")]}}, out)
        result = mkmd("simulate", self.small, "--policy", "heft", "--platform", file)
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown", result.stderr)

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
    if not Traces.BROWSER:
        print("inspect_test: SKIPPED the page in a browser: chromium is not installed", file=sys.stderr)
    unittest.main(verbosity=1)
