#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that keep their binaries themselves: each run is as bare, and the second is split as the first."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"
MKMD = os.path.join(BUILD, "mkmd")
KEPT = os.path.join(BUILD, "tests/programs/kept_binaries")
PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../programs/doors/python_arrays.py")
ALL = 3  # launches of the program with a file
NOT_SEEN = "its program was made from a binary that MKMD has not seen"
OTHER_OPTIONS = "its program was made from a binary of a build with other options"


class Run:
    def __init__(self, ran, summary=None, reasons=()):
        self.code, self.out, self.error = ran.returncode, ran.stdout, ran.stderr
        self.split = summary["kernels_split"] if summary else 0
        self.reasons = set(reasons)


class Twice(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.cache = os.path.join(self.folder, "cache", "mkmd")
        self.maxDiff = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MKMD_", "LD_", "PYOPENCL_"))}
        return {"OCL_ICD_VENDORS": "pocl.icd", **environment, "LC_ALL": "C", "MKMD_KC_SECONDS": "600", "POCL_AFFINITY": "1",
                "XDG_CACHE_HOME": self.path("cache"), "XDG_DATA_HOME": self.path("data"),
                "POCL_CACHE_DIR": os.path.join(BUILD, "tests/libinterpose/cache/pocl"), **variables}

    def bare(self, *command, **variables):
        return Run(subprocess.run(command, env=self.environment(**variables), capture_output=True, text=True, timeout=600))

    def ours(self, *command, devices="pocl/2", **variables):
        summary, trace = self.path("summary.json"), self.path("trace.jsonl")
        ran = subprocess.run([MKMD, "run", "--devices", devices, "--policy", "random-cuts:seed=1", "--trace", trace, "--",
                              *command], env=self.environment(MKMD_SUMMARY=summary, **variables), capture_output=True,
                             text=True, timeout=600)
        with open(summary) as file:
            said = json.load(file)
        shown = subprocess.run([MKMD, "inspect", trace, "--json"], capture_output=True, text=True, timeout=600, check=True)
        return Run(ran, said, [why["why"] for why in json.loads(shown.stdout)["not_split"]])

    def check_same(self, bare, ours):
        self.assertEqual((ours.code, ours.out, ours.error), (bare.code, bare.out, bare.error))
        self.assertEqual(bare.code, 0)

    def kept(self, name, *options, **variables):
        """A run of the program under us, which keeps its binary in a file of that name, and a bare one."""
        bare = self.bare(KEPT, self.path(name + ".bare"), *options)
        ours = self.ours(KEPT, self.path(name), *options, **variables)
        self.check_same(bare, ours)
        return ours

    def test_the_second_run_is_split_as_the_first(self):
        for options in ((), ("-DSTEP=5",), ("-cl-mad-enable",)):
            name = "binary" + "".join(options)
            first, second = self.kept(name, *options), self.kept(name, *options)
            self.assertIn("from source", first.out)
            self.assertIn("from binary", second.out)
            self.assertEqual((first.split, second.split), (ALL, ALL), options)

    def test_mkmd_kernels_reads_a_binary_that_was_seen(self):
        self.kept("binary", "-DSTEP=5")
        command = [MKMD, "kernels", self.path("binary"), "--json"]
        shown = subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=600, check=True)
        self.assertEqual([k["name"] for k in json.loads(shown.stdout)], ["ints", "tiny", "mad_"])
        command[2] = KEPT
        shown = subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=600)
        self.assertEqual(shown.returncode, 1)
        self.assertIn("a binary that MKMD has not seen", shown.stderr)

    def test_what_was_never_seen_has_that_as_its_reason(self):
        self.kept("binary")
        for entry in glob.glob(self.cache + "/*.binary.mkmd"):
            os.remove(entry)
        second = self.kept("binary")
        self.assertEqual((second.split, second.reasons), (0, {NOT_SEEN}))

    def test_other_bytes_are_another_binary(self):
        self.kept("binary")
        for name in ("binary", "binary.bare"):
            with open(self.path(name), "ab") as file:
                file.write(b"\0")
        second = self.kept("binary")
        self.assertEqual((second.split, second.reasons), (0, {NOT_SEEN}))

    def test_damaged_entries_do_no_harm(self):
        self.kept("binary")
        entries = glob.glob(self.cache + "/*.binary.mkmd")
        self.assertTrue(entries)
        for entry in entries:
            os.truncate(entry, os.path.getsize(entry) // 2)
        self.assertEqual(self.kept("binary").split, 0)

    def test_other_options_than_then(self):
        self.kept("binary", "-DSTEP=5")
        second = self.kept("binary", "-DSTEP=6")
        self.assertEqual((second.split, second.reasons), (0, {OTHER_OPTIONS}))
        self.assertEqual(self.kept("binary").split, ALL, "none are those of then")
        self.kept("zero", "-cl-denorms-are-zero")
        second = self.kept("zero")
        self.assertEqual((second.split, second.reasons), (0, {OTHER_OPTIONS}), "drivers look at this one when a kernel runs")

    def test_included_files_are_those_of_then(self):
        header = self.path("kept_step.h")
        options = ("-DIN_FILE", "-I", self.folder)
        with open(header, "w") as file:
            file.write("#define STEP 11\n")
        self.assertEqual(self.kept("binary", *options).split, ALL)
        self.assertEqual(self.kept("binary", *options).split, ALL)
        with open(header, "w") as file:
            file.write("#define STEP 12\n")
        changed = self.kept("binary", *options)
        self.assertEqual((changed.split, changed.reasons),
                         (0, {"its program includes files that have changed since it was compiled"}))
        os.remove(header)
        gone = self.kept("binary", *options)
        self.assertEqual(gone.split, 0)
        with open(header, "w") as file:
            file.write("#define STEP 11\n")
        self.assertEqual(self.kept("binary", *options).split, ALL)

    def test_separate_memories_and_one_device(self):
        self.kept("binary")
        self.assertEqual(self.kept("binary", MKMD_SEPARATE_MEMORY="1").split, ALL)
        self.assertEqual(self.kept("binary", devices="pocl").split, 0)

    def test_a_cache_that_others_may_write_to_is_not_used(self):
        self.kept("binary")
        os.chmod(self.cache, 0o777)
        bare = self.bare(KEPT, self.path("binary.bare"))
        ours = self.ours(KEPT, self.path("binary"))
        self.assertEqual((ours.out, ours.split), (bare.out, 0))
        self.assertIn("may be written by others", ours.error)

    def test_pyopencl_with_its_cache(self):
        python = next((p for p in (sys.executable, "/usr/bin/python3")
                       if subprocess.run([p, "-c", "import pyopencl"], capture_output=True, cwd="/").returncode == 0), None)
        if python is None:
            self.skipTest("there is no pyopencl")
        runs = [self.ours(python, PYTHON, "cache") for _ in range(2)]
        bare = self.bare(python, PYTHON, "cache", XDG_CACHE_HOME=self.path("bare"))
        for run in runs:
            self.check_same(bare, run)
        self.assertTrue(glob.glob(self.path("cache/pyopencl/*/*/binary")), "it keeps binaries")
        self.assertGreater(runs[0].split, 4)
        self.assertEqual(runs[1].split, runs[0].split)


if __name__ == "__main__":
    unittest.main()
