#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mkmd verify` from outside: what is wrongly described is found, what is rightly described is not, and the program
stays what it is. Wrong descriptions come from a helper of ours in front of the real one (changed_helper.py)."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"
MKMD = os.path.join(BUILD, "mkmd")
KERNELS = os.path.join(BUILD, "tests/libinterpose/verify_kernels")
HALF = 2048  # work-items of the first piece
HELPER = """#!{python}
import sys
sys.path.insert(0, {here!r})
sys.dont_write_bytecode = True
import changed_helper

def change(kernels):
{change}

changed_helper.serve({helper!r}, change)
"""


class Result:
    def __init__(self, ran, verdict):
        self.code, self.out, self.error = ran.returncode, ran.stdout, ran.stderr
        self.said = [line for line in ran.stderr.splitlines() if line.startswith("mkmd: ")]
        self.verdict = verdict
        self.kernels = {kernel["name"]: kernel for kernel in verdict["kernels"]} if verdict else {}


class Verify(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def environment(self, **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MKMD_", "OCL_", "LD_"))}
        return {**environment, "LC_ALL": "C", "MKMD_KC_SECONDS": "600", "POCL_AFFINITY": "1", "TMPDIR": self.folder.name,
                "POCL_CACHE_DIR": os.path.join(BUILD, "tests/libinterpose/cache/pocl"),
                "XDG_CACHE_HOME": os.path.join(BUILD, "tests/libinterpose/cache"), **variables}

    def verify(self, *words, options=(), devices="pocl/2", program=(KERNELS,), **variables):
        path = os.path.join(self.folder.name, "verdict.json")
        before = set(os.listdir(self.folder.name))
        ran = subprocess.run([MKMD, "verify", "--json", path, "--devices", devices, *options, "--", *program, *words],
                             env=self.environment(**variables), capture_output=True, text=True, timeout=600)
        self.assertEqual(set(os.listdir(self.folder.name)) - before - {"verdict.json"}, set(), "a file is left behind")
        verdict = None
        if os.path.exists(path):
            with open(path) as file:
                verdict = json.load(file)
            os.remove(path)
        return Result(ran, verdict)

    def helper(self, *change):
        path = os.path.join(self.folder.name, "helper")
        with open(path, "w") as file:
            file.write(HELPER.format(python=sys.executable, here=HERE, helper=os.path.join(BUILD, "bin/mkmd-kc"),
                                     change="\n".join("  " + line for line in change)))
        os.chmod(path, 0o700)
        return path

    def changed(self, kernel, *change, **more):
        """What verify says of the kernel where its description is changed so, and of four where nothing is."""
        result = self.verify("four" if kernel != "four" else "sum4", kernel, MKMD_KC=self.helper(*change), **more)
        self.assertEqual(result.code, 1, result.error)
        self.assertEqual({d["kernel"] for d in result.verdict["differences"]}, {kernel}, result.error)
        self.assertEqual({k["name"] for k in result.verdict["kernels"] if k["differences"]}, {kernel})
        self.assertIn("splitting this program's kernels is not safe", result.said[-1])
        return result

    def assert_found(self, result, what, argument, name, first, end, line):
        found = [{k: d.get(k) for k in ("what", "argument", "name", "first_byte", "end_byte", "line")}
                 for d in result.verdict["differences"]]
        wanted = {"what": what, "argument": argument, "name": name, "first_byte": first, "end_byte": end, "line": line}
        self.assertIn(wanted, found, result.error)
        self.assertEqual({(f["what"], f["name"]) for f in found}, {(what, name)}, result.error)  # of other pieces
        text = f"argument {argument} ({name}), bytes {first}-{end - 1}, "
        self.assertTrue([s for s in result.said if text in s and (line == 0 or f"(line {line})" in s)], result.error)


class Descriptions(Verify):
    ALL = ["sum4", "four", "positive", "found"]

    def assert_right(self, result):
        self.assertEqual(result.code, 0, result.error)
        self.assertEqual(result.verdict["differences"], [])
        for name in self.ALL[:3]:
            kernel = result.kernels[name]
            self.assertEqual([kernel[k] for k in ("launches", "splittable", "checked", "differences", "failed", "varying")],
                             [1, 1, 1, 0, 0, 0], kernel)
            self.assertGreaterEqual(kernel["splits"], 2)
            self.assertGreaterEqual(kernel["pieces"], 10)
        self.assertEqual(result.kernels["found"]["checked"], 0)
        self.assertIn("mkmd: found: 1 launched, none may be split: its pieces touch the same bytes", result.said)

    def test_right_ones(self):
        self.assert_right(self.verify(*self.ALL))

    def test_right_ones_through_the_helper_of_ours(self):
        self.assert_right(self.verify(*self.ALL, MKMD_KC=self.helper("pass")))

    def test_right_ones_with_separate_memories(self):
        self.assert_right(self.verify(*self.ALL, options=["--separate-memory"]))

    def test_index_buffers_tell_pieces_apart(self):
        result = self.verify("scattered")
        self.assertEqual(result.code, 0, result.error)
        kernel = result.kernels["scattered"]
        self.assertEqual([kernel[k] for k in ("splittable", "checked", "differences", "failed")], [1, 1, 0, 0], kernel)
        self.assertGreaterEqual(kernel["splits"], 2)

    def test_index_buffers_that_bring_pieces_together(self):
        result = self.verify("meeting")
        self.assertEqual(result.kernels["scattered"]["splittable"], 0)
        self.assertIn("mkmd: scattered: 1 launched, none may be split: its pieces touch the same bytes", result.said)

    def test_an_index_that_is_loaded_elsewhere(self):
        result = self.changed("scattered", "kernel = kernels['scattered']", "kernel['expressions'].append('64')",
                              "kernel['loads'][0]['offset']['base'] = len(kernel['expressions']) - 1")
        self.assertEqual({d["what"] for d in result.verdict["differences"]} - {"undescribed write", "undescribed read",
                                                                               "other result"}, set())

    def test_right_ones_on_another_code_generator(self):
        result = self.verify("sum4", devices="pocl,oclgrind")
        if result.code == 2:
            self.skipTest(result.error)
        self.assertEqual(result.code, 0, result.error)
        self.assertEqual(result.kernels["sum4"]["checked"], 1)

    def test_a_read_that_is_too_small(self):
        result = self.changed("sum4", "kernels['sum4']['accesses'][0]['bytes'] = 12")
        self.assert_found(result, "undescribed read", 0, "in", 12, 16 * HALF, 3)

    def test_a_read_of_another_argument(self):
        result = self.changed("positive", "kernels['positive']['accesses'][0]['argument'] = 1")
        # The first number is negative with or without poison in its lower bytes.
        self.assert_found(result, "undescribed read", 0, "in", 3, 4 * HALF, 0)

    def test_a_read_with_separate_memories(self):
        result = self.changed("sum4", "kernels['sum4']['accesses'][0]['bytes'] = 12", options=["--separate-memory"])
        self.assert_found(result, "undescribed read", 0, "in", 12, 16 * HALF, 3)

    def test_a_write_that_is_too_small(self):
        result = self.changed("four", "kernels['four']['accesses'][1]['bytes'] = 12")
        self.assert_found(result, "undescribed write", 1, "out", 12, 16 * HALF, 9)

    def test_a_write_that_happens_now_and_then_as_a_sure_one(self):
        result = self.changed("positive", "kernels['positive']['accesses'][1].update(sure=True, scopes=[])")
        self.assert_found(result, "missing write", 1, "out", 0, 4 * (HALF - 1), 14)

    def test_a_write_that_never_happens(self):
        result = self.changed("nothing", "kernels['nothing']['accesses'] = [dict(kernels['four']['accesses'][1], argument=0)]",
                              "kernels['nothing']['expressions'] = kernels['four']['expressions']")
        self.assert_found(result, "missing write", 0, "inout", 0, 16 * HALF, 9)

    def test_pieces_that_write_the_same_byte(self):
        result = self.changed("found", "accesses = kernels['found']['accesses']",
                              "accesses[:] = [a for a in accesses if a['argument'] != 2]")
        self.assert_found(result, "undescribed write", 2, "any", 0, 4, 0)

    def test_pieces_that_read_what_others_write(self):
        result = self.changed("mirror", "accesses = kernels['mirror']['accesses']",
                              "del accesses[[a['line'] for a in accesses].index(25)]")
        self.assertIn("undescribed read", [d["what"] for d in result.verdict["differences"]], result.error)
        for difference in result.verdict["differences"]:
            self.assertEqual(difference["name"], "inout")

    def test_a_piece_that_crashes_on_poison(self):
        change = ["accesses = kernels['far']['accesses']",
                  "accesses[:] = [a for a in accesses if a['argument'] == 1]",  # and what it reads is its own number
                  "write = [a for a in accesses if a['kind'] == 'write'][0]",
                  "accesses[:] = [dict(write, kind='read', sure=False), write]"]
        result = self.changed("far", *change)
        self.assertEqual([(d["what"], d["first_group"], d["end_group"]) for d in result.verdict["differences"]],
                         [("crash", [0, 0, 0], [64, 1, 1])], result.error)
        self.assertTrue([s for s in result.said if s.startswith("mkmd: far: a piece crashed that found poison")])
        self.assertEqual(result.verdict["signal"], 11)
        self.assertEqual([result.kernels["far"][k] for k in ("launches", "splittable", "differences")], [1, 1, 1])

    def test_every_launch_is_checked_if_asked_for(self):
        words = ["sum4"] * 9
        self.assertEqual(self.verify(*words, options=["--all"]).kernels["sum4"]["checked"], 9)
        seldom = self.verify(*words).kernels["sum4"]
        self.assertEqual(seldom["launches"], 9)
        self.assertIn(seldom["checked"], (1, 2, 3, 4))


class Programs(Verify):
    def test_exit_code_and_output_are_the_programs(self):
        bare = subprocess.run([KERNELS, "sum4", "four", "exit=7"], env=self.environment(), capture_output=True, text=True)
        self.assertEqual(bare.returncode, 7, bare)
        result = self.verify("sum4", "four", "exit=7")
        self.assertEqual((result.code, result.out), (7, bare.stdout), result.error)
        self.assertTrue(result.error.startswith("said on stderr\nmkmd: "), result.error)
        self.assertEqual((result.verdict["exit"], result.verdict["signal"]), (7, 0))

    def test_a_difference_is_told_whatever_the_program_says(self):
        wrong = self.helper("kernels['sum4']['accesses'][0]['bytes'] = 12")
        for word in ("exit=0", "exit=7", "quick", "signal=9"):
            self.assertEqual(self.verify("sum4", word, MKMD_KC=wrong).code, 1, word)

    def test_a_program_that_a_signal_ends(self):
        result = self.verify("sum4", "signal=15")
        self.assertEqual(result.code, 128 + 15, result.error)
        self.assertEqual((result.verdict["exit"], result.verdict["signal"], result.verdict["incomplete"]), (143, 15, 1))
        self.assertEqual(result.verdict["differences"], [])
        self.assertIn("Terminated", result.said[-1])
        self.assertTrue([s for s in result.said if "a process ended without exit handlers" in s], result.error)

    def test_a_program_without_exit_handlers(self):
        result = self.verify("sum4", "quick", "exit=3")
        self.assertEqual((result.code, result.verdict["incomplete"], result.kernels["sum4"]["checked"]), (3, 1, 1))

    def test_several_processes_are_added_up(self):
        result = self.verify("sum4", "process", "sum4", "four", "process", "sum4")
        self.assertEqual(result.code, 0, result.error)
        self.assertEqual([result.kernels[name]["checked"] for name in ("sum4", "four")], [3, 1], result.error)
        self.assertEqual(result.verdict["incomplete"], 0)
        wrong = self.helper("kernels['four']['accesses'][1]['bytes'] = 12")
        self.assertEqual(self.verify("sum4", "process", "four", MKMD_KC=wrong).code, 1)

    def test_nothing_to_check_is_said(self):
        for words, variables, what in ((["true"], {}, "a program that runs kernels"),
                                       ([KERNELS, "found"], {}, "none of them may be split"),
                                       ([KERNELS, "sum4"], {"MKMD_ENABLE": "0"}, "MKMD_ENABLE=0"),
                                       ([KERNELS, "sum4"], {"MKMD_KC": "/bin/false"}, "none of them may be split")):
            result = self.verify(program=words, **variables)
            self.assertEqual(result.code, 0, result.error)
            self.assertIn("mkmd: no launch was checked: ", result.said[-1])
            self.assertIn(what, result.said[-1])
        result = self.verify("sum4", devices="pocl")
        self.assertIn("at least two devices", result.said[-1])

    def test_profiling_does_not_take_its_place(self):
        result = self.verify("sum4", MKMD_PROFILE="3")
        self.assertEqual(result.kernels["sum4"]["checked"], 1, result.error)

    def test_mistakes(self):
        def mistake(*arguments, **variables):
            ran = subprocess.run([MKMD, "verify", *arguments], env=self.environment(**variables), capture_output=True, text=True)
            self.assertEqual((ran.stdout, len(ran.stderr.splitlines())), ("", 1), ran)
            return ran.returncode, ran.stderr
        program = ["sh", "-c", "echo the program ran"]
        for arguments, variables, part in (
                ([], {}, "usage: mkmd verify"), (["--all"], {}, "no program was given"),
                (["--nope", *program], {}, "unknown option --nope"), (["--all=1", *program], {}, "--all takes no value"),
                (["--json"], {}, "--json needs a value: FILE"), (["--devices"], {}, "--devices needs a value"),
                (["--devices", "nosuch", *program], {}, "nosuch"),
                (program, {"MKMD_VERIFY_ALL": "maybe"}, "MKMD_VERIFY_ALL")):
            code, said = mistake(*arguments, **variables)
            self.assertEqual(code, 2, said)
            self.assertIn(part, said)
        self.assertEqual(mistake("/no/such/program")[0], 127)
        self.assertEqual(mistake("/etc/passwd")[0], 126)
        code, said = mistake(*program, TMPDIR="/dev/null/x")
        self.assertEqual(code, 1)
        self.assertIn("/dev/null/x", said)

    def test_a_verdict_that_cannot_be_written(self):
        ran = subprocess.run([MKMD, "verify", "--json", "/dev/null/x", "--devices", "pocl/2", "--", KERNELS, "sum4"],
                             env=self.environment(), capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("/dev/null", ran.stderr)


if __name__ == "__main__":
    unittest.main()
