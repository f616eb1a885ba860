#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiling runs of a whole program. Its results are untouched, and every device is measured. Nothing recorded is lost
if it is killed, several run at once, the disk is full, or the store is damaged or newer."""
import contextlib
import glob
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"
MKMD = os.path.join(BUILD, "mkmd")
PROGRAM = os.path.join(BUILD, "bench", "micro", "random_inputs")
SMALL = [PROGRAM, "--inputs", "1", "add", "blackscholes"]


def environment(data, **more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MKMD_", "LD_", "OPENCL_"))}
    return {**clean, "XDG_DATA_HOME": data, "MKMD_WAIT_FOR_CODE": "1", "MKMD_LEARN": "0", **more}


def whole_lines(text):
    """Lines a reader may trust; what follows the last newline is still being written."""
    return sum(1 for line in text.split(b"\n")[:-1] if line.startswith(b"{") and len(line) > 17)


class Profile(unittest.TestCase):
    def setUp(self):
        self.data = tempfile.mkdtemp(prefix="mkmd-profile-")
        self.addCleanup(shutil.rmtree, self.data, ignore_errors=True)
        self.folder = os.path.join(self.data, "mkmd")
        self.store = os.path.join(self.folder, "samples.db")

    def mkmd(self, *arguments, **more):
        return subprocess.run([MKMD, *arguments], env=environment(self.data, **more), capture_output=True, text=True,
                              timeout=600)

    def profile(self, program, runs=4, **more):
        return self.mkmd("profile", "--runs", str(runs), "--devices", "pocl/2", "--", *program, **more)

    def samples(self):
        if not os.path.exists(self.store):
            return []
        with contextlib.closing(sqlite3.connect(self.store, timeout=30)) as store:
            if not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'samples'").fetchone():
                return []
            return store.execute("SELECT kernel, device, items, seconds, alone FROM samples").fetchall()

    def recorded(self):
        """Samples in the store, and those in the spool which it has not taken in yet."""
        consumed = {}
        count = len(self.samples())
        if count:
            with contextlib.closing(sqlite3.connect(self.store, timeout=30)) as store:
                consumed = dict(store.execute("SELECT name, consumed FROM spools"))
        for file in glob.glob(os.path.join(self.folder, "spool", "*.spool")):
            with open(file, "rb") as spool:
                spool.seek(consumed.get(os.path.basename(file), 0))
                count += whole_lines(spool.read())
        return count

    def test_results_are_the_programs_and_every_device_is_measured(self):
        bare = self.mkmd("run", "--devices", "pocl/2", "--", *SMALL)
        result = self.profile(SMALL, runs=8)
        self.assertEqual((result.returncode, result.stdout), (0, bare.stdout), result.stderr)
        self.assertLessEqual(len(result.stderr.splitlines()), 3, "quiet where nobody watches")
        self.assertIn("models fitted", result.stderr)
        samples = self.samples()
        self.assertEqual({s[0] for s in samples}, {"add", "blackscholes"})
        self.assertEqual({s[4] for s in samples}, {0, 1}, "alone and together")
        self.assertGreater(len({s[2] for s in samples}), 8, "varied numbers of work-groups")
        self.assertTrue(all(s[3] > 0 for s in samples))
        listing = self.mkmd("models")
        self.assertEqual((listing.returncode, listing.stderr), (0, ""))
        for part in ("blackscholes  on ", "R2 ", "held-out MAPE", "range ", "seconds = ", "samples "):
            self.assertIn(part, listing.stdout)

    def test_exit_code_is_the_programs(self):
        self.assertEqual(self.profile(["sh", "-c", "exit 7"]).returncode, 7)
        self.assertEqual(self.profile(["sh", "-c", "kill -9 $$"]).returncode, 137)
        result = self.profile(["true"])
        self.assertEqual(result.returncode, 0)
        self.assertIn("no kernel was measured", result.stderr)

    def test_why_nothing_was_measured(self):
        missing = self.mkmd("profile", "--devices", "pocl/2", "--", "no-such-program")
        self.assertEqual((missing.returncode, missing.stderr),
                         (127, "mkmd: no-such-program: No such file or directory\n"))
        untouched = self.profile(SMALL, MKMD_ENABLE="0")
        self.assertEqual(untouched.returncode, 0)
        self.assertIn("no kernel was measured: MKMD_ENABLE=0", untouched.stderr)
        self.assertNotIn("two devices", untouched.stderr)
        shutil.rmtree(os.path.join(self.folder, "spool"), ignore_errors=True)
        with open(os.path.join(self.folder, "spool"), "w"):
            pass
        unwritable = self.profile(SMALL)
        self.assertEqual(unwritable.returncode, 0)
        self.assertIn(f"samples cannot be recorded: cannot open {self.folder}/spool: Not a directory", unwritable.stderr)
        self.assertNotIn("two devices", unwritable.stderr)

    def test_mistakes(self):
        for runs in ("0", "-1", "x", "10001", "1000000"):
            result = self.mkmd("profile", "--runs", runs, "true")
            self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1), result)
            self.assertIn("1 to 10000", result.stderr)
        self.assertIn("--runs", self.mkmd("profile", "--runs").stderr)
        self.assertIn("--devices SPEC", self.mkmd("profile", "--nope", "true").stderr)
        self.assertEqual(self.mkmd("models", "--frob").returncode, 2)
        self.assertEqual(self.mkmd("models", "--import").returncode, 2)

    def test_killed_at_any_moment(self):
        seed = int(os.environ.get("MKMD_TEST_SEED", "1"))  # of the moments
        print(f"MKMD_TEST_SEED={seed}", file=sys.stderr)
        moments = random.Random(seed)
        began = time.monotonic()
        self.profile(SMALL)
        longest = time.monotonic() - began
        before = self.recorded()
        for _ in range(10):
            process = subprocess.Popen([MKMD, "profile", "--runs", "4", "--devices", "pocl/2", "--", *SMALL],
                                       env=environment(self.data), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
            time.sleep(moments.uniform(0, longest))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            now = self.recorded()
            self.assertGreaterEqual(now, before)
            before = now
        spooled = None
        for _ in range(3000):  # who was killed last may take a moment to be gone
            listing = self.mkmd("models")
            self.assertEqual((listing.returncode, listing.stderr), (0, ""))
            spooled = glob.glob(os.path.join(self.folder, "spool", "*"))
            if not spooled:
                break
            time.sleep(0.2)
        self.assertEqual(spooled, [])
        self.assertEqual(len(self.samples()), before)

    def test_four_at_once(self):
        command = [MKMD, "profile", "--runs", "4", "--devices", "pocl/2", "--", *SMALL]
        several = [subprocess.Popen(command, env=environment(self.data), stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True) for _ in range(4)]
        ends = [process.communicate(timeout=600) for process in several]
        self.assertEqual([process.returncode for process in several], [0] * 4, ends)
        self.assertEqual(len({out for out, _ in ends}), 1)
        self.assertEqual(self.mkmd("models").returncode, 0)
        one = len(self.samples()) / 4
        self.assertGreater(one, 8)
        self.assertEqual(one, int(one), "each process records the same number of samples")

    def test_no_room_on_the_disk(self):
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", self.data], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("A FULL DISK WAS NOT TESTED: mounts are not permitted here")
        try:
            bare = self.mkmd("run", "--devices", "pocl/2", "--", *SMALL)
            result = self.profile(SMALL, runs=20)
            self.assertEqual((result.returncode, result.stdout), (0, bare.stdout), result.stderr)
            self.assertIn("No space left on device", result.stderr)
            recorded = self.recorded()
            self.assertGreater(recorded, 0)
            self.assertEqual(subprocess.run(["mount", "-o", "remount,size=4m", self.data]).returncode, 0)
            listing = self.mkmd("models")
            self.assertEqual(listing.returncode, 0, listing.stderr)
            self.assertEqual(len(self.samples()), recorded)
        finally:
            subprocess.run(["umount", self.data], check=True)

    def test_garbage_and_newer_stores(self):
        os.makedirs(self.folder)
        with open(self.store, "wb") as store:
            store.write(random.Random(1).randbytes(50000))
        result = self.profile(SMALL)
        self.assertEqual(result.returncode, 0)
        self.assertIn("kept as", result.stderr)
        self.assertEqual([os.path.getsize(f) for f in glob.glob(self.store + ".damaged-*")], [50000])
        count = len(self.samples())
        self.assertGreater(count, 8)
        with contextlib.closing(sqlite3.connect(self.store)) as store:
            store.execute("PRAGMA user_version = 99")
        result = self.profile(SMALL)
        self.assertEqual(result.returncode, 0, "the program does not suffer")
        self.assertIn("newer mkmd", result.stderr)
        self.assertEqual(len(self.samples()), count)
        self.assertGreater(self.recorded(), count, "the samples wait in the spool")

    def test_emulated_devices_can_be_profiled_and_their_models_tested(self):
        platform = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/platforms/two-gpus.json")
        trace = os.path.join(self.data, "trace")
        result = self.mkmd("profile", "--runs", "8", "--platform", platform, "--trace", trace, "--", *SMALL)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("models fitted", result.stderr)
        self.assertNotIn("excludes", result.stderr)
        with open(trace) as file:
            lines = file.read()
        self.assertNotIn('"window"', lines, "the program runs at home, at its real speed")
        self.assertIn('"native"', lines)
        with open(platform) as file:
            names = {device.get("model", device["name"]) for device in json.load(file)["platform"]["devices"]}
        self.assertEqual({s[1].partition(" (emulated")[0] for s in self.samples()}, names)
        self.assertEqual(len({s[1] for s in self.samples()}), len(names), "equal devices share models")
        shown = self.mkmd("models", "--test", self.folder)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(len(re.findall(r"samples tested, mean error \d", shown.stdout)), 2 * len(names))
        self.assertRegex(shown.stdout, r"predicted \S+ ms, measured \S+: \d+ work-items in \d+x\d+x\d+")
        missing = self.mkmd("models", "--test", os.path.join(self.data, "nowhere"))
        self.assertEqual((missing.returncode, len(missing.stderr.splitlines())), (1, 1))
        self.assertIn("no such folder", missing.stderr)
        empty = os.path.join(self.data, "empty")
        os.makedirs(empty)
        nothing = self.mkmd("models", "--test", empty)
        self.assertEqual((nothing.returncode, len(nothing.stderr.splitlines())), (1, 1), nothing)
        self.assertIn(f"{empty}: no samples there", nothing.stderr)
        self.assertEqual(os.listdir(empty), [])

    def test_devices_of_one_name_and_different_rates_have_models_of_their_own(self):
        platforms = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/platforms")
        found = []
        for platform in ("laptop", "two-gpus", "laptop"):
            result = self.mkmd("profile", "--runs", "8", "--platform", f"{platforms}/{platform}.json", "--", *SMALL)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(os.path.join(self.folder, "models.json")) as file:
                found.append({(m["kernel"], m["device"]) for m in json.load(file)["models"]})
        self.assertEqual(len(found[0]), 4, "two kernels, two devices")
        self.assertLess(found[0], found[1])
        self.assertEqual(len(found[1]), 8)
        self.assertEqual(found[2], found[1])
        listing = self.mkmd("models").stdout
        self.assertEqual(len(set(re.findall(r"on (gpu \(emulated, [0-9a-f]{8}\))", listing))), 2, listing)

    def test_models_go_from_machine_to_machine(self):
        self.profile(SMALL)
        exported = os.path.join(self.data, "models.json")
        self.assertEqual(self.mkmd("models", "--export", exported).returncode, 0)
        with open(exported) as file:
            count = len(json.load(file)["models"])
        self.assertGreaterEqual(count, 2)
        with tempfile.TemporaryDirectory() as other:
            imported = subprocess.run([MKMD, "models", "--import", exported], env=environment(other),
                                      capture_output=True, text=True)
            self.assertEqual(imported.stdout, f"{count} models imported\n", imported.stderr)
            listing = subprocess.run([MKMD, "models"], env=environment(other), capture_output=True, text=True)
            self.assertEqual(listing.stdout.count(", imported)"), count)
        again = self.mkmd("models", "--import", exported).stdout
        self.assertEqual(again, f"{count} models imported, {count} of them in place of what was measured here; "
                                "`mkmd profile` measures that again\n")
        self.assertEqual(self.mkmd("models", "--import", exported).stdout, f"{count} models imported\n")
        none = os.path.join(self.data, "none.json")
        self.assertIn(f"{none}: no such file", self.mkmd("models", "--import", none).stderr)
        with open(none, "w") as file:
            file.write('{"mkmd_models": 1, "models": []}')
        self.assertIn(f"{none}: no models in it", self.mkmd("models", "--import", none).stderr)
        predicted = os.path.join(self.data, "predicted.json")
        self.assertEqual(self.mkmd("models", "--json", predicted).returncode, 0)
        with open(predicted) as file:
            models = json.load(file)
        self.assertEqual(len(models), count)
        for model in models:
            self.assertTrue(model["samples"], model["kernel"])
            for sample in model["samples"]:
                self.assertGreater(min(sample["measured"], sample["predicted"]), 0)
        missing = os.path.join(self.data, "no", "predicted.json")
        self.assertIn(f"cannot write {missing}: No such file or directory", self.mkmd("models", "--json", missing).stderr)

    def test_what_kernels_lose_to_each_other_decides_whether_they_are_split(self):
        program = [PROGRAM, "--inputs", "2", "blackscholes"]
        self.assertEqual(self.profile(program).returncode, 0)
        models = os.path.join(self.folder, "models.json")
        trace = os.path.join(self.data, "trace")
        for together, pieces in ((1.0, 2), (2.0, 1)):  # with two devices, 2.0 is nothing gained
            with open(models) as file:
                content = json.load(file)
            for model in content["models"]:
                model["together"] = together
                for interval in model["range"].values():
                    interval[:] = [0, 1e30]
            with open(models, "w") as file:
                json.dump(content, file)
            result = self.mkmd("run", "--devices", "pocl/2", "--trace", trace, "--", *program)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(trace) as file:
                windows = [json.loads(line)["window"] for line in file if line.startswith('{"window"')]
            launches = [c for w in windows for c in w["commands"] if c["kind"] == "kernel"]
            self.assertTrue(launches)
            self.assertEqual({len(c["pieces"]) >= 2 for c in launches}, {pieces == 2}, launches)
            self.assertTrue(all("bandwidth" in c["whole_because"] for c in launches if pieces == 1), launches)

    def test_nonsense_is_overcome(self):
        """Models that are wrong by any factor must not keep work from the device they malign, nor whole programs
        from being split."""
        program = [PROGRAM, "--inputs", "12", "blackscholes"]
        self.assertEqual(self.profile([PROGRAM, "--inputs", "3", "blackscholes"]).returncode, 0)
        models = os.path.join(self.folder, "models.json")
        with open(models) as file:
            good = json.load(file)
        expected = self.mkmd("run", "--devices", "pocl/2", "--", *program).stdout
        for factor in (1e-9, 1e9):
            absurd = json.loads(json.dumps(good))
            for model in absurd["models"]:
                for one in model["classes"]:
                    for key in ("a", "c"):
                        if key in one:
                            one[key] *= factor
                    for term in one.get("terms", {}):
                        one["terms"][term] *= factor
                for point in model["points"]:
                    point["seconds"] *= factor
                # Claimed to hold for everything.
                for interval in model["range"].values():
                    interval[:] = [0, 1e30]
            with open(models, "w") as file:
                json.dump(absurd, file)
            summary = os.path.join(self.data, "summary.json")
            for _ in range(5):  # a core that is busy with somebody else's work rightly gets less
                result = self.mkmd("run", "--devices", "pocl/2", "--summary", summary, "--", *program)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, expected, ""))
                with open(summary) as file:
                    groups = [device["groups"] for device in json.load(file)["devices"]]
                if min(groups) > 0.2 * sum(groups):
                    break
            self.assertGreater(min(groups), 0.2 * sum(groups), f"times {factor}: {groups}")
        with open(models, "w") as file:
            file.write('{"mkmd_models": 1, "models": [{"kernel"')
        result = self.mkmd("run", "--devices", "pocl/2", "--", *program)
        self.assertEqual((result.returncode, result.stdout), (0, expected))
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("models.json: not JSON: line 1, column ", result.stderr)

    def test_damaged_models_are_fitted_again(self):
        self.assertEqual(self.profile(SMALL).returncode, 0)
        models = os.path.join(self.folder, "models.json")
        with open(models) as file:
            count = len(json.load(file)["models"])
        for damage in ("", '{"mkmd_models":1,"models":3}'):
            with open(models, "w") as file:
                file.write(damage)
            result = self.profile(SMALL)
            self.assertEqual(result.returncode, 0)
            self.assertEqual(result.stderr.count(models), 2, result.stderr)  # what it was, and is kept as
            self.assertIn(f"{models}.damaged-", result.stderr)
            with open(models) as file:
                self.assertEqual(len(json.load(file)["models"]), count)
        self.assertEqual(len(glob.glob(models + ".damaged-*")), 2)

    def test_a_folder_in_place_of_the_models(self):
        models = os.path.join(self.folder, "models.json")
        os.makedirs(models)
        for arguments in (["models"], ["models", "--import", self.data]):
            result = self.mkmd(*arguments)
            self.assertEqual((result.returncode, result.stderr), (1, f"mkmd: {models} is not a file\n"))
        result = self.mkmd("run", "--devices", "pocl/2", "--", *SMALL)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(f"{models} is not a file", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
