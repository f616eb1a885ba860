# SPDX-License-Identifier: Apache-2.0
"""Reikna: transforms, products, reductions, random numbers."""
import numpy as np
from reikna import cluda
from reikna.algorithms import Reduce, Scan, Transpose, predicate_sum
from reikna.fft import FFT
from reikna.linalg import EntrywiseNorm, MatrixMul

from results import random, show

api = cluda.ocl_api()
thread = api.Thread.create()


def run(name, computation, output, *inputs, repeat=3):
    compiled = computation.compile(thread)
    for _ in range(repeat):
        compiled(output, *inputs)
    show(name, output.get())


a = thread.to_device(random(1, 512, 512))
b = thread.to_device(random(2, 512, 512))
run("product", MatrixMul(a, b), thread.empty_like(a), a, b)
c = thread.to_device((random(3, 512, 1024) + 1j * random(4, 512, 1024)).astype(np.complex64))
run("fft 1D", FFT(c, axes=(1,)), thread.empty_like(c), c)
run("fft 2D", FFT(c), thread.empty_like(c), c)
odd = thread.to_device((random(5, 300, 500) + 0j).astype(np.complex64))
run("fft odd", FFT(odd), thread.empty_like(odd), odd)
run("transpose", Transpose(a), thread.empty_like(a), a)
long = thread.to_device((random(6, 1 << 20) * 100).astype(np.int64))
reduce = Reduce(long, predicate_sum(np.int64))
run("sum", reduce, thread.empty_like(reduce.parameter.output), long)
scan = Scan(long, predicate_sum(np.int64))
run("scan", scan, thread.empty_like(long), long)
norm = EntrywiseNorm(c)
run("norm", norm, thread.empty_like(norm.parameter.output), c)
