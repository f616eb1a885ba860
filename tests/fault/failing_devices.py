# SPDX-License-Identifier: Apache-2.0
"""Cases of run_faults.py in which devices fail at calls, or the system gives no more threads or privileges.

libfailing_vendor.so stands in front of PoCL. Whatever a helper fails at, the program's results must be those of a bare
run. A failure that was to be injected and was not is an error of the test.
"""
import collections
import os
import re

POCL_ICD = "/etc/OpenCL/vendors/pocl.icd"
STEPS = {"name": "stencil", "command": "stencil", "args": ["384", "12"], "timeout": 120}
IN_PLACE = {"name": "in_place_steps", "command": "in_place_steps", "folder": "tests/fault", "timeout": 120}
NATIVE = {"name": "native_fails", "command": "native_fails", "folder": "tests/fault", "timeout": 120}
SLOW_NATIVE = {**NATIVE, "name": "native_fails slowly", "args": ["slowly"]}
BEHIND_NATIVE = {**NATIVE, "name": "native_fails waits", "args": ["waits"]}
ATOMICS = {"name": "atomics", "command": "atomics", "timeout": 120}
COPIES = {"name": "fill_copy_chains", "command": "fill_copy_chains", "timeout": 120}
MANY = {"name": "many_commands", "command": "many_commands", "timeout": 120}
EXITS = [{"name": name, "command": name, "timeout": 120} for name in ("at_exit", "global_destructor")]
IMAGES = {"name": "images_random", "command": "images_random", "args": ["3", "25"], "timeout": 300}
DROP = {"name": "drop_privileges", "command": "drop_privileges", "folder": "tests/fault", "timeout": 120}
# Another policy than the default one is obeyed: launches are split also where that loses time.
POLICY = {"MKMD_POLICY": "mkmd-slices"}
# Where the devices' memory is the host's, the host copies bytes itself; else they move by commands.
BY_COMMANDS = {"FAILING_APART": "1"}
SEPARATE = {"MKMD_DEVICES": "pocl/2", "MKMD_SEPARATE_MEMORY": "1"}
MODES = {"shared": {"MKMD_DEVICES": "pocl/2"},
         "separate": {**SEPARATE, **BY_COMMANDS},
         "three-way": {**SEPARATE, **BY_COMMANDS, "MKMD_DEVICES": "pocl/3", "POCL_MAX_PTHREAD_COUNT": "3",
                       "POCL_AFFINITY": "0"}}
BY_HOST = "by host"
EVERY_MODE = {**MODES, BY_HOST: SEPARATE}


def vendor(f, rules="", **more):
    with open(POCL_ICD) as icd:
        real = icd.read().strip()
    named = os.path.join(f.folder, "failing.icd")
    with open(named, "w") as icd:  # which is what loaders take
        icd.write(os.path.join(f.programs.options.build, "tests/fault/libfailing_vendor.so"))
    return {"OCL_ICD_VENDORS": named, "POCL": real, "FAILING_CALLS": rules, **more}


def count_file(f):
    path = os.path.join(f.folder, "count")
    if os.path.exists(path):
        os.remove(path)
    return path


def injected(path):
    """How often each rule was followed: the last word of a line."""
    if not os.path.exists(path):
        return collections.Counter()
    with open(path) as file:
        return collections.Counter(line.split()[-1] for line in file)


def try_rules(f, mode, rules, program=STEPS, error_allowed=False, perhaps=(), **variables):
    """Under us, with these failures: the bare run's results, and no line but those about devices that fail. Each rule
    must have been followed, but for those in `perhaps`; one of them must in any case."""
    count = count_file(f)
    given = {**POLICY, **EVERY_MODE[mode], **vendor(f, rules, FAILING_COUNT=count), **variables}
    ours = f.preloaded(program, **given)
    what = f"{mode}, {program['name']}, {rules}"
    followed = injected(count)
    never = [rule for rule in rules.split(",") if not followed[rule] and rule not in perhaps]
    if never or not followed:
        f.wrong.append(f"{what}: nothing has failed by {', '.join(never) or 'any rule'}")
    bare = f.bare_of(program)
    # Of a call, or of the variable that a call has set.
    failed_openly = ours.code == 99 and re.search(r"error -\d+ in (cl|error$)", ours.out, re.MULTILINE)
    if (ours.code, ours.out) != (bare.code, bare.out) and not (error_allowed and failed_openly):
        f.wrong.append(f"{what}: exit code {ours.code}, {ours.out}\n    {ours.said} {ours.error[:5]}")
    return ours


def calls_seen(f, mode, program):
    f.preloaded(program, **POLICY, **EVERY_MODE[mode])  # measures the devices, which later runs do not
    seen = os.path.join(f.folder, "seen")
    if os.path.exists(seen):
        os.remove(seen)
    ours = f.preloaded(program, **POLICY, **EVERY_MODE[mode], **vendor(f, FAILING_SEEN=seen))
    if f.split == 0 or ours.code != 0:
        f.wrong.append(f"{mode}, {program['name']}: {f.split} kernels split, exit code {ours.code}: {ours.said}")
    calls = collections.defaultdict(set)
    with open(seen) as file:
        for line in file:
            name, _, device = line.rstrip("\n").partition(" ")
            calls[device].add(name)
    return calls


def helpers_fail(f):
    """Every call that is made on a helper, once, again and again, and for good."""
    for mode in EVERY_MODE:
        calls = calls_seen(f, mode, STEPS)
        helper = "1"
        if "clEnqueueNDRangeKernel" not in calls[helper]:
            f.wrong.append(f"{mode}: device {helper} gets no kernels")
        for name in sorted(calls[helper]):
            if re.match("clRetain|clRelease", name):
                continue
            for how in ("fail=-5:1", "fail=-4:2+"):
                rule = f"{name}@{helper}:{how}"
                if how.endswith("2+"):  # not all are called twice
                    try_rules(f, mode, rule + f",{name}@{helper}:fail=-5:1", perhaps=[rule])
                else:
                    try_rules(f, mode, rule)


def helpers_garble(f):
    for mode in MODES:
        for name in ("clEnqueueNDRangeKernel", "clFlush", "clSetEventCallback", "clGetEventProfilingInfo"):
            try_rules(f, mode, f"{name}@1:delay=3:*2")
    for mode in ("separate", "three-way"):
        for name in ("clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueMarkerWithWaitList", "clCreateBuffer",
                     "clSetKernelArg"):
            try_rules(f, mode, f"{name}@1:delay=3:*2")
        try_rules(f, mode, "clEnqueueReadBuffer@1:garbage:*2")


def commands_end_with_errors(f):
    """Events of pieces that end with an error: done again where that is safe, else the program is told."""
    for mode in EVERY_MODE:
        for how in ("abort:2", "half:2", "abort:*3", "half:1+"):
            try_rules(f, mode, f"clEnqueueNDRangeKernel@1:{how}", error_allowed=True)
        try_rules(f, mode, "clEnqueueNDRangeKernel@1:half:2", program=IN_PLACE, error_allowed=True)
        try_rules(f, mode, "clEnqueueNDRangeKernel@1:fail=-5:2", program=IN_PLACE)
    # Other pieces have added to the same numbers meanwhile. Nothing may be added twice.
    for device in ("0", "1"):
        for how in ("half:2", "half:*3", "abort:2"):
            try_rules(f, "shared", f"clEnqueueNDRangeKernel@{device}:{how}", program=ATOMICS, error_allowed=True)
        try_rules(f, "shared", f"clEnqueueNDRangeKernel@{device}:fail=-5:*2", program=ATOMICS)


def callbacks_never_come(f):
    """What became of a command is asked for, whether it was executed, has failed, or waits for one that has."""
    for mode in MODES:
        for rule in ("clEnqueueNDRangeKernel@1:silent:*4", "clEnqueueNDRangeKernel@0:silent:1+"):
            try_rules(f, mode, rule)
        for how in ("late=1:2", "late=50:3", "late=300:*5"):
            try_rules(f, mode, f"clEnqueueNDRangeKernel@1:{how}", error_allowed=True)
    try_rules(f, "shared", "clEnqueueNDRangeKernel@1:late=20:2", program=IN_PLACE, error_allowed=True)


def native_commands_fail(f):
    """A command that went to home's own queue ends with an error after others were captured: those go on."""
    for mode in MODES:
        for how in ("behind=1:1+", "behind=30:1", "behind=30:*2", "late=30:1", "abort:1+"):
            try_rules(f, mode, f"clEnqueueFillBuffer@whole:{how}", program=NATIVE)
        # What another queue has under way is waited for all the same.
        try_rules(f, mode, "clEnqueueFillBuffer@whole:behind=5:1+", program=SLOW_NATIVE)
        # A piece that fails by itself has changed what it reads: it is not done again, whatever it came behind.
        try_rules(f, mode, "clEnqueueFillBuffer@whole:behind=20:1+,clEnqueueNDRangeKernel@1:half:*2", program=NATIVE,
                  error_allowed=True)
        # Late: PoCL never starts what comes behind an event that has failed already.
        try_rules(f, mode, "clEnqueueFillBuffer@whole:behind=2000:3", program=BEHIND_NATIVE)


def events_say_nothing(f):
    """What became of a command is asked in another way, and nothing is made of an answer that came with an error."""
    for mode in MODES:
        try_rules(f, mode, "clGetEventInfo@1:garbage:*2")
        for how in ("fail=-5", "garbage"):
            rules = f"clGetEventInfo@1:{how}:1+,clEnqueueNDRangeKernel@1:half:2"
            try_rules(f, mode, rules, program=IN_PLACE, error_allowed=True)


def refused_behind_others(f):
    """Commands planned after one that was refused, while those before it are under way, wait for its end."""
    for seed in range(4):
        for rule in ("@1:fail=-5:*3", "@0:fail=-5:*2"):
            try_rules(f, "shared", "clEnqueueNDRangeKernel" + rule, program=MANY,
                      MKMD_POLICY=f"random-cuts:seed={seed}")


def helpers_fail_at_exit(f):
    """Home may have no code for pieces when exit handlers run: then the program gets an error, and does not crash."""
    for program in EXITS:
        for mode in ("shared", "separate"):
            try_rules(f, mode, "clEnqueueNDRangeKernel@1:fail=-5:2+", program=program)
            later = ",".join(f"clEnqueueNDRangeKernel@{device}:fail=-5:2+" for device in (0, 1))
            # Several pieces for each device, whatever calibration says of it.
            try_rules(f, mode, later, program=program, error_allowed=True, MKMD_POLICY="mkmd-malleable:chunks=8")


def home_fails(f):
    """The program gets the error that it gets bare, sooner or later."""
    for name in ("clEnqueueNDRangeKernel", "clEnqueueReadBuffer", "clCreateKernel", "clCreateBuffer",
                 "clBuildProgram", "clCreateContext"):
        for mode in ("shared", "separate"):
            rules = f"{name}:fail=-6:1+"
            count = count_file(f)
            bare = f.programs.run(STEPS, f.programs.command(STEPS), **vendor(f, rules, FAILING_COUNT=count))
            if not injected(count):
                f.wrong.append(f"{rules}: nothing has failed in the bare run")
            count = count_file(f)
            ours = f.preloaded(STEPS, **POLICY, **EVERY_MODE[mode], **vendor(f, rules, FAILING_COUNT=count))
            codes = [re.findall(r"error (-\d+) in", run.out) for run in (bare, ours)]
            if not injected(count):
                f.wrong.append(f"{mode}, {rules}: nothing has failed")
            if bare.code != ours.code or codes[0] != codes[1]:
                f.wrong.append(f"{mode}, {rules}: {ours.code} {ours.out} {ours.said} instead of {bare.code} {bare.out}")


def device_left_out(f):
    """One line, and no more pieces for a device that fails again and again."""
    for mode in MODES:
        ours = try_rules(f, mode, "clEnqueueNDRangeKernel@1:fail=-5:1+")
        if len(ours.said) != 1 or not re.search("device pocl/[23]#1 failed .*is left out", ours.said[0]):
            f.wrong.append(f"{mode}: on stderr: {ours.said}")


def no_threads(f):
    """Kernels run whole, with one line, when the system gives no more threads."""
    library = os.path.join(f.programs.options.build, "tests/fault/libfailing_threads.so")
    for mode in ("shared", "separate"):
        for first in (1, 2, 3):
            count = count_file(f)
            preload = library + ":" + os.path.join(f.library, "libinterpose.so")
            ours = f.preloaded(STEPS, **POLICY, **EVERY_MODE[mode], LD_PRELOAD=preload, FAILING_THREADS=str(first),
                               FAILING_COUNT=count)
            bare = f.bare_of(STEPS)
            if (ours.code, ours.out) != (bare.code, bare.out):
                f.wrong.append(f"{mode}, thread {first}: exit code {ours.code}: {ours.out} {ours.said}")
            # The third may be the one that settles what is unfinished when the process exits, which is left out quietly.
            if injected(count) and len(ours.said) != 1 and (first < 3 or ours.said):
                f.wrong.append(f"{mode}, thread {first}: on stderr: {ours.said}")
            if not injected(count) and first < 3:
                f.wrong.append(f"{mode}, thread {first}: no thread was refused")


def images_fail(f):
    """A memory refuses an image, or its pixels: others get the pieces, or the stand-in keeps them."""
    cuts = {"MKMD_POLICY": "random-cuts:seed=2"}
    for mode in ("separate", "three-way"):
        calls = calls_seen(f, mode, IMAGES)
        for name in ("clCreateImage", "clEnqueueReadImage", "clEnqueueWriteImage"):
            if name not in calls["1"]:
                f.wrong.append(f"{mode}: device 1 gets no {name}")
        for rule in ("clCreateImage@1:fail=-4:1", "clCreateImage@1:fail=-4:*2", "clCreateImage@1:fail=-4:1+",
                     "clGetSupportedImageFormats@1:fail=-6:*2", "clEnqueueReadImage@1:fail=-5:2",
                     "clEnqueueReadImage@1:fail=-5:1+", "clEnqueueWriteImage@1:fail=-5:*2", "clEnqueueWriteImage@1:fail=-5:3+",
                     "clEnqueueWriteImage@1:delay=3:*2", "clEnqueueNDRangeKernel@1:fail=-5:*3", "clCreateSampler@1:fail=-6:1",
                     "clEnqueueWriteImage@1:fail=-5:1+,clEnqueueCopyBufferToImage@1:fail=-5:*2"):
            try_rules(f, mode, rule, program=IMAGES, **cuts)
        for how in ("half:*5", "abort:3"):
            try_rules(f, mode, f"clEnqueueNDRangeKernel@1:{how}", program=IMAGES, error_allowed=True, **cuts)


def privileges_dropped(f):
    """PoCL ends the process where it has to compile and cannot: we make it compile nothing that it would not bare."""
    if os.geteuid() != 0:
        return
    kernels = os.path.join(f.folder, "pocl-as-root")
    os.chmod(f.folder, 0o755)
    cache = {"POCL_CACHE_DIR": kernels, "XDG_CACHE_HOME": f.new_cache()}
    full = dict(DROP, args=["now"])
    # Afterwards PoCL has on disk what the program needs, but not what pieces need.
    f.programs.run(DROP, f.programs.command(DROP), **cache)
    for folder, _, files in os.walk(kernels):
        os.chmod(folder, 0o755)
        for file in files:
            os.chmod(os.path.join(folder, file), 0o755)
    bare = f.programs.run(full, f.programs.command(full), **cache)
    if bare.code != 0:
        f.wrong.append(f"the bare run ended with {bare.code}: {bare.out} {bare.error[:3]}")
    for mode in ("shared", "separate"):
        ours = f.preloaded(full, **POLICY, **EVERY_MODE[mode], **cache, MKMD_SUMMARY=None)  # nobody may not write there
        if (ours.code, ours.out) != (bare.code, bare.out):
            f.wrong.append(f"{mode}: exit code {ours.code}: {ours.out} {ours.said} {ours.error[:3]}")
        if len(ours.said) != 1 or "changed its user" not in ours.said[0]:
            f.wrong.append(f"{mode}: on stderr: {ours.said}")


def devices_die(f):
    """A device with a memory of its own is gone from some moment on. Its commands never end, and what only its memory
    had is computed again. One line says so, and the results are those of a bare run."""
    for mode, program in (("separate", STEPS), ("separate", IN_PLACE), ("separate", COPIES), ("three-way", STEPS)):
        calls = calls_seen(f, mode, program)["1"]
        for name in ("clEnqueueNDRangeKernel", "clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueCopyBuffer",
                     "clEnqueueFillBuffer", "clEnqueueMapBuffer", "clFlush", "clSetEventCallback"):
            for when in ("1", "2", "7") if name in calls else ():
                rule = f"{name}@1:dies:{when}"
                count = count_file(f)
                ours = f.preloaded(program, **POLICY, **MODES[mode], **vendor(f, rule, FAILING_COUNT=count))
                what = f"{mode}, {program['name']}, {rule}"
                bare = f.bare_of(program)
                if (ours.code, ours.out) != (bare.code, bare.out):
                    f.wrong.append(f"{what}: exit code {ours.code}, {ours.out}\n    {ours.said} {ours.error[:5]}")
                if not injected(count) and when == "1":
                    f.wrong.append(f"{what}: nothing has died")
                # One that dies early is given no work, so that nobody finds out.
                lines = "pocl/[23]#1 (is lost .*left out|gets no pieces)"
                if injected(count) and (len(ours.said) != 1 or not re.search(lines, ours.said[0])):
                    f.wrong.append(f"{what}: on stderr: {ours.said}")


def devices_are_stranded(f):
    """With one device the other helper stops answering, and its driver does not know. Both are left out, the results are
    those of a bare run, and nothing waits for ever."""
    bare = f.bare_of(STEPS)
    for name in ("clEnqueueNDRangeKernel", "clEnqueueReadBuffer"):
        rule = f"{name}@1:strands:2"
        count = count_file(f)
        ours = f.preloaded(STEPS, **POLICY, **MODES["three-way"], **vendor(f, rule, FAILING_COUNT=count))
        if (ours.code, ours.out) != (bare.code, bare.out):
            f.wrong.append(f"{rule}: exit code {ours.code}, {ours.out}\n    {ours.said} {ours.error[:5]}")
        lost = [line for line in ours.said if re.search("pocl/3#[12] is lost .*left out", line)]
        if not injected(count) or len(lost) != 2 or ours.said != lost:
            f.wrong.append(f"{rule}: injected {injected(count)}, on stderr: {ours.said}")


CASES = [helpers_fail, helpers_garble, commands_end_with_errors, callbacks_never_come, native_commands_fail, events_say_nothing,
         refused_behind_others, images_fail, helpers_fail_at_exit, home_fails, device_left_out, devices_die, devices_are_stranded, no_threads,
         privileges_dropped]
