#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Emulated devices that fail, slow down and fill up while a program runs. Its results are those of the bare run
whenever what was lost exists elsewhere or can be computed again; otherwise it gets an OpenCL error. It never hangs."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
from emulated_runs import EmulatedRuns, checksum  # noqa: E402

if len(sys.argv) > 1:
    EmulatedRuns.BUILD = os.path.abspath(sys.argv.pop(1))


def events(*given):
    """(instant in emulated seconds, device, what happens)"""
    return lambda content: content["emulation"].update(
        events=[{"at": at, "device": device, **what} for at, device, what in given])


FAILS = {"fails": True}


class Failures(EmulatedRuns):
    def identical(self, name, change, *options, platform="mkmd-table2"):
        result, summary = self.emulated(self.changed(change, platform), name, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(checksum(result), self.bare(name))
        return {device["name"]: device["groups"] for device in summary["devices"]}, summary["emulation"]

    def test_1_failed_before_anything_ran(self):
        groups, emulation = self.identical("svd", events((0, "GTX760", FAILS)))
        self.assertEqual((groups["GTX760"], emulation["again"]), (0, 0))

    def test_2_fails_with_work_under_way(self):
        groups, emulation = self.identical("svd", events((0.01, "GTX760", FAILS)))
        self.assertGreater(emulation["again"], 0)

    def test_3_fails_with_the_only_copy_of_everything(self):
        for at in (0.02, 0.1):  # in the first product, and when intermediate results are lost
            groups, emulation = self.identical("care", events((at, "GTX760", FAILS)), "--policy", "single:GTX760")
            self.assertGreater(emulation["again"], 0)
            self.assertGreater(groups["i7-3770"], 0)

    def test_4_all_but_home_fail_one_after_the_other(self):
        groups, emulation = self.identical("svd", events((0.01, "GTX760", FAILS), (0.03, "GTX750Ti", FAILS)))
        self.assertGreater(emulation["again"], 0)

    def test_5_fails_between_updates_in_place(self):
        for name in ("bicgstab", "jacobi"):
            self.identical(name, events((0.003, "GTX760", FAILS)))
        groups, emulation = self.identical("bicgstab", events((0.001, "GTX760", FAILS)), "--policy", "single:GTX760")
        self.assertGreater(emulation["again"], 0)

    def test_6_fails_while_the_others_have_its_memory(self):
        groups, emulation = self.identical("svd", events((0.01, "gpu", FAILS)), platform="laptop")
        self.assertGreater(emulation["again"], 0)

    def test_7_three_of_eight_fail(self):
        names = [f"gpu{i}" for i in range(3)]
        self.identical("care", lambda content: events(*(
            (0.004 * (i + 1), content["platform"]["devices"][i + 1]["name"], FAILS) for i in range(len(names))))(content),
                       platform="eight-gpus")

    def test_8_full_from_the_beginning(self):
        groups, emulation = self.identical("svd", events((0, "GTX760", {"has": 1e6})))
        self.assertEqual(groups["GTX760"], 0)
        self.assertGreater(groups["GTX750Ti"], 0)

    def test_9_fills_up(self):
        # What it has it keeps: at 512 MB of which two matrices of 4096 take 128, it works on with those.
        groups, emulation = self.identical("care", events((0.01, "GTX760", {"has": 1.5e8}), (0.02, "GTX750Ti", {"has": 0})))
        self.identical("bicgstab", events((0.001, "GTX760", {"has": 0})), "--policy", "single:GTX760")

    def test_10_slows_fills_and_fails(self):
        self.identical("care", events((0.005, "GTX760", {"slows": 20}), (0.01, "GTX750Ti", {"has": 0}),
                                      (0.03, "GTX760", FAILS)))

    def test_11_what_the_program_overwrites_is_kept(self):
        command = [os.path.join(self.BUILD, "tests/libinterpose/lost_input")]
        bare = self.execute(command + ["0"]).stdout.splitlines()

        def change(content):
            events((1, "GTX760", FAILS))(content)
            del content["emulation"]["size_scale"]
            content["platform"]["devices"][1]["rates"]["operations"] = 1e9
        result, summary = self.emulated(self.changed(change), command + ["1.5"], "--policy", "single:GTX760")
        lines = result.stdout.splitlines()
        self.assertEqual((result.returncode, lines), (0, bare), result)
        self.assertGreater(summary["emulation"]["again"], 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
