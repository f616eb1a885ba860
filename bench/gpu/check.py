# SPDX-License-Identifier: Apache-2.0
"""The steps of `scripts/gpu-check run`, and the report. Each step is a command with a time limit; what it printed is
kept whole, and a line of it says how it ended."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/programs"))
import process_group  # noqa: E402
# In the order of what is to be known first. The minutes are the longest that each may take.
STEPS = {"clinfo": 1, "devices": 1, "launches": 1, "kernels": 3, "programs": 3, "alone": 3, "mixed": 3, "divided": 3,
         "together": 3, "traces": 2}
TRACED = ["abe", "gramian", "jacobi"]
# Folders of drivers that no .icd file names, as in containers that are given a driver from outside.
DRIVER_FOLDERS = ["/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64",
                  "/run/opengl-driver/lib"]
DRIVERS = ["libnvidia-opencl.so.1", "libamdocl64.so", "libigdrcl.so", "intel-opencl/libigdrcl.so"]


def drivers():
    """Lines for .icd files, by name: what the system lists, what lies where it is not listed, and the bundle's PoCL."""
    found = {}
    for file in sorted(glob.glob("/etc/OpenCL/vendors/*.icd")):
        with open(file) as text:
            found[os.path.basename(file)[:-4]] = text.readline().strip()
    named = {os.path.basename(library) for library in found.values()}
    for name in DRIVERS:
        paths = [os.path.join(folder, name) for folder in DRIVER_FOLDERS]
        path = next((path for path in paths if os.path.exists(path)), None)
        if path and os.path.basename(name) not in named:
            found[os.path.basename(name).split(".")[0]] = path
    pocl = os.path.join(ROOT, "pocl/lib/x86_64-linux-gnu/libpocl.so.2")
    if os.path.exists(pocl) and "pocl" not in found:
        found["pocl"] = pocl
    return found


class Device:
    """A row of `mkmd devices`, and the folder with the .icd file of its driver alone."""
    def __init__(self, driver, vendors, row):
        self.driver, self.vendors = driver, vendors
        self.name, self.text, self.type = row[0], row[1], row[2]


class Check:
    def __init__(self, options):
        self.options = options
        self.mkmd = os.path.join(options.build, "mkmd")
        self.output = os.path.abspath(options.output)
        self.logs = os.path.join(self.output, "logs")
        os.makedirs(self.logs, exist_ok=True)
        self.until = time.monotonic() + 60 * options.minutes
        libraries = [os.path.join(ROOT, "lib"), os.path.join(ROOT, "pocl/lib/x86_64-linux-gnu"),
                     os.environ.get("LD_LIBRARY_PATH", "")]
        self.environment = dict(os.environ, LC_ALL="C", XDG_CACHE_HOME=os.path.join(self.output, "cache"),
                                LD_LIBRARY_PATH=":".join(path for path in libraries if path))
        self.environment["POCL_CACHE_DIR"] = os.path.join(self.output, "cache/pocl")
        os.makedirs(self.environment["POCL_CACHE_DIR"], exist_ok=True)
        self.results = []
        self.gpu = self.cpu = None

    def vendors(self, *names):
        """A folder with the .icd files of these drivers."""
        folder = os.path.join(self.output, "vendors", "+".join(names))
        os.makedirs(folder, exist_ok=True)
        for name in names:
            with open(os.path.join(folder, name + ".icd"), "w") as file:
                file.write(drivers()[name] + "\n")
        return folder

    def execute(self, step, command, **variables):
        """Exit code or why there is none, what was printed, and the seconds."""
        began = time.monotonic()
        limit = min(60 * STEPS[step], self.until - began)
        log = os.path.join(self.logs, step + ".txt")
        with open(log, "a+") as file:
            file.write(f"$ {' '.join(f'{k}={v}' for k, v in variables.items())} {shlex.join(command)}\n")
            file.flush()
            start = file.tell()
            code = process_group.run(command, {**self.environment, **variables}, limit, file, subprocess.STDOUT)
            file.seek(start)
            text = file.read()
        return code, text, time.monotonic() - began

    def find_devices(self):
        devices = []
        for driver in drivers():
            vendors = self.vendors(driver)
            code, text, _ = self.execute("devices", [self.mkmd, "devices"], OCL_ICD_VENDORS=vendors)
            rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
            found = [Device(driver, vendors, row) for row in rows
                     if len(row) >= 5 and row[2] in ("gpu", "cpu", "accelerator")]
            self.note("devices", code, f"{driver}: " + (", ".join(f"{d.name} ({d.text}, {d.type})" for d in found) or
                                                        (text.strip().splitlines() or ["nothing"])[-1]))
            devices += found
        pick = lambda wanted, kind: next((d for d in devices if (d.name == wanted if wanted else d.type == kind)), None)
        self.gpu = pick(self.options.gpu, "gpu")
        if self.options.cpu != "none":
            self.cpu = pick(self.options.cpu, "cpu")
        if self.cpu and self.gpu and (self.cpu.driver, self.cpu.name) == (self.gpu.driver, self.gpu.name):
            self.cpu = None

    def note(self, step, code, what, seconds=None):
        """`code`: of the step's last command, or why there is none: it took too long, or was left out."""
        self.results.append({"step": step, "ended": code, "result": what, "seconds": seconds,
                             "failed": isinstance(code, int) and code != 0})
        print(f"{step}: {what}", flush=True)

    # The steps after the devices are known. Each says what it found in one line.

    def clinfo(self):
        clinfo = shutil.which("clinfo") or os.path.join(self.options.build, "bin/clinfo")
        code, text, seconds = self.execute("clinfo", [clinfo], OCL_ICD_VENDORS=self.vendors(*drivers()))
        self.note("clinfo", code, (text.splitlines() or [""])[0].strip(), seconds)
        if shutil.which("nvidia-smi"):
            self.execute("clinfo", ["nvidia-smi"])

    def launches(self):
        """What an empty launch costs, bare and under MKMD with the GPU as its only device."""
        program = [os.path.join(self.options.build, "bench/micro/empty_kernels"), "--launches", "20000"]
        values = []
        for prefix in ([], self.under(self.gpu.name)):
            code, text, seconds = self.execute("launches", prefix + program, OCL_ICD_VENDORS=self.gpu.vendors)
            values.append(dict(line.split(": ", 1) for line in text.splitlines() if ": " in line))
        rows = [f"{key} {values[0][key]} / {values[1][key]}" for key in values[0] if code == 0 and key in values[1]]
        self.note("launches", code, "bare / MKMD: " + ("; ".join(rows) or "see the log"), seconds)

    def kernels(self):
        """Each kernel of tests/compiler/kernels, whole and in pieces: the same bits."""
        test = os.path.join(self.options.build, "tests/compiler/compiler_device_tests")
        code, text, seconds = self.execute("kernels", [test, "--gtest_brief=1"], OCL_ICD_VENDORS=self.gpu.vendors,
                                           MKMD_TEST_KC=os.path.join(self.options.build, "bin/mkmd-kc"),
                                           MKMD_TEST_KERNELS=os.path.join(ROOT, "tests/compiler/kernels"))
        failed = re.findall(r"^\[  FAILED  \] (.+?) \(", text, re.MULTILINE)
        passed = re.search(r"\[  PASSED  \] (\d+) test", text)
        self.note("kernels", code, f"{passed.group(1) if passed else '?'} passed, {len(failed)} failed" +
                  (": " + ", ".join(failed[:8]) if failed else ""), seconds)

    def run_programs(self, step, specification, vendors, *more):
        command = [sys.executable, os.path.join(ROOT, "tests/programs/run_programs.py"), "--build", self.options.build,
                   "--jobs", str(max(1, (os.cpu_count() or 2) // 4)),
                   "--config", shlex.join(["--devices", specification, *more])]
        code, text, seconds = self.execute(step, command, OCL_ICD_VENDORS=vendors)
        last = [line for line in text.splitlines()
                if " passed, " in line or line.startswith(("failed:", "kernel launches:"))]
        failed = len(re.findall("^FAILED ", text, re.MULTILINE))
        self.note(step, code, "; ".join(last) or f"{failed} failed so far", seconds)

    def programs(self):
        """The test programs, bare and under MKMD on the GPU alone."""
        self.run_programs("programs", self.gpu.name, self.gpu.vendors)

    def mixed(self):
        """The test programs on GPU and CPU. Results may differ in the last bits, where a kernel has floats."""
        if self.both("mixed"):
            self.run_programs("mixed", self.pair(), self.vendors(self.gpu.driver, self.cpu.driver))

    def divided(self):
        if self.both("divided"):
            self.run_programs("divided", self.pair(), self.vendors(self.gpu.driver, self.cpu.driver), "--policy",
                              "random-cuts:seed=1")

    def compare(self, step, prefix_b):
        command = [sys.executable, os.path.join(ROOT, "scripts/bench"), "--build", self.options.build, "--pairs", "3",
                   "--repeat", "3", "--output", os.path.join(self.output, step + ".json"),
                   "--a", shlex.join(["env", "OCL_ICD_VENDORS=" + self.gpu.vendors]), "--b", shlex.join(prefix_b)]
        if self.options.size:
            command += ["--size", str(self.options.size)]
        code, text, seconds = self.execute(step, command)
        mean = re.search("^geometric mean.*", text, re.MULTILINE)
        self.note(step, code, "bare on the GPU over MKMD: " + (mean.group(0) if mean else "not finished, see the log"),
                  seconds)

    def alone(self):
        """The eleven programs, bare on the GPU against MKMD with the GPU as its only device."""
        self.compare("alone", ["env", "OCL_ICD_VENDORS=" + self.gpu.vendors, *self.under(self.gpu.name)])

    def together(self):
        """The eleven programs, bare on the GPU against MKMD with GPU and CPU."""
        if self.both("together"):
            vendors = self.vendors(self.gpu.driver, self.cpu.driver)
            self.compare("together", ["env", "OCL_ICD_VENDORS=" + vendors, *self.under(self.pair())])

    def traces(self):
        names = self.pair() if self.cpu else self.gpu.name
        vendors = self.vendors(*dict.fromkeys([self.gpu.driver, *([self.cpu.driver] if self.cpu else [])]))
        for program in TRACED:
            trace = os.path.join(self.logs, program + ".trace.jsonl")
            size = ["--size", str(self.options.size or 1024), "--repeat", "10"]
            self.execute("traces", [self.mkmd, "run", "--devices", names, "--trace", trace, "--",
                                    os.path.join(self.options.build, "bench/apps", program), *size],
                         OCL_ICD_VENDORS=vendors)
            code, text, seconds = self.execute("traces", [self.mkmd, "inspect", trace])
            self.note("traces", code, program + ": " + (text.splitlines() or ["no trace"])[0], seconds)

    def under(self, specification):
        return [self.mkmd, "run", "--devices", specification, "--"]

    def pair(self):
        return f"{self.gpu.name},{self.cpu.name}"

    def both(self, step):
        if self.cpu is None:
            self.note(step, "left out", "there is no CPU driver")
        return self.cpu is not None

    def run(self):
        self.find_devices()
        if self.gpu is not None:
            steps = self.options.steps.split(",") if self.options.steps else list(STEPS)
            for step in steps:
                if step == "devices":
                    continue
                if time.monotonic() > self.until - 5:
                    self.note(step, "left out", "no time was left")
                else:
                    getattr(self, step)()
        self.write()
        if self.gpu is None:
            print(f"gpu-check: no device {self.options.gpu or 'of type GPU'} was found; --gpu names another",
                  file=sys.stderr)
            return 2
        return 1 if any(result["failed"] for result in self.results) else 0

    def write(self):
        machine = {"kernel": " ".join(os.uname()), "cores": os.cpu_count(), "drivers": drivers(),
                   "gpu": vars(self.gpu) if self.gpu else None, "cpu": vars(self.cpu) if self.cpu else None}
        with open(os.path.join(self.output, "report.json"), "w") as file:
            json.dump({"machine": machine, "steps": self.results}, file, indent=1)
        with open(os.path.join(self.output, "report.md"), "w") as file:
            name = self.gpu.text if self.gpu else "no GPU"
            file.write(f"# MKMD on {name}\n\n")
            file.write("".join(f"- {key}: {value}\n" for key, value in machine.items()))
            file.write("\n| step | result | ended with | s |\n| --- | --- | --- | ---: |\n")
            for r in self.results:
                seconds = "" if r["seconds"] is None else f"{r['seconds']:.0f}"
                result = ("**failed:** " if r["failed"] else "") + str(r["result"]).replace("|", "/")
                file.write(f"| {r['step']} | {result} | {r['ended']} | {seconds} |\n")
        with tarfile.open(os.path.join(self.output, "logs.tar.gz"), "w:gz") as archive:
            archive.add(self.logs, arcname="logs")
        print(f"report: {os.path.join(self.output, 'report.md')}")


def run(options):
    if not os.path.exists(os.path.join(options.build, "mkmd")):
        print(f"gpu-check: no {options.build}/mkmd: build first (scripts/build)", file=sys.stderr)
        return 2
    return Check(options).run()
