# SPDX-License-Identifier: Apache-2.0
"""What the tests of emulated devices share: runs of small programs, bare and on a changed platform file."""
import json
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PLATFORMS = os.path.join(ROOT, "bench/platforms")
SMALL = ["--size", "192", "--repeat", "1"]
PROGRAMS = {"svd": SMALL, "care": SMALL, "bicgstab": SMALL + ["--iters", "2"], "jacobi": SMALL + ["--iters", "4"]}


def run(build, command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MKMD_")}
    cache = os.path.join(build, "tests/programs")
    environment.update(XDG_CACHE_HOME=cache + "/cache", XDG_DATA_HOME=cache + "/data", **variables)
    os.makedirs(environment["XDG_CACHE_HOME"], exist_ok=True)
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)


def checksum(result):
    return [line for line in result.stdout.splitlines() if line.startswith("checksum")]


class EmulatedRuns(unittest.TestCase):
    BUILD = "build"
    _bare = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def execute(self, command, **variables):
        return run(self.BUILD, command, **variables)

    def program(self, name):
        return [os.path.join(self.BUILD, "bench/apps", name)] + PROGRAMS[name]

    def bare(self, name):
        if name not in self._bare:
            self._bare[name] = checksum(self.execute(self.program(name)))
            self.assertEqual(len(self._bare[name]), 1)
        return self._bare[name]

    def changed(self, change, name="mkmd-table2"):
        """One of our platform files after `change` has had it."""
        with open(os.path.join(PLATFORMS, name + ".json")) as file:
            content = json.load(file)
        change(content)
        path = os.path.join(self.folder, f"platform-{len(os.listdir(self.folder))}.json")
        with open(path, "w") as file:
            json.dump(content, file)
        return path

    def emulated(self, platform, name, *options):
        """Name of a program here, or a command."""
        summary = os.path.join(self.folder, "summary.json")
        command = self.program(name) if isinstance(name, str) else name
        result = self.execute([os.path.join(self.BUILD, "mkmd"), "run", "--platform", platform, "--summary", summary,
                               *options, "--", *command])
        self.assertTrue(os.path.exists(summary), f"it ended with {result.returncode}\n{result.stderr}")
        with open(summary) as file:
            return result, json.load(file)
