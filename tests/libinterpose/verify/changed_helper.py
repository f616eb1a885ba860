# SPDX-License-Identifier: Apache-2.0
"""A compiler helper that says something else of kernels than the real one does: what it is asked, it asks the real one,
and has `change(kernels)` change the descriptions in the answer. The module's code stays what it is."""
import json
import struct
import subprocess
import sys

MASK = (1 << 64) - 1
HEADER = struct.Struct("<8sQQQQ")  # compiler/module_file.cpp


def rotated(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK


def mixed(x):
    x ^= x >> 30
    x = x * 0xbf58476d1ce4e5b9 & MASK
    x ^= x >> 27
    x = x * 0x94d049bb133111eb & MASK
    return x ^ x >> 31


def checksum(data):
    a = (0x9e3779b97f4a7c15 + len(data)) & MASK
    b = 0xc2b2ae3d27d4eb4f ^ len(data)
    for (word,) in struct.iter_unpack("<Q", data + bytes(-len(data) % 8)):
        a = mixed(a ^ word)
        b = (rotated(b, 23) * 0x9fb21c651e98df25 + mixed((word + 0x165667b19e3779f9) & MASK)) & MASK
    return mixed((a + b) & MASK), mixed(b ^ rotated(a, 32))


def serve(helper, change):
    question = json.load(sys.stdin)
    question["store"] = ""  # the real description is kept nowhere
    answer = subprocess.run([helper], input=json.dumps(question).encode(), stdout=subprocess.PIPE, check=True).stdout
    magic, json_bytes, spir_bytes, *sums = HEADER.unpack_from(answer)
    body = answer[HEADER.size:]
    assert tuple(sums) == checksum(body), "the checksum is computed in another way"
    said = json.loads(body[:json_bytes])
    if "kernels" in said:
        change({kernel["name"]: kernel for kernel in said["kernels"]})
    text = json.dumps(said).encode()
    body = text + body[json_bytes:]
    sys.stdout.buffer.write(HEADER.pack(magic, len(text), spir_bytes, *checksum(body)) + body)
