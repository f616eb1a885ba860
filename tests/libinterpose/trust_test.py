#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whom the library believes: not whoever starts a set-user-ID program, and no file that others may have written."""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"
PARTS = os.path.join(BUILD, "tests", "libinterpose")
LINKED = os.path.join(BUILD, "tests", "programs", "linked")
NOBODY = 65534


def clean_environment(**variables):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MKMD_", "OCL_", "OPENCL_", "LD_", "XDG_"))}
    return dict(kept, **variables)


@unittest.skipUnless(os.geteuid() == 0, "needs root, who alone can make a program of root's for others to run")
class SetUserId(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mkmd-trust-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        if os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest(f"{self.folder} is mounted nosuid")
        self.theirs = os.path.join(self.folder, "theirs")
        os.mkdir(self.theirs)
        self.roots = {}
        for name in ("summary", "trace"):
            self.roots[name] = os.path.join(self.folder, name)
            with open(self.roots[name], "w") as file:
                file.write("root's")
            os.chmod(self.roots[name], 0o600)
        self.touched = os.path.join(self.theirs, "touched")
        helper = os.path.join(self.theirs, "mkmd-kc")
        with open(helper, "w") as file:
            file.write(f"#!/bin/sh\nid -u > {self.touched}\n")
        os.chmod(helper, 0o755)
        icd = os.path.join(self.theirs, "evil.icd")
        with open(icd, "w") as file:
            file.write(os.path.join(PARTS, "libexit_order_vendor.so") + "\n")
        self.variables = {
            "MKMD_KC": helper, "MKMD_SUMMARY": self.roots["summary"], "MKMD_TRACE": self.roots["trace"],
            "MKMD_DEVICES": "pocl/2", "MKMD_POLICY": "nonsense", "MKMD_LOG": "debug", "MKMD_PROFILE": "2",
            "MKMD_NONSENSE": "1", "HOME": self.theirs, "XDG_CACHE_HOME": self.theirs, "XDG_DATA_HOME": self.theirs}
        self.vendors = {"OCL_ICD_VENDORS": self.theirs, "OPENCL_VENDOR_PATH": self.theirs}
        for path in [self.theirs] + [os.path.join(self.theirs, name) for name in os.listdir(self.theirs)]:
            os.chown(path, NOBODY, NOBODY)

    def run_as_nobody(self, program, **variables):
        """A copy of the program that is root's and set-user-ID, run by nobody."""
        installed = os.path.join(self.folder, program)
        shutil.copy(os.path.join(PARTS, program), installed)
        os.chown(installed, 0, 0)
        os.chmod(installed, 0o4755)
        # What a driver caches is the driver's affair; that it finds a place of its own.
        variables.setdefault("POCL_CACHE_DIR", os.path.join(self.folder, "pocl"))
        result = subprocess.run([installed], env=clean_environment(**variables), capture_output=True, text=True,
                                timeout=600, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/")
        if "secure 1, effective user 0" not in result.stdout:
            self.skipTest(f"set-user-ID programs get no rights here: {result}")
        return result

    def test_the_caller_steers_nothing(self):
        plain = self.run_as_nobody("secure_execution_plain")
        ours = self.run_as_nobody("secure_execution", **self.variables, **self.vendors)
        self.assertEqual((plain.returncode, plain.stderr), (0, ""))
        self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (0, plain.stdout, ""))
        self.assertNotIn("MKMD", ours.stdout)
        for name, path in self.roots.items():
            with open(path) as file:
                self.assertEqual(file.read(), "root's", name)
        self.assertEqual(sorted(os.listdir(self.theirs)), ["evil.icd", "mkmd-kc"])

    def test_without_those_rights_it_obeys(self):
        """The same variables do all that in a plain program, so that the test above can fail."""
        os.chown(self.theirs, 0, 0)
        self.variables["MKMD_POLICY"] = "mkmd-malleable"
        del self.variables["MKMD_NONSENSE"]
        program = os.path.join(PARTS, "secure_execution")
        result = subprocess.run([program], env=clean_environment(**self.variables), capture_output=True, text=True,
                                timeout=600)
        self.assertIn("MKMD: ", result.stdout)
        self.assertTrue(os.path.exists(self.touched))
        with open(self.roots["summary"]) as file:
            self.assertIn("devices", json.load(file))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mkmd-trust-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.cache = os.path.join(self.folder, "mkmd")
        self.calibration = os.path.join(self.cache, "calibration.json")

    def run_linked(self, **variables):
        environment = clean_environment(XDG_CACHE_HOME=self.folder, XDG_DATA_HOME=self.folder + "/data",
                                        MKMD_DEVICES="pocl/2", MKMD_WAIT_FOR_CODE="1",
                                        LD_PRELOAD=os.path.join(BUILD, "lib", "mkmd", "libinterpose.so"), **variables)
        result = subprocess.run([LINKED], env=environment, capture_output=True, text=True, timeout=600)
        self.assertEqual(result.returncode, 7, result)
        return result

    def known(self):
        with open(self.calibration) as file:
            return json.load(file)

    def test_the_helper_beside_us_is_not_looked_for_in_the_current_folder(self):
        there = os.path.join(self.folder, "there")
        for part in ("lib/mkmd", "bin"):
            os.makedirs(os.path.join(there, part))
        open(os.path.join(there, "lib", "mkmd", "libinterpose.so"), "w").close()
        helper, asked = os.path.join(there, "bin", "mkmd-kc"), os.path.join(self.folder, "asked")
        with open(helper, "w") as file:
            file.write(f"#!/bin/sh\ntouch {asked}\n")
        os.chmod(helper, 0o755)
        environment = clean_environment(XDG_CACHE_HOME=self.folder, MKMD_DEVICES="pocl/2", MKMD_LOG="info",
                                        MKMD_WAIT_FOR_CODE="1", LD_PRELOAD="lib/mkmd/libinterpose.so")
        result = subprocess.run([os.path.join(PARTS, "secure_execution_plain"), there], env=environment, cwd=BUILD,
                                capture_output=True, text=True, timeout=600)
        self.assertIn("MKMD: ", result.stdout)
        self.assertEqual(result.returncode, 0, result)
        self.assertFalse(os.path.exists(asked))
        self.assertTrue([name for name in os.listdir(self.cache) if name.endswith(".mkmd")], "ours was not asked")

    def test_libraries_are_not_looked_for_in_the_current_folder(self):
        for program in ("mkmd", "bin/mkmd-kc", "bin/mkmd-simulate"):
            path = os.path.join(BUILD, program)
            needed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
            for line in needed.splitlines():
                open(os.path.join(self.folder, os.path.basename(line.split()[0])), "w").close()
            result = subprocess.run([path, "nonsense"], cwd=self.folder, capture_output=True, text=True, timeout=600)
            self.assertNotIn("loading shared libraries", result.stderr, program)

    def test_deeply_nested_json_is_no_calibration(self):
        self.run_linked()
        deep = '{"format": 4, "devices": {}, "memories": {}, "x": ' + "[" * 1_000_000 + "]" * 1_000_000 + "}"
        with open(self.calibration, "w") as file:
            file.write(deep)
        self.assertEqual(self.run_linked().stderr, "")
        self.assertTrue(self.known()["devices"])

    def test_implausible_rates_are_measured_again(self):
        self.run_linked()
        for value in (1e-300, 1e300, 0, -1, "1", None):
            known = self.known()
            for rates in known["devices"].values():
                rates["operations_per_second"] = value
            for memory in known["memories"]:
                known["memories"][memory] = value
            with open(self.calibration, "w") as file:
                json.dump(known, file)
            self.run_linked()
            for rates in self.known()["devices"].values():
                self.assertGreater(rates["operations_per_second"], 1e6, value)
                self.assertLess(rates["operations_per_second"], 1e15, value)
            for rate in self.known()["memories"].values():
                self.assertGreater(rate, 1e6, value)

    def test_a_cache_that_others_may_write_is_ignored_with_one_line(self):
        self.run_linked()
        self.assertEqual(stat.S_IMODE(os.stat(self.cache).st_mode), 0o700)
        os.chmod(self.cache, 0o777)
        before = {name: os.stat(os.path.join(self.cache, name)).st_mtime_ns for name in os.listdir(self.cache)}
        self.assertGreater(len(before), 1, "a calibration and the compiled program")
        result = self.run_linked()
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(f"{self.cache} may be written by others", result.stderr)
        after = {name: os.stat(os.path.join(self.cache, name)).st_mtime_ns for name in os.listdir(self.cache)}
        self.assertEqual(after, before, "nothing was used or written")

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a link away")
    def test_links_of_others_do_not_say_where_we_write(self):
        target = os.path.join(self.folder, "target")
        for variable in ("MKMD_SUMMARY", "MKMD_TRACE"):
            with open(target, "w") as file:
                file.write("kept")
            link = os.path.join(self.folder, variable)
            os.symlink(target, link)
            os.lchown(link, NOBODY, NOBODY)
            result = self.run_linked(**{variable: link})
            self.assertIn(f"{variable}: cannot write {link}", result.stderr)
            with open(target) as file:
                self.assertEqual(file.read(), "kept")
            os.lchown(link, 0, 0)
            self.assertEqual(self.run_linked(**{variable: link}).stderr, "")
            with open(target) as file:
                self.assertNotEqual(file.read(), "kept", "one's own link is followed")


if __name__ == "__main__":
    unittest.main(verbosity=1)
