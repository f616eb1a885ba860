#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs on emulated devices: the results are those of the bare run, and mistakes in a platform file are one line."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PLATFORMS = os.path.join(ROOT, "bench/platforms")
PROGRAMS = {"svd": ["--size", "192", "--repeat", "1"], "bicgstab": ["--size", "192", "--iters", "2", "--repeat", "1"]}


def run(command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MKMD_")}
    cache = os.path.join(BUILD, "tests/programs")
    environment.update(XDG_CACHE_HOME=cache + "/cache", XDG_DATA_HOME=cache + "/data", **variables)
    os.makedirs(environment["XDG_CACHE_HOME"], exist_ok=True)
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)


def program(name):
    return [os.path.join(BUILD, "bench/apps", name)] + PROGRAMS[name]


def checksum(result):
    return [line for line in result.stdout.splitlines() if line.startswith("checksum")]


class Emulation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.bare = {name: checksum(run(program(name))) for name in PROGRAMS}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def changed(self, change, name="mkmd-table2"):
        """One of our platform files after `change` has had it."""
        with open(os.path.join(PLATFORMS, name + ".json")) as file:
            content = json.load(file)
        change(content)
        path = os.path.join(self.folder.name, f"platform-{len(os.listdir(self.folder.name))}.json")
        with open(path, "w") as file:
            json.dump(content, file)
        return path

    def emulated(self, platform, name, *options):
        summary = os.path.join(self.folder.name, "summary.json")
        result = run([os.path.join(BUILD, "mkmd"), "run", "--platform", platform, "--summary", summary, *options, "--",
                      *program(name)])
        with open(summary) as file:
            return result, json.load(file)

    def test_results_are_those_of_the_bare_run(self):
        for platform in ("mkmd-table2", "laptop"):
            for name in PROGRAMS:
                with self.subTest(platform=platform, program=name):
                    result, summary = self.emulated(os.path.join(PLATFORMS, platform + ".json"), name)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(checksum(result), self.bare[name])
                    self.assertGreater(summary["emulation"]["actions"], 0)
                    self.assertNotIn("excludes", result.stderr)

    def test_one_device_alone_does_all_the_work(self):
        result, summary = self.emulated(os.path.join(PLATFORMS, "mkmd-table2.json"), "svd", "--policy", "single:GTX760")
        self.assertEqual(checksum(result), self.bare["svd"])
        groups = {device["name"]: device["groups"] for device in summary["devices"]}
        self.assertEqual((groups["i7-3770"], groups["GTX750Ti"]), (0, 0))
        self.assertGreater(groups["GTX760"], 0)

    def test_a_slower_device_takes_longer_and_computes_the_same(self):
        def change(content):
            content["emulation"].update(jitter=0, events=[{"at": 0, "device": "GTX760", "slows": 3}])
        busy = []
        for file in (self.changed(lambda content: content["emulation"].update(jitter=0)), self.changed(change)):
            result, summary = self.emulated(file, "svd", "--policy", "single:GTX760")
            self.assertEqual(checksum(result), self.bare["svd"])
            busy.append(summary["devices"][1]["seconds_busy"])
        self.assertAlmostEqual(busy[1] / busy[0], 3, delta=0.01)  # virtual time: exact but for launches

    def test_a_device_that_fails(self):
        def at(instant):
            return lambda c: c["emulation"].update(events=[{"at": instant, "device": "GTX760", "fails": True}])
        result, summary = self.emulated(self.changed(at(0)), "svd")
        self.assertEqual(checksum(result), self.bare["svd"], "the others do its work")
        self.assertEqual(summary["devices"][1]["groups"], 0)
        # In the middle of the first products, of which it alone has a part: an error, and no hang.
        result, summary = self.emulated(self.changed(at(0.002)), "svd", "--policy", "single:GTX760")
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("OpenCL error", result.stderr)

    def test_what_one_device_alone_makes_memory_bound_is_not_split(self):
        trace = os.path.join(self.folder.name, "laptop.trace")
        path = os.path.join(PLATFORMS, "laptop.json")
        result, summary = self.emulated(path, "bicgstab", "--trace", trace)
        self.assertEqual(checksum(result), self.bare["bicgstab"])
        with open(trace) as file:
            windows = [json.loads(line)["window"] for line in file if line.startswith('{"window"')]
        launches = [c for w in windows for c in w["commands"] if c.get("kernel") == "matrix_vector"]
        whole = [c for c in launches if "bandwidth" in c.get("whole_because", "")]
        self.assertTrue(whole, launches)
        self.assertTrue(all(len(c["pieces"]) == 1 for c in whole))

    def test_a_run_that_could_not_keep_up_is_void(self):
        def change(content):
            for device in content["platform"]["devices"]:
                device.update(launch=0, rates={"operations": 1e15, "bytes": 1e15})
        result, summary = self.emulated(self.changed(change), "svd")
        self.assertEqual(checksum(result), self.bare["svd"])
        self.assertFalse(summary["emulation"]["valid"])
        self.assertIn("void", result.stderr)
        self.assertIn("time_scale", result.stderr)

    def test_mistakes_in_a_file(self):
        mkmd = os.path.join(BUILD, "mkmd")
        for path, key in (("/no/such/platform.json", "/no/such/platform.json"),
                          (self.changed(lambda c: c["platform"]["devices"][1]["rates"].update(bytes=0)),
                           "platform.devices[1].rates.bytes"),
                          (self.changed(lambda c: c["emulation"].update(timescale=2)), "emulation.timescale")):
            result = run([mkmd, "run", "--platform", path, "--", "sh", "-c", "echo the program ran"])
            self.assertEqual((result.returncode, result.stdout), (2, ""), result)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(path, result.stderr)
            self.assertIn(key, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
