#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts for users say what they do, and refuse arguments that they do not know, before they do anything."""
import os
import subprocess
import sys
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts")
# With an argument of each; none of these scripts may get as far as doing something.
WORDS = {"demo": None, "lint": None, "format": "--check", "test": "--quick", "setup": "figures"}


def run(script, *arguments):
    return subprocess.run([os.path.join(SCRIPTS, script), *arguments], capture_output=True, text=True, timeout=60)


class Scripts(unittest.TestCase):
    def test_help_says_what_the_script_does(self):
        for script in [*WORDS, "build"]:
            with self.subTest(script):
                p = run(script, "--help")
                self.assertEqual((p.returncode, p.stderr), (0, ""))
                with open(os.path.join(SCRIPTS, script), encoding="utf-8") as file:
                    second = file.read().splitlines()[1]
                self.assertEqual("# " + p.stdout.splitlines()[0], second)
                self.assertNotIn("#", p.stdout)

    def test_an_argument_that_is_not_known_is_refused(self):
        for script, word in WORDS.items():
            for arguments in [["--nonsense"], [word, "--nonsense"]] if word else [["--nonsense"]]:
                with self.subTest(script, arguments=arguments):
                    p = run(script, *arguments)
                    self.assertEqual((p.returncode, p.stdout), (2, ""))
                    self.assertIn("'--nonsense' is not accepted", p.stderr)
                    self.assertIn(word or "--help", p.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
