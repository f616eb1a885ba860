# SPDX-License-Identifier: Apache-2.0
"""A compiler helper that says something else of kernels than the real one does. It asks the real one what it is asked,
and has `change(kernels)` change the descriptions in the answer. The module's code stays what it is."""
import ctypes
import json
import struct
import subprocess
import sys

HEADER = struct.Struct("<8sQQQQ")  # compiler/module_file.cpp


class Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


XXHASH = ctypes.CDLL("libxxhash.so.0")
XXHASH.XXH3_128bits.restype = Hash
XXHASH.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def checksum(data):
    hash = XXHASH.XXH3_128bits(data, len(data))
    return hash.high, hash.low


def serve(helper, change):
    question = json.load(sys.stdin)
    question["store"] = ""  # the real description is kept nowhere
    answer = subprocess.run([helper], input=json.dumps(question).encode(), stdout=subprocess.PIPE, check=True).stdout
    magic, json_bytes, source_bytes, *sums = HEADER.unpack_from(answer)
    body = answer[HEADER.size:]
    assert tuple(sums) == checksum(body), "the checksum is computed in another way"
    said = json.loads(body[:json_bytes])
    if "kernels" in said:
        change({kernel["name"]: kernel for kernel in said["kernels"]})
    text = json.dumps(said).encode()
    body = text + body[json_bytes:]
    sys.stdout.buffer.write(HEADER.pack(magic, len(text), source_bytes, *checksum(body)) + body)
