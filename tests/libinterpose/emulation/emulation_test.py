#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs on emulated devices: the results are those of the bare run, and mistakes in a platform file are one line."""
import json
import os
import sys
import unittest

sys.dont_write_bytecode = True
from emulated_runs import PLATFORMS, EmulatedRuns, checksum  # noqa: E402

if len(sys.argv) > 1:
    EmulatedRuns.BUILD = os.path.abspath(sys.argv.pop(1))


class Emulation(EmulatedRuns):
    def test_results_are_those_of_the_bare_run(self):
        for platform in ("mkmd-table2", "laptop"):
            for name in ("svd", "bicgstab"):
                with self.subTest(platform=platform, program=name):
                    result, summary = self.emulated(os.path.join(PLATFORMS, platform + ".json"), name)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(checksum(result), self.bare(name))
                    self.assertGreater(summary["emulation"]["actions"], 0)
                    self.assertNotIn("excludes", result.stderr)

    def test_one_device_alone_does_all_the_work(self):
        result, summary = self.emulated(os.path.join(PLATFORMS, "mkmd-table2.json"), "svd", "--policy", "single:GTX760")
        self.assertEqual(checksum(result), self.bare("svd"))
        groups = {device["name"]: device["groups"] for device in summary["devices"]}
        self.assertEqual((groups["i7-3770"], groups["GTX750Ti"]), (0, 0))
        self.assertGreater(groups["GTX760"], 0)

    def test_in_order_nothing_is_fetched_ahead(self):
        trace = os.path.join(self.folder, "single.trace")
        result, _ = self.emulated(os.path.join(PLATFORMS, "mkmd-table2.json"), "jacobi", "--policy", "single:GTX760",
                                  "--trace", trace)
        self.assertEqual(checksum(result), self.bare("jacobi"))
        with open(trace) as file:
            lines = [json.loads(line) for line in file]
        done = [line[kind] for line in lines for kind in ("piece", "transfer") if kind in line]
        done.sort(key=lambda d: d["start"])
        self.assertGreater(sum("bytes" in d for d in done), 3)
        for before, after in zip(done, done[1:]):
            self.assertLessEqual(before["end"], after["start"], (before, after))

    def test_what_is_copied_and_filled_in_every_iteration_stays_where_it_is(self):
        count = 65536
        program = [os.path.join(self.BUILD, "tests/programs/copy_back"), str(count)]
        moved = []
        for iterations in (10, 30):
            result, summary = self.emulated(os.path.join(PLATFORMS, "two-gpus.json"), program + [str(iterations)])
            self.assertEqual(result.stdout, self.execute(program + [str(iterations)]).stdout)
            groups = [device["groups"] for device in summary["devices"]]
            self.assertGreater(min(groups[1:3]), 0.2 * sum(groups), "it is not shared")
            moved.append(summary["bytes_moved"])
        # Of a little, cuts move as times are learned; before, each iteration moved all three buffers.
        self.assertLess(moved[1] - moved[0], 10 * 4 * count, moved)

    def test_a_policy_that_gives_no_schedule_is_one_warning(self):
        for policy in ("single:9", "single:foo"):
            result, _ = self.emulated(os.path.join(PLATFORMS, "laptop.json"), "svd", "--policy", policy)
            self.assertEqual(checksum(result), self.bare("svd"))
            said = [line for line in result.stderr.splitlines() if "MKMD_POLICY" in line]
            self.assertEqual(len(said), 1, result.stderr)
            self.assertIn(policy, said[0])
            self.assertIn("accepted: 0..1, cpu, gpu", said[0])

    def test_a_slower_device_takes_longer_and_computes_the_same(self):
        def change(content):
            content["emulation"].update(jitter=0, events=[{"at": 0, "device": "GTX760", "slows": 3}])
        busy = []
        for file in (self.changed(lambda content: content["emulation"].update(jitter=0)), self.changed(change)):
            result, summary = self.emulated(file, "svd", "--policy", "single:GTX760")
            self.assertEqual(checksum(result), self.bare("svd"))
            busy.append(summary["devices"][1]["seconds_busy"])
        self.assertAlmostEqual(busy[1] / busy[0], 3, delta=0.01)  # virtual time: exact but for launches

    def test_what_one_device_alone_makes_memory_bound_is_not_split(self):
        trace = os.path.join(self.folder, "laptop.trace")
        result, _ = self.emulated(os.path.join(PLATFORMS, "laptop.json"), "bicgstab", "--trace", trace)
        self.assertEqual(checksum(result), self.bare("bicgstab"))
        with open(trace) as file:
            windows = [json.loads(line)["window"] for line in file if line.startswith('{"window"')]
        launches = [c for w in windows for c in w["commands"] if c.get("kernel") == "matrix_vector"]
        whole = [c for c in launches if "bandwidth" in c.get("whole_because", "")]
        self.assertTrue(whole, launches)
        self.assertTrue(all(len(c["pieces"]) == 1 for c in whole))

    def test_equal_windows_take_plans_over_and_others_do_not(self):
        trace = os.path.join(self.folder, "windows.trace")
        program = [os.path.join(self.BUILD, "tests/programs/same_windows")]
        steady = self.changed(lambda content: content["emulation"].update(jitter=0))
        result, _ = self.emulated(steady, program, "--trace", trace)
        self.assertEqual(result.stdout, self.execute(program).stdout)
        with open(trace) as file:
            kept = [json.loads(line)["window"]["kept_plan"] for line in file if line.startswith('{"window"')]
        self.assertGreater(kept.count(True), 4, kept)
        self.assertGreater(kept.count(False), 10, kept)  # other buffers, scalars, shapes and places of bytes

    def test_a_run_that_could_not_keep_up_is_void(self):
        def change(content):
            for device in content["platform"]["devices"]:
                device.update(launch=0, rates={"operations": 1e15, "bytes": 1e15})
        result, summary = self.emulated(self.changed(change), "svd")
        self.assertEqual(checksum(result), self.bare("svd"))
        self.assertFalse(summary["emulation"]["valid"])
        self.assertIn("void", result.stderr)
        self.assertIn("time_scale", result.stderr)

    def test_mistakes_in_a_file(self):
        mkmd = os.path.join(self.BUILD, "mkmd")
        overflow = self.changed(lambda c: None)
        with open(overflow, "w") as file:
            file.write('{"platform": {},\n"emulation": {"jitter": 1e999}}')
        for path, key in (("/no/such/platform.json", "/no/such/platform.json"), (self.folder, "not a file"),
                          (overflow, "line 2"),
                          (self.changed(lambda c: c["platform"]["devices"][1]["rates"].update(bytes=0)),
                           "platform.devices[1].rates.bytes"),
                          (self.changed(lambda c: c["emulation"].update(timescale=2)), "emulation.timescale")):
            result = self.execute([mkmd, "run", "--platform", path, "--", "sh", "-c", "echo the program ran"])
            self.assertEqual((result.returncode, result.stdout), (2, ""), result)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(path, result.stderr)
            self.assertIn(key, result.stderr)
        library = os.path.join(self.BUILD, "lib/mkmd")
        result = self.execute(self.program("svd"), LD_PRELOAD=library + "/libinterpose.so", LD_LIBRARY_PATH=library,
                              MKMD_PLATFORM=overflow)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(checksum(result), self.bare("svd"))
        self.assertIn("MKMD_PLATFORM: " + overflow, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
