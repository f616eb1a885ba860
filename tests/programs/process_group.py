# SPDX-License-Identifier: Apache-2.0
"""A command in a process group of its own, so that a child that hangs ends with it."""
import os
import signal
import subprocess


def run(command, environment, timeout, out, error):
    """Its exit code, or why there is none."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=error, env=environment,
                               start_new_session=True)
    try:
        code = process.wait(timeout)
    except subprocess.TimeoutExpired:
        code = f"still running after {timeout:.0f} s"
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return code
