#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run has learned is kept for the program's next run, whose results never depend on it."""
import glob
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"
MKMD = os.path.join(BUILD, "mkmd")
PROGRAM = os.path.join(BUILD, "tests/programs/run_ahead")


class Run:
    def __init__(self, ran, summary):
        self.code, self.out, self.error = ran.returncode, ran.stdout, ran.stderr
        self.explored = summary["exploring"]["windows"]
        self.known = summary["kernels_known"]


class Learning(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.cache = os.path.join(self.folder, "cache")
        # It calibrates: what is learned holds for devices as calibrated, and a busy machine may have to do that again.
        self.run_it(MKMD_LEARN="0")

    def environment(self, **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MKMD_", "LD_"))}
        return {"OCL_ICD_VENDORS": "pocl.icd", **environment, "LC_ALL": "C", "MKMD_KC_SECONDS": "600", "POCL_AFFINITY": "1",
                "XDG_CACHE_HOME": self.cache, "XDG_DATA_HOME": os.path.join(self.folder, "data"),
                "POCL_CACHE_DIR": os.path.join(BUILD, "tests/libinterpose/cache/pocl"), **variables}

    def run_it(self, *options, **variables):
        summary = os.path.join(self.folder, "summary.json")
        ran = subprocess.run([MKMD, "run", "--devices", "pocl/2", *options, "--", PROGRAM], capture_output=True, text=True,
                             timeout=600, env=self.environment(MKMD_SUMMARY=summary, MKMD_WAIT_FOR_CODE="1", **variables))
        with open(summary) as file:
            run = Run(ran, json.load(file))
        self.assertEqual((run.code, run.out), (self.bare.returncode, self.bare.stdout), run.error)
        return run

    @property
    def bare(self):
        if not hasattr(type(self), "known"):
            type(self).known = subprocess.run([PROGRAM], capture_output=True, text=True, timeout=600, env=self.environment())
        return type(self).known

    def files(self):
        return glob.glob(self.cache + "/mkmd/*.learned.mkmd")

    def learned(self):
        """How many runs the one file is of."""
        files = self.files()
        self.assertEqual(len(files), 1)
        with open(files[0]) as file:
            return json.load(file)["runs"]

    def test_the_second_run_knows_the_kernels(self):
        first = self.run_it()
        self.assertEqual(first.known, 0)
        self.assertGreater(first.explored, 0)
        self.assertEqual(self.learned(), 1)
        self.assertEqual(stat.S_IMODE(os.stat(self.files()[0]).st_mode), 0o600)
        second = self.run_it()
        self.assertGreater(second.known, 0)
        self.assertEqual(self.learned(), 2)
        self.assertEqual(second.error, "")

    def test_nothing_is_kept_or_used_unless_wanted(self):
        self.assertGreater(self.run_it(MKMD_LEARN="0").explored, 0)
        self.assertEqual(self.files(), [])
        self.run_it()
        self.assertEqual(self.run_it(MKMD_LEARN="0").known, 0)
        self.assertEqual(self.learned(), 1)

    def test_a_named_policy_is_neither_learned_from_nor_told(self):
        self.run_it("--policy", "random-cuts:seed=1")
        self.assertEqual(self.files(), [])

    def test_other_devices_learn_for_themselves(self):
        self.run_it()
        self.assertEqual(self.run_it("--separate-memory").known, 0)
        self.assertEqual(len(self.files()), 2)

    def test_a_damaged_file_is_not_used_and_is_replaced(self):
        self.run_it()
        with open(self.files()[0]) as file:
            good = file.read()
        for damaged in (good[:len(good) // 2], "", '{"format": 1, "kernels": []}'):
            with open(self.files()[0], "w") as file:
                file.write(damaged)
            run = self.run_it()
            self.assertEqual(run.known, 0)
            said = run.error.splitlines()
            self.assertEqual(len(said), 1, said)
            self.assertIn("what earlier runs have learned is not used", said[0])
            self.assertEqual(self.learned(), 1)
            self.assertGreater(self.run_it().known, 0)

    def test_a_folder_that_others_may_write_to_is_not_used(self):
        self.run_it()
        os.chmod(self.cache + "/mkmd", 0o777)
        run = self.run_it()
        self.assertEqual(run.known, 0)
        self.assertIn("may be written by others", run.error)
        os.chmod(self.cache + "/mkmd", 0o700)
        self.assertEqual(self.learned(), 1)

    def test_a_link_is_not_followed(self):
        self.run_it()
        file = self.files()[0]
        os.rename(file, self.folder + "/elsewhere")
        os.symlink(self.folder + "/elsewhere", file)
        run = self.run_it()
        self.assertEqual(run.known, 0)
        self.assertIn("is a link", run.error)

    def test_without_a_folder_to_write_to_it_runs_all_the_same(self):
        with open(self.folder + "/in the way", "w"):
            pass
        self.assertEqual(self.run_it(XDG_CACHE_HOME=self.folder + "/in the way").known, 0)
        self.assertEqual(self.run_it(XDG_CACHE_HOME="", HOME="").known, 0)


if __name__ == "__main__":
    unittest.main()
