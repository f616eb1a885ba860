# SPDX-License-Identifier: Apache-2.0
"""PyOpenCL's own arrays, reductions, scans, sorting and random numbers."""
import numpy as np
import pyopencl as cl
import pyopencl.algorithm
import pyopencl.array
import pyopencl.clmath
import pyopencl.clrandom
import pyopencl.reduction
import pyopencl.scan
import pyopencl.elementwise
import pyopencl.bitonic_sort

from results import random, show

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
n = 1 << 21
x, y = (cl.array.to_device(queue, random(seed, n)) for seed in (1, 2))

for step in range(8):
    z = (3 * x + y * step).astype(np.float32)
    z = cl.clmath.exp(-z) + cl.clmath.sin(x) * cl.clmath.sqrt(y)
show("elementwise", z.get())
show("dot", cl.array.dot(x, y).get())
show("max", cl.array.max(z).get())
show("where", cl.array.if_positive(x - y, x, y).get())

saxpy = cl.elementwise.ElementwiseKernel(context, "float a, float *x, float *y, float *z",
                                         "for (int k = 0; k < 50; k++) z[i] = a*x[i] + y[i]*z[i]", "saxpy50")
for step in range(5):
    saxpy(np.float32(0.5), x, y, z)
show("elementwise kernel", z.get())

norm = cl.reduction.ReductionKernel(context, np.float32, neutral="0", reduce_expr="a+b",
                                    map_expr="x[i]*x[i] + sin(y[i])", arguments="__global float *x, __global float *y")
for step in range(4):
    total = norm(x, y)
show("reduction", total.get())

integers = cl.array.to_device(queue, (random(3, n) * 1000).astype(np.int32))
scan = cl.scan.GenericScanKernel(context, np.int32, arguments="__global int *in, __global int *out",
                                 input_expr="in[i]", scan_expr="a+b", neutral="0", output_statement="out[i] = item;")
out = cl.array.empty_like(integers)
for step in range(4):
    scan(integers, out)
show("scan", out.get())
kept, count, event = cl.algorithm.copy_if(integers, "ary[i] > 500")
show("copy_if", kept.get()[:int(count.get())])
sort = cl.algorithm.RadixSort(context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"], key_dtype=np.int32)
(ordered,), event = sort(integers)
show("radix sort", ordered.get())
few = cl.array.to_device(queue, random(5, 1 << 16))
few, event = cl.bitonic_sort.BitonicSort(context)(few)
show("bitonic sort", few.get())
generator = cl.clrandom.PhiloxGenerator(context, seed=11)
show("normal numbers", generator.normal(queue, n, np.float32).get())
show("transpose", cl.array.to_device(queue, random(6, 1024, 1024)).T.copy().get())
