#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program is analysed while it goes on: it never waits for that, and its results do not depend on when it ends."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"
MKMD = os.path.join(BUILD, "mkmd")
PROGRAMS = os.path.join(BUILD, "tests/programs")
PENDING = "its program is being analysed"


class LateAnalysis(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.cache = os.path.join(self.folder, "cache")
        self.go, self.done = self.path("go"), self.path("done")

    def path(self, name):
        return os.path.join(self.folder, name)

    def helper(self, text):
        """The compiler helper, as a script that may let it wait."""
        script = self.path("mkmd-kc")
        with open(script, "w") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(script, 0o755)
        return script

    def environment(self, **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MKMD_", "LD_"))}
        return {"OCL_ICD_VENDORS": "pocl.icd", **environment, "LC_ALL": "C", "MKMD_KC_SECONDS": "600", "POCL_AFFINITY": "1",
                "XDG_CACHE_HOME": self.cache, "XDG_DATA_HOME": self.path("data"), "LATE_FOLDER": self.folder,
                "POCL_CACHE_DIR": os.path.join(BUILD, "tests/libinterpose/cache/pocl"), **variables}

    def run_it(self, *options, program="late_analysis", **variables):
        """Why its launches went straight to home, by kernel. Its output is as bare."""
        trace = self.path("trace")
        command = os.path.join(PROGRAMS, program)
        bare = subprocess.run([command], capture_output=True, text=True, timeout=600, env=self.environment())
        ran = subprocess.run([MKMD, "run", "--devices", "pocl/2", "--trace", trace, *options, "--", command],
                             capture_output=True, text=True, timeout=600, env=self.environment(**variables))
        self.assertEqual(bare.returncode, 0, bare.stdout)
        self.assertEqual((ran.returncode, ran.stdout), (bare.returncode, bare.stdout), ran.stderr)
        self.error = ran.stderr
        inspected = subprocess.run([MKMD, "inspect", "--json", trace], capture_output=True, text=True, timeout=600, check=True)
        whole = [of for of in json.loads(inspected.stdout)["not_split"] if not of["captured"]]
        return {(of["kernel"], of["why"]): of["launches"] for of in whole}

    def late(self):
        """It waits until the program lets it go on."""
        return self.helper(f"while [ ! -e {self.go} ]; do sleep 0.01; done\n"
                           f"{BUILD}/bin/mkmd-kc\ncode=$?\ntouch {self.done}\nexit $code\n")

    def check_late(self, *options):
        whole = self.run_it(*options, MKMD_KC=self.late(), LATE_GO=self.go, LATE_DONE=self.done)
        self.assertGreaterEqual(whole.get(("blend", PENDING), 0), 3, whole)
        self.assertGreaterEqual(whole.get(("picture", PENDING), 0), 2, whole)
        # The 210 launches that come later are not all whole for want of the analysis.
        self.assertLess(whole["blend", PENDING], 200, whole)
        self.assertLess(whole["picture", PENDING], 10, whole)
        for path in (self.go, self.done):
            os.remove(path)

    def test_it_ends_while_the_program_runs(self):
        self.check_late()

    def test_it_ends_where_memories_are_separate(self):
        self.check_late("--separate-memory")

    def test_what_it_found_is_known_at_once_in_the_next_run(self):
        self.check_late()
        whole = self.run_it(MKMD_KC=self.path("mkmd-kc"))
        self.assertNotIn(PENDING, [reason for _, reason in whole])

    def test_it_never_ends(self):
        self.check_endless("")

    def test_it_closes_its_files_and_never_ends(self):
        self.check_endless("exec <&- >&-\n")

    def test_the_program_closes_all_files_and_opens_its_own(self):
        self.run_it(program="close_fds", MKMD_KC=self.helper(f"sleep 0.3\nexec {BUILD}/bin/mkmd-kc\n"))

    def check_endless(self, begin):
        sign = f"{86400 + os.getpid()}"
        whole = self.run_it(MKMD_KC=self.helper(f"{begin}exec sleep {sign}\n"))
        self.assertEqual({reason for _, reason in whole}, {PENDING})
        self.assertNotIn("mkmd:", self.error.replace("mkmd: pocl", ""))
        for name in glob.glob("/proc/[0-9]*/cmdline"):  # nothing of it is left
            try:
                with open(name) as file:
                    self.assertNotEqual(file.read().split("\0")[:2], ["sleep", sign])
            except OSError:
                pass

    def test_it_fails(self):
        whole = self.run_it(MKMD_KC=self.helper("exit 3\n"))
        self.assertLess(sum(n for (_, reason), n in whole.items() if reason == PENDING), 200)
        self.assertIn("exit code 3", self.error)

    def test_launches_that_are_to_be_split_wait_for_it(self):
        whole = self.run_it(MKMD_KC=f"{BUILD}/bin/mkmd-kc", MKMD_WAIT_FOR_CODE="1")
        self.assertNotIn(PENDING, [reason for _, reason in whole])


if __name__ == "__main__":
    unittest.main(verbosity=2)
