#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mkmd inspect and mkmd simulate on traces recorded here."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import traces  # noqa: E402
from trace_case import FORMATS, MKMD, PROGRAMS, TraceCase, mkmd  # noqa: E402


class Recorded(TraceCase):
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

    def test_launches_that_are_not_captured_are_timed(self):
        """The program does not see that its queues measure for the trace."""
        bare = subprocess.run([os.path.join(PROGRAMS, "queue_properties")], capture_output=True, text=True)
        trace, result = self.record("queue_properties")
        self.assertEqual((result.stdout, result.returncode), (bare.stdout, 0), result.stderr)
        whole = json.loads(self.show(trace, "--json"))["not_split"]
        self.assertEqual(sum(w["launches"] for w in whole), 8)
        self.assertTrue(all(w["seconds"] > 0 for w in whole), whole)

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
        def exploring_windows():
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
        # A program that is delayed for a tenth of a second goes on before its window is over.
        self.assertTrue(any(exploring_windows() >= 4 for _ in range(20)))

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
        trace, _ = self.record("linked_units")
        reasons = {(w["kernel"], w["why"]) for w in json.loads(self.show(trace, "--json"))["not_split"]}
        self.assertIn(("floats", "its program was made from a binary of a build with other options"), reasons)

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


if __name__ == "__main__":
    unittest.main(verbosity=1)
