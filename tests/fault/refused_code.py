#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A compiler helper whose code for pieces no driver takes: the real one's answer, with a mistake at the end of that code."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../libinterpose/verify"))
from changed_helper import HEADER, checksum  # noqa: E402

question = json.load(sys.stdin)
question["store"] = ""  # nothing of it is kept
answer = subprocess.run([sys.argv[1]], input=json.dumps(question).encode(), stdout=subprocess.PIPE, check=True).stdout
magic, json_bytes, source_bytes, *_ = HEADER.unpack_from(answer)
body = answer[HEADER.size:]
mistake = b"\nthis is no OpenCL C\n"
if source_bytes:
    body = body[:-len(mistake)] + mistake
sys.stdout.buffer.write(HEADER.pack(magic, json_bytes, source_bytes, *checksum(body)) + body)
