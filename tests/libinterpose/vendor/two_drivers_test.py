#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A GPU that two drivers offer is one device (libinterpose/vendor/pci.hpp)."""
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"


class TwoDrivers(unittest.TestCase):
    def devices(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "two.icd"), "w") as file:
                file.write(os.path.join(BUILD, "tests", "libinterpose", "libtwo_drivers.so") + "\n")
            done = subprocess.run([os.path.join(BUILD, "mkmd"), "devices", *arguments], text=True, capture_output=True,
                                  env=dict(os.environ, OCL_ICD_VENDORS=folder), timeout=60)
        return done.returncode, [line.split()[0] for line in done.stdout.splitlines()], done.stderr

    def test_the_first_driver_is_used(self):
        code, listed, said = self.devices()
        self.assertEqual(code, 0, said)
        self.assertIn("rusticl", listed)
        self.assertNotIn("nvidia", listed)
        self.assertIn("nvidia is the same device as rusticl", said)

    def test_either_can_be_chosen(self):
        for name in ("rusticl", "nvidia"):
            code, listed, said = self.devices(name)
            self.assertEqual((code, listed[1:]), (0, [name]), said)

    def test_a_name_of_both_is_one_device(self):
        code, listed, said = self.devices("u")  # part of both platforms' names
        self.assertEqual((code, len(listed) - 1), (0, 1), said)

    def test_both_together_are_a_mistake(self):
        code, _, said = self.devices("nvidia,rusticl")
        self.assertEqual(code, 2)
        self.assertIn("rusticl and nvidia are one device, which two drivers offer", said)


if __name__ == "__main__":
    unittest.main()
