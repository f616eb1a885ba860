#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ways into libinterpose.so, with clinfo as the program: preloaded, found first as libOpenCL.so, as an ICD vendor
of the installed loader. What clinfo prints must be what it prints without us. Only the device's name, the versions of
driver and loader, and extensions that we cannot serve may differ. The exported symbols must be those of the installed
libOpenCL, in the same versions."""
import os
import re
import shutil
import subprocess
import sys
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"
FOLDER = os.path.join(BUILD, "lib", "mkmd")
LIBRARY = os.path.join(FOLDER, "libinterpose.so")
LOADER = "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1"
# The bare program sees the drivers that we choose from, under us only home's. So where PoCL is one of several, both get
# only that.
ONE_DRIVER = {"OCL_ICD_VENDORS": "pocl.icd"} if os.path.exists("/etc/OpenCL/vendors/pocl.icd") else {}
# Of PoCL 6: their functions take handles, the program's are ours, and we have no such functions.
HIDDEN = ("cl_ext_buffer_device_address", "cl_khr_command_buffer_multi_device", "cl_pocl_svm_rect",
          "cl_pocl_command_buffer_svm", "cl_pocl_command_buffer_host_buffer")
GENERATOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "generate-entry-points")


def run(command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MKMD_", "OCL_", "LD_"))}
    environment.update(variables)
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)


def exported(library):
    table = subprocess.run(["objdump", "-T", library], capture_output=True, text=True, check=True).stdout
    # Debian's library exports its own wrappers of a few libc names, too; those are none of OpenCL.
    return {(fields[-1], fields[-2]) for fields in map(str.split, table.splitlines())
            if len(fields) >= 6 and fields[3] == ".text" and re.match(r"cl[A-Z]", fields[-1])}


def without_names(text):
    """clinfo's output without the lines that name the device, its driver and the loader."""
    return [line for line in text.splitlines()
            if not re.match(r"\s*(Device Name|Driver Version|ICD loader Version) ", line)]


def served(text):
    """A bare clinfo's output without what it says of extensions that we hide: words of a list, or lines of a table."""
    lines = without_names(text)
    for name in HIDDEN:
        lines = [re.sub(name + "( |$)", "", line) for line in lines if not re.match(rf"\s*{name} +0x", line)]
    return lines


class Doors(unittest.TestCase):
    maxDiff = None

    @unittest.skipUnless(os.path.exists(LOADER) and shutil.which("objdump"), "needs Debian's ocl-icd and objdump")
    def test_symbols_are_those_of_the_loader(self):
        self.assertEqual(exported(LIBRARY) - {("clIcdGetPlatformIDsKHR", "OPENCL_1.0")}, exported(LOADER))

    def test_nothing_else_is_exported(self):
        table = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True,
                               check=True).stdout
        names = [line.split()[-1] for line in table.splitlines()]
        self.assertEqual([n for n in names if not n.startswith(("cl", "OPENCL_"))], ["exit"])

    def test_generated_files_are_up_to_date(self):
        result = run([GENERATOR, "--check"], PATH=os.environ["PATH"])
        self.assertEqual(result.returncode, 0, result.stderr)


class Exit(unittest.TestCase):
    def test_a_vendor_ends_as_it_does_without_us(self):
        folder = os.path.join(BUILD, "tests", "libinterpose")
        program = os.path.join(folder, "exit_order")
        vendor = os.path.join(folder, "libexit_order_vendor.so")
        bare = run([program], OCL_ICD_VENDORS=vendor)
        ours = run([program], OCL_ICD_VENDORS=vendor, LD_PRELOAD=LIBRARY, LD_LIBRARY_PATH=FOLDER)
        self.assertIn("part gone", bare.stdout)
        self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (bare.returncode, bare.stdout, bare.stderr))


@unittest.skipUnless(shutil.which("clinfo"), "needs clinfo")
class Clinfo(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.bare = run(["clinfo"], **ONE_DRIVER)

    def assert_same(self, ours):
        self.assertEqual(ours.returncode, self.bare.returncode, ours.stderr)
        self.assertEqual(without_names(ours.stdout), served(self.bare.stdout))
        self.assertEqual(ours.stderr, self.bare.stderr)
        self.assertIn("MKMD: ", ours.stdout)

    def test_preloaded(self):
        self.assert_same(run(["clinfo"], LD_PRELOAD=LIBRARY, LD_LIBRARY_PATH=FOLDER, **ONE_DRIVER))

    def test_found_first(self):
        self.assert_same(run(["clinfo"], LD_LIBRARY_PATH=FOLDER, **ONE_DRIVER))

    def test_as_icd_vendor(self):
        self.assert_same(run(["clinfo"], OCL_ICD_VENDORS=LIBRARY))

    def test_preloaded_and_icd_vendor(self):
        ours = run(["clinfo", "-l"], LD_PRELOAD=LIBRARY, OCL_ICD_VENDORS=LIBRARY)
        self.assertEqual(ours.stdout.count("MKMD: "), 1, ours.stdout)

    def test_switched_off(self):
        ours = run(["clinfo"], LD_PRELOAD=LIBRARY, MKMD_ENABLE="0", **ONE_DRIVER)
        self.assertEqual(ours.stdout.splitlines()[:-2], self.bare.stdout.splitlines()[:-2])

    def test_switched_off_with_every_driver(self):
        bare, ours = [re.split(r"\s*Platform #[0-9]+: ", run(["clinfo", "-l"], **more).stdout.strip())[1:]
                      for more in ({}, {"LD_PRELOAD": LIBRARY, "MKMD_ENABLE": "0"})]
        self.assertEqual(ours[0], bare[0], "many programs take the first platform")
        self.assertEqual(sorted(ours), sorted(bare))

    def test_bad_settings_warn_and_change_nothing(self):
        ours = run(["clinfo"], LD_PRELOAD=LIBRARY, MKMD_DEVICES="nosuch", MKMD_LOG="warning", MKMD_POLICI="x",
                   **ONE_DRIVER)
        self.assertEqual(without_names(ours.stdout), served(self.bare.stdout))
        lines = ours.stderr.splitlines()
        self.assertEqual(len(lines), 2, ours.stderr)
        self.assertTrue(all(line.startswith("mkmd: ") for line in lines), ours.stderr)


class LoadedByName(unittest.TestCase):
    def test_names(self):
        program = r"""
import ctypes, sys
cl = ctypes.CDLL(sys.argv[1])
count = ctypes.c_uint()
platform = ctypes.c_void_p()
device = ctypes.c_void_p()
assert cl.clGetPlatformIDs(1, ctypes.byref(platform), ctypes.byref(count)) == 0
assert cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xFFFFFFFF), 1, ctypes.byref(device), None) == 0
name = ctypes.create_string_buffer(256)
assert cl.clGetDeviceInfo(device, 0x102B, 256, name, None) == 0
print(name.value.decode())
"""
        for name in ("libOpenCL.so.1", "libOpenCL.so"):
            ours = run([sys.executable, "-c", program, name], LD_PRELOAD=LIBRARY, LD_LIBRARY_PATH=FOLDER)
            self.assertEqual(ours.returncode, 0, ours.stderr)
            self.assertTrue(ours.stdout.startswith("MKMD: "), (name, ours.stdout))


if __name__ == "__main__":
    unittest.main(verbosity=1)
