#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mkmd command as a user meets it: exit codes, one line per mistake, nothing of ours on the program's stdout."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

MKMD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build/mkmd"

os.environ["MKMD_WAIT_FOR_CODE"] = "1"  # short programs are to be split
os.environ["MKMD_LEARN"] = "0"  # and each run does what the first does


def mkmd(*arguments, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MKMD_", "OCL_", "LD_"))}
    environment.update(variables)
    return subprocess.run([MKMD, *arguments], env=environment, capture_output=True, text=True, timeout=600)


class Run(unittest.TestCase):
    def assert_mistake(self, result, *parts):
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)

    def test_mistakes(self):
        marker = ["sh", "-c", "echo the program ran"]
        self.assert_mistake(mkmd("run", "--nope", *marker), "--nope", "--devices SPEC")
        self.assert_mistake(mkmd("run"), "no program")
        self.assert_mistake(mkmd("run", "--policy", "nope", *marker), "--policy", "MKMD_POLICY", "nope", "mkmd-slices")
        self.assert_mistake(mkmd("run", "--devices", "nosuch", *marker), "nosuch", "available")
        self.assert_mistake(mkmd("run", *marker, MKMD_DEVICES="nosuch"), "MKMD_DEVICES", "nosuch", "available")
        self.assert_mistake(mkmd("run", *marker, MKMD_PLATFORM="/no/file"), "MKMD_PLATFORM", "/no/file", "platform file")
        self.assert_mistake(mkmd("run", "--devices", "pocl/x", *marker), "pocl/x", "PLATFORM[:INDEX][/PARTS]")
        self.assert_mistake(mkmd("run", *marker, MKMD_SEPARATE_MEMORY="maybe"), "MKMD_SEPARATE_MEMORY", "0 or 1")
        self.assert_mistake(mkmd("run", *marker, MKMD_POLICE="heft"), "MKMD_POLICE", "MKMD_POLICY")
        self.assert_mistake(mkmd("frob"), "frob", "devices")

    def test_devices_found_good_are_remembered(self):
        with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as vendors:
            def run(spec, **variables):
                return mkmd("run", "--devices", spec, "true", XDG_CACHE_HOME=cache, **variables)
            self.assertEqual(run("pocl").returncode, 0)
            remembered = os.path.join(cache, "mkmd", "devices.json")
            with open(remembered) as file:
                self.assertEqual(list(json.load(file)["found"]), ["pocl"])
            self.assert_mistake(run("nosuch"), "nosuch", "available")
            self.assert_mistake(run("nosuch"), "nosuch", "available")
            self.assertEqual(run("pocl").returncode, 0)
            self.assert_mistake(run("pocl", OCL_ICD_VENDORS=vendors), "pocl")
            with open(remembered, "w") as file:
                file.write('{"state": 3, "found": []')
            self.assertEqual(run("pocl").returncode, 0)
            with open(remembered) as file:
                known = json.load(file)
            known["found"]["nosuch"] = int(time.time()) - 25 * 60 * 60
            with open(remembered, "w") as file:
                json.dump(known, file)
            self.assert_mistake(run("nosuch"), "nosuch")  # believed for a day only

    def test_exit_code_and_output_are_the_programs(self):
        result = mkmd("run", "--", "sh", "-c", "echo out; echo err >&2; exit 7")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (7, "out\n", "err\n"))

    def test_as_a_shell_when_there_is_no_program(self):
        self.assertEqual(mkmd("run", "./no-such-program").returncode, 127)
        self.assertEqual(mkmd("run", "/etc/passwd").returncode, 126)
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "script")
            with open(script, "w") as file:
                file.write("#!/no/such/interpreter\n")
            os.chmod(script, 0o755)
            result = mkmd("run", script)
            self.assertEqual((result.returncode, result.stderr),
                             (127, f"mkmd: {script}: its interpreter /no/such/interpreter does not exist\n"))

    def test_a_program_that_takes_no_library_runs_with_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            built = subprocess.run(["c++", "-static", "-x", "c++", "-", "-o", program], input="int main() { return 7; }",
                                   text=True, capture_output=True)
            if built.returncode != 0:
                self.skipTest("nothing can be linked statically")
            result = mkmd("run", program)
            self.assertEqual((result.returncode, result.stderr),
                             (7, f"mkmd: {program} runs without MKMD: it is statically linked\n"))
            for quiet in (mkmd("run", "--log", "error", program), mkmd("run", program, MKMD_ENABLE="0")):
                self.assertEqual((quiet.returncode, quiet.stderr), (7, ""))

    def test_a_named_policy_is_obeyed_where_it_is_slow(self):
        program = os.path.join(os.path.dirname(MKMD), "bench", "apps", "jacobi")
        with tempfile.TemporaryDirectory() as folder:
            summary = os.path.join(folder, "summary.json")
            result = mkmd("run", "--devices", "pocl/2", "--policy", "single:pocl/2#1", "--summary", summary, "--", program,
                          "--size", "1024", "--iters", "50", "--repeat", "2")
            self.assertEqual(result.returncode, 0, result)
            with open(summary) as file:
                summary = json.load(file)
        groups = {device["name"]: device["groups"] for device in summary["devices"] + [summary["whole"]]}
        self.assertGreater(groups["pocl/2#1"], 10_000, summary)
        self.assertEqual(groups["pocl"], 0, summary)

    def test_existing_variables_are_kept(self):
        result = mkmd("run", "sh", "-c", 'echo "$LD_LIBRARY_PATH"', LD_LIBRARY_PATH="/somewhere:/else")
        first, *rest = result.stdout.strip().split(":")
        self.assertTrue(first.endswith("lib/mkmd"), result.stdout)
        self.assertEqual(rest, ["/somewhere", "/else"])


class Kernels(unittest.TestCase):
    SOURCE = """
kernel void rows(global const float* in, global float* out, int width) {
  out[get_global_id(1) * width + get_global_id(0)] = in[get_global_id(1) * width];
}
kernel void bounded(global const int* d, global int* out) { int t = get_global_id(0); out[4 * t + (d[t] & 3)] = 1; }
kernel void scattered(global const int* d, global int* out) {
  out[d[get_global_id(0)]] = get_global_id(0);
}
kernel void last(global int* n) { atomic_xchg(n, 1); }
kernel void counts(global int* n) { atomic_inc(n); }
kernel void counts_and_reads(global int* n, global int* out) { atomic_inc(n); out[get_global_id(0)] = *n; }
kernel void pixels(write_only image2d_t to, int y) { write_imagef(to, (int2)(get_global_id(0), y), (float4)(1)); }
kernel void one_pixel(write_only image2d_t to) { write_imagef(to, (int2)(0, 0), (float4)(get_global_id(0))); }
kernel void marks(global const int* d, global int* out) { out[d[get_global_id(0)]] = 1; }
kernel void says(global int* out) { printf("%d\\n", out[get_global_id(0)]); }
kernel void by_counter(global float* out) {
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += (k & 3) * 0.1f;
  out[get_global_id(0)] = sum;
}
"""

    def test_what_would_help(self):
        said = self.ask().stdout
        self.assertRegex(said, r"says: runs whole at home: printf \(line \d+\)\n    to split it, remove printf")
        self.assertRegex(said, r"by_counter: runs whole at home: a compiler .*\(line 18\)\n    to split it, pass the constant factors")
        self.assertNotRegex(said, r"rows: may be split\n    to split it")

    def ask(self, *arguments, **variables):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.cl")
            with open(path, "w") as file:
                file.write(self.SOURCE)
            return mkmd("kernels", path, *arguments, **variables)

    def test_the_helper_is_the_one_that_is_named(self):
        self.assertEqual(self.ask(MKMD_KC="").returncode, 0)
        result = self.ask(MKMD_KC="/no/helper")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("/no/helper (MKMD_KC)", result.stderr)

    def test_each_kernel_has_a_verdict(self):
        result = self.ask()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for line in ("rows: may be split", "bounded: may be split",
                     "last: runs whole: what 'atomic_xchg' does to global memory depends on the order of work-items (line 9)",
                     "counts: may be split: its atomic operations commute",
                     "marks: may be split: its work-groups store equal numbers",
                     "counts_and_reads: runs whole: its work-groups touch the same bytes of 'n', as far as is known "
                     "(line 11)",
                     "scattered: may be split if the contents of 'd' allow it: they say where it writes in 'out' (line 7)",
                     "pixels: runs whole: it may write anywhere in 'to' (line 12)",
                     "one_pixel: runs whole: its work-groups touch the same pixels of 'to', as far as is known "
                     "(line 13)",
                     "    writes 1 pixel at global_id(0) + y*width(to) (line 12)",
                     "    writes 4 bytes at 16*global_id(0) + 4*[0 … 3] (line 5)",
                     "    reads 4 bytes at width*4*global_id(1) (line 3)"):
            self.assertIn(line, result.stdout.splitlines())

    def test_the_launch_decides(self):
        def verdict(*arguments):
            kernel, = json.loads(self.ask("--kernel", "rows", "--json", *arguments).stdout)
            return kernel["verdict"]
        self.assertEqual(verdict(), "may be split")
        self.assertEqual(verdict("--arg", "width=0"), "may be split")  # into columns
        self.assertIn("the same bytes of 'out'", verdict("--global", "64,64", "--local", "8,8", "--arg", "width=32"))
        self.assertEqual(verdict("--global", "64,64", "--local", "8,8", "--arg", "width=64"), "may be split")
        self.assertIn("one work-group", verdict("--global", "8,8", "--local", "8,8"))

    def test_mistakes_are_one_line(self):
        for arguments in (["--nope"], ["--arg", "width"], ["--global", "0"], ["--local"]):
            result = self.ask(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for arguments in (["--kernel", "none"], ["-Dout=("], ["--arg", "widht=3"], ["--kernel", "last", "--arg", "width=3"]):
            result = self.ask(*arguments)
            self.assertEqual((result.returncode, result.stdout), (1, ""), arguments)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertEqual(mkmd("kernels", "/no/file").stderr, "mkmd: cannot open /no/file: No such file or directory\n")
        self.assertEqual(mkmd("kernels").returncode, 2)
        self.assertIn("--arg", mkmd("kernels", "--help").stdout)


class Installed(unittest.TestCase):
    def test_a_folder_that_the_dynamic_loader_cannot_be_told(self):
        build = os.path.dirname(MKMD)
        with tempfile.TemporaryDirectory() as folder:
            for name, works in (("plain", True), ("a$b", True), ("co:lon", False), ("semi;colon", False),
                                ("a space", False), ("$ORIGIN", False), ("${LIB}x", False)):
                place = os.path.join(folder, name)
                os.makedirs(os.path.join(place, "lib", "mkmd"))
                shutil.copy(MKMD, place)
                shutil.copy(os.path.join(build, "lib", "mkmd", "libinterpose.so"), os.path.join(place, "lib", "mkmd"))
                for command in ("run", "profile"):
                    result = subprocess.run([os.path.join(place, "mkmd"), command, "--", "sh", "-c",
                                             "cat /proc/$$/maps; exit 7"], capture_output=True, text=True, timeout=600)
                    if works:
                        self.assertEqual(result.returncode, 7, (name, result.stderr))
                        self.assertIn("libinterpose.so", result.stdout, name)
                    else:
                        self.assertEqual((result.returncode, result.stdout), (1, ""), name)
                        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                        self.assertIn(f"would run without MKMD: it is installed in {place}", result.stderr)

    def test_every_part_is_found(self):
        build = os.path.dirname(MKMD)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cmake", "--install", build, "--prefix", folder], check=True, capture_output=True)
            installed = os.path.join(folder, "bin", "mkmd")
            trace = os.path.join(folder, "trace.jsonl")

            def mkmd_there(*arguments):
                return subprocess.run([installed, *arguments], capture_output=True, text=True, timeout=600)

            program = os.path.join(build, "tests", "programs", "matrix_chain")
            result = mkmd_there("run", "--devices", "pocl/2", "--trace", trace, "--", program)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            seen = json.loads(mkmd_there("inspect", "--json", trace).stdout)
            self.assertGreater(len(seen["pieces"]), len(seen["tasks"]), "nothing was split: no helper?")
            self.assertIn("mkmd-slices", mkmd_there("simulate", "--list").stdout)
            source = os.path.join(folder, "k.cl")
            with open(source, "w") as file:
                file.write("kernel void k(global int* o) { o[get_global_id(0)] = 1; }")
            self.assertIn("k: may be split", mkmd_there("kernels", source).stdout)
            opened = mkmd_there("run", "--devices", "pocl/2", "--", os.path.join(build, "tests", "programs", "dlopen_cl"))
            self.assertEqual(opened.returncode, 0, opened.stderr)


class Terminals(unittest.TestCase):
    """What a terminal would obey, in names that others chose."""
    HOSTILE = "evil\x1b]0;title\x07\x9b2J\u202e\r\nmkmd: said by nobody"

    def assert_harmless(self, result):
        for text in (result.stdout, result.stderr):
            self.assertEqual([c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c == "\u202e")], [])
            self.assertNotIn("\nmkmd: said by nobody", text)

    def test_names_in_models(self):
        with tempfile.TemporaryDirectory() as data:
            given = os.path.join(data, "given.json")
            interval = [1, 2]
            ranges = {key: interval for key in ("items", "operations", "bytes", "footprint", "operations_per_item")}
            model = {"kernel": self.HOSTILE, "content": self.HOSTILE, "device": self.HOSTILE + "|1|2", "form": "linear",
                     "locals_seen": [], "samples": 1, "r2": 1, "held_out_mape": 0, "measured_over_predicted": interval,
                     "range": ranges, "classes": [], "points": []}
            for models in ([model], [dict(model, r2="x")]):
                with open(given, "w") as file:
                    json.dump({"mkmd_models": 1, "models": models}, file)
                self.assert_harmless(mkmd("models", "--import", given, XDG_DATA_HOME=data))
                shown = mkmd("models", XDG_DATA_HOME=data)
                self.assertIn("evil\\x1b]0;title", shown.stdout)
                self.assert_harmless(shown)

    def test_names_of_files(self):
        for command in (("run", "--", self.HOSTILE), ("inspect", self.HOSTILE), ("simulate", self.HOSTILE), (self.HOSTILE,),
                        ("models", "--import", self.HOSTILE), ("models", "--test", self.HOSTILE),
                        ("devices", self.HOSTILE), ("run", "--devices", self.HOSTILE, "true"),
                        ("run", "--platform", self.HOSTILE, "true")):
            result = mkmd(*command)
            self.assertNotEqual(result.returncode, 0, command)
            self.assertIn("evil", result.stderr, command)
            self.assert_harmless(result)


class Limits(unittest.TestCase):
    def test_deeply_nested_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "deep")
            for levels in ("[" * 1_000_000, "[" * 1_000_000 + "]" * 1_000_000):
                with open(file, "w") as out:
                    out.write('{"trace":"mkmd","platform":{"devices":' + levels + "}}\n")
                for command in (("inspect", file), ("simulate", file), ("run", "--platform", file, "true"),
                                ("models", "--import", file),
                                ("simulate", "--platform", file, "--generate", "cholesky:4")):
                    result = mkmd(*command, XDG_DATA_HOME=folder)
                    self.assertIn(result.returncode, (1, 2), (command, result.stderr[-300:]))
                    self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr[-300:])

    def test_more_than_the_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "sparse")
            with open(file, "w") as out:
                out.truncate(20 << 30)
            for command in (("inspect", file), ("simulate", file), ("run", "--platform", file, "true"),
                            ("models", "--import", file)):
                result = mkmd(*command, XDG_DATA_HOME=folder)
                self.assertIn(result.returncode, (1, 2), (command, result.stderr[-300:]))
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr[-300:])


class Texts(unittest.TestCase):
    def test_help(self):
        for topic in ([], ["run"], ["profile"], ["models"], ["devices"], ["settings"], ["policies"]):
            result = mkmd("help", *topic)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertTrue(result.stdout)
        self.assertIn("MKMD_SEPARATE_MEMORY", mkmd("help", "settings").stdout)
        self.assertEqual(mkmd("help", "nonsense").returncode, 2)
        for command in ("run", "profile", "verify", "models", "devices", "inspect", "simulate"):
            shown = mkmd("help", command)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), command)
            self.assertEqual(shown.stdout, mkmd(command, "--help").stdout)
            self.assertIn(command, mkmd("help", "nonsense").stderr)
            self.assertIn(f"mkmd {command}", shown.stdout)
        self.assertIn("--runs N", mkmd("help", "profile").stdout)
        for part in ("--export FILE", "--import FILE", "--json FILE", "--test FOLDER", "beyond_32k"):
            self.assertIn(part, mkmd("help", "models").stdout)

    def test_every_command_explains_itself(self):
        for command in ("run", "profile", "verify", "models", "devices", "inspect", "simulate", "help", "version"):
            for ask in ("--help", "-h"):
                result = mkmd(command, ask)
                self.assertEqual((result.returncode, result.stderr), (0, ""), command)
                self.assertIn(f"mkmd {command}", result.stdout)

    def test_no_bound_is_no_ratio(self):
        table = mkmd("simulate", "--generate", "cholesky:4", "--policy", "heft", "--policy", "eager", "--bounds", "none")
        self.assertEqual([line.split()[2] for line in table.stdout.splitlines()[1:]], ["-", "-"], table)

    def test_version(self):
        self.assertRegex(mkmd("version").stdout, r"^mkmd \d+\.\d+\.\d+\n$")

    def test_devices(self):
        result = mkmd("devices")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.split()[:5], ["SPEC", "DEVICE", "TYPE", "UNITS", "MEMORY"])
        self.assertEqual(mkmd("devices", "nosuch").returncode, 2)
        self.assertIn("unknown option --all", mkmd("devices", "--all").stderr)


class Outputs(unittest.TestCase):
    """Files that mkmd writes: what cannot be written is said, and no folder appears where one was mistyped."""
    def test_a_missing_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            missing = os.path.join(folder, "none")
            file = os.path.join(missing, "file")
            result = mkmd("verify", "--json", file, "echo", "the program ran")
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(f"cannot write {file}: No such file or directory", result.stderr)
            self.assertFalse(os.path.exists(missing))

    def test_models_that_are_not_there_are_not_exported(self):
        with tempfile.TemporaryDirectory() as data:
            file = os.path.join(data, "models.json")
            result = mkmd("models", "--export", file, XDG_DATA_HOME=data)
            self.assertEqual((result.returncode, os.path.exists(file)), (1, False))
            self.assertIn("no models to export", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
