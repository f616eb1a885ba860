# SPDX-License-Identifier: Apache-2.0
"""Makes the files of scripts/gpu-check: the checkout with stripped binaries, and PoCL with its LLVM."""
import glob
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = "mkmd-gpu-check"
MOST_BYTES = 60 << 20  # of the first file
# What the steps of `run` call, in a build folder.
BINARIES = ["mkmd", "bin/mkmd-kc", "bin/mkmd-simulate", "lib/mkmd/*", "tests/programs/*",
            "tests/compiler/compiler_device_tests", "bench/apps/*", "bench/micro/*"]
# The C and C++ libraries belong to the machine, since its drivers use them, too.
OF_THE_MACHINE = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so)")
POCL = "/usr/lib/x86_64-linux-gnu"


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def libraries_of(path):
    """Files of the shared libraries that it needs, but for those of each machine."""
    listed = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
    found = re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE)
    return {name: file for name, file in found if not OF_THE_MACHINE.match(name)}


def strip(source, destination):
    os.makedirs(os.path.dirname(destination), exist_ok=True)
    if is_elf(source):
        subprocess.run(["strip", "--strip-unneeded", "-o", destination, source], check=True)
    else:
        shutil.copy(source, destination)
    shutil.copymode(source, destination)


def copy_checkout(folder):
    archive = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, check=True).stdout
    for name in archive.decode().split("\0"):
        source = os.path.join(ROOT, name)
        if name and os.path.isfile(source):
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            shutil.copy(source, os.path.join(folder, name))


def copy_binaries(build, folder):
    needed = {}
    for pattern in BINARIES:
        for source in glob.glob(os.path.join(build, pattern)):
            if not os.path.isfile(source) or not is_elf(source):
                continue
            strip(source, os.path.join(folder, "build", os.path.relpath(source, build)))
            needed.update(libraries_of(source))
    for name in ("libOpenCL.so.1",):
        needed.setdefault(name, os.path.join(POCL, name))
    for name, file in needed.items():
        if not os.path.realpath(file).startswith(build + os.sep):
            strip(os.path.realpath(file), os.path.join(folder, "lib", name))
    shutil.copy(os.path.join(build, "CMakeCache.txt"), os.path.join(folder, "build/CMakeCache.txt"))
    strip(shutil.which("clinfo"), os.path.join(folder, "build/bin/clinfo"))


def copy_headers_of_clang(build, folder):
    """OpenCL's headers, where the compiler helper finds them without Clang."""
    with open(os.path.join(build, "CMakeCache.txt")) as cache:
        llvm = re.search(r"^LLVM_DIR:\w+=(.*)$", cache.read(), re.MULTILINE).group(1)
    resources = glob.glob(os.path.join(os.path.dirname(os.path.dirname(llvm)), "clang/*/include"))
    for header in glob.glob(os.path.join(resources[0], "opencl-c*.h")):
        destination = os.path.join(folder, "build/bin/clang/include", os.path.basename(header))
        os.makedirs(os.path.dirname(destination), exist_ok=True)
        shutil.copy(header, destination)


def copy_pocl(folder):
    """PoCL finds what it needs relative to its own library."""
    library = os.path.realpath(os.path.join(POCL, "libpocl.so.2"))
    lib = os.path.join(folder, "pocl/lib/x86_64-linux-gnu")
    strip(library, os.path.join(lib, "libpocl.so.2"))
    for device in glob.glob(os.path.join(POCL, "pocl/libpocl-devices-*.so")):
        strip(device, os.path.join(lib, "pocl", os.path.basename(device)))
    for name, file in libraries_of(library).items():
        strip(os.path.realpath(file), os.path.join(lib, name))
    shutil.copytree("/usr/share/pocl/include", os.path.join(folder, "pocl/share/pocl/include"))
    # Of the processors' own libraries those of machines of the last ten years.
    for kind in ("GENERIC", "avx2", "avx512"):
        shutil.copy(f"/usr/share/pocl/kernel-x86_64-pc-linux-gnu-{kind}.bc", os.path.join(folder, "pocl/share/pocl"))


def compress(folder, file):
    # Two binaries that share LLVM's code lie far apart: a window of 128 MiB sees both.
    filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 128 << 20}]
    with lzma.open(file, "wb", format=lzma.FORMAT_XZ, filters=filters) as packed:
        with tarfile.open(fileobj=packed, mode="w|") as archive:
            archive.add(folder, arcname=NAME)
    return os.path.getsize(file)


def pack(options):
    if not os.path.exists(os.path.join(options.build, "mkmd")):
        print(f"gpu-check: no {options.build}/mkmd: build first (scripts/build)", file=sys.stderr)
        return 1
    # It is started without an environment, so it finds no libraries of the bundle.
    if any(name.startswith("libLLVM") for name in libraries_of(os.path.join(options.build, "bin/mkmd-kc"))):
        print(f"gpu-check: {options.build}/bin/mkmd-kc needs LLVM's shared library: install LLVM's archives "
              "(scripts/setup) and build again", file=sys.stderr)
        return 1
    output = options.output or os.path.join(options.build, "gpu-check")
    os.makedirs(output, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output) as folder:
        main, cpu = os.path.join(folder, "main"), os.path.join(folder, "cpu")
        copy_checkout(main)
        copy_binaries(options.build, main)
        copy_headers_of_clang(options.build, main)
        copy_pocl(cpu)
        sizes = {}
        for name, made in ((NAME, main), (NAME + "-cpu", cpu)):
            file = os.path.join(output, name + ".tar.xz")
            sizes[file] = compress(made, file)
    for file, size in sizes.items():
        print(f"{os.path.relpath(file)}: {size / (1 << 20):.1f} MiB")
    first = next(iter(sizes.values()))
    if first > MOST_BYTES:
        print(f"gpu-check: the bundle is larger than {MOST_BYTES >> 20} MiB", file=sys.stderr)
        return 1
    print(f"There: python3 -m tarfile -e {NAME}.tar.xz; cd {NAME}; scripts/gpu-check run --output report")
    return 0
