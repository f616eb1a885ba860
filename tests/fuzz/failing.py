# SPDX-License-Identifier: Apache-2.0
"""The part of run.py that makes devices fail at random calls: libfailing_vendor.so stands in front of PoCL.

The bare run stays the oracle. Where a command of a helper may have begun, or home fails, an error that a call reports
is right, too. The lines that a device is left out, or that the other devices cannot be used, are expected.
"""
import os
import re

POCL_ICD = "/etc/OpenCL/vendors/pocl.icd"
EVERYWHERE = ["clEnqueueNDRangeKernel"] * 12 + [
    "clFlush", "clFinish", "clSetEventCallback", "clGetEventInfo", "clGetEventProfilingInfo", "clSetKernelArg",
    "clEnqueueMarkerWithWaitList", "clCreateKernel", "clEnqueueFillBuffer", "clEnqueueCopyBuffer"]
OWN_MEMORY = ["clCreateBuffer", "clEnqueueReadBuffer", "clEnqueueReadBuffer", "clEnqueueMapBuffer", "clEnqueueMapBuffer",
              "clEnqueueUnmapMemObject", "clEnqueueWriteBuffer", "clEnqueueReadBufferRect", "clEnqueueWriteBufferRect",
              "clCreateImage", "clEnqueueReadImage", "clEnqueueWriteImage", "clEnqueueCopyImageToBuffer",
              "clCreateSubBuffer", "clGetMemObjectInfo", "clBuildProgram", "clCreateContext", "clCreateCommandQueue"]
HELPERS = {"shared": ["0", "1"], "three": ["0", "1", "2"], "separate": ["1"], "three-separate": ["1", "2"]}
HOMES = {"shared": ["whole"], "three": ["whole"], "separate": ["0", "whole"], "three-separate": ["0", "whole"]}


def rule(r, mode, home):
    """A rule for FAILING_CALLS, and whether a command may have begun when it fails."""
    name = r.choice(EVERYWHERE + (OWN_MEMORY if mode.endswith("separate") else []))
    device = r.choice((HOMES if home else HELPERS)[mode])
    count = r.choice([1, 2, 2, 3, 4, 5, 7, 9, 13, 20, 30])
    when = r.choice([f"{count}", f"{count}", f"{count}+", f"*{count}"])
    if name == "clEnqueueNDRangeKernel" and r.random() < 0.1:
        return f"{name}@{device}:{r.choice(['abort', 'half'])}:{when}", True
    if r.random() < 0.2:
        return f"{name}@{device}:delay={r.choice([1, 2, 5, 10])}:*{max(3, count)}", False
    if name in ("clEnqueueReadBuffer", "clGetEventInfo") and r.random() < 0.4:
        return f"{name}@{device}:garbage:{when}", False
    return f"{name}@{device}:fail={r.choice([-4, -5, -6, -34, -36, -59])}:{when}", False


def rules(r, mode):
    """The text of some rules, and whether an error of a call is right, too."""
    home = r.random() < 0.1
    chosen = [rule(r, mode, home and i == 0) for i in range(r.randint(1, 4))]
    return ",".join(text for text, _ in chosen), home or any(begun for _, begun in chosen)


def variables(build, folder, text):
    with open(POCL_ICD) as icd:
        real = icd.read().strip()
    named = os.path.join(folder, "failing.icd")
    with open(named, "w") as icd:
        icd.write(os.path.join(build, "tests/fault/libfailing_vendor.so"))
    return {"OCL_ICD_VENDORS": named, "POCL": real, "FAILING_CALLS": text}


def is_reported(ours):
    return ours[0] == 3 and re.search(r"(?m)^error -\d+ in ", ours[1]) is not None


def without_expected_lines(ours, error_allowed):
    expected = r"(?m)^mkmd: .*(it is left out|everything runs on the home device)\n"
    if error_allowed:
        expected = expected.replace("(it", "(cannot be repeated.*|it", 1)
    return ours[0], ours[1], re.sub(expected, "", ours[2])
