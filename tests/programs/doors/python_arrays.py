# SPDX-License-Identifier: Apache-2.0
# pyopencl, as a scientist would use it: arrays, an element-wise kernel, a reduction, an own kernel. Needs
# python3-pyopencl; exits with 77 (skipped) where it is missing. With an argument pyopencl keeps binaries.
import hashlib
import os
import sys

if not sys.argv[1:]:
    os.environ["PYOPENCL_NO_CACHE"] = "1"
try:
    import numpy as np
    import pyopencl as cl
    import pyopencl.array
    import pyopencl.characterize
    from pyopencl.elementwise import ElementwiseKernel
    from pyopencl.reduction import ReductionKernel
except ImportError:
    print("no pyopencl")
    sys.exit(77)


# From 2024 on pyopencl keeps none of PoCL's, which has a cache of its own. Other drivers' are still kept.
cl.characterize.has_src_build_cache = lambda device: None


def show(name, values):
    print(name, hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:16])


device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
generator = np.random.RandomState(5)
a = generator.randint(0, 1000, 300000).astype(np.int32)
b = generator.randint(0, 1000, 300000).astype(np.int32)

a_device = cl.array.to_device(queue, a)
b_device = cl.array.to_device(queue, b)
show("array", (a_device * 3 + b_device).get())

saxpy = ElementwiseKernel(context, "int *x, int *y, int *z, int s", "z[i] = s * x[i] + y[i]", "saxpy")
z = cl.array.empty_like(a_device)
saxpy(a_device, b_device, z, np.int32(11))
show("elementwise", z.get())

total = ReductionKernel(context, np.int32, neutral="0", reduce_expr="a+b", map_expr="x[i]", arguments="__global int *x")
print("sum", total(a_device).get())

program = cl.Program(context, """
__kernel void row_sums(__global const float* m, __global float* out, int n) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += m[row * n + k];
  out[row] = sum;
}""").build()
n = 1500
matrix = generator.rand(n, n).astype(np.float32)
flags = cl.mem_flags
m_device = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=matrix)
sums_device = cl.Buffer(context, flags.WRITE_ONLY, 4 * n)
sums = np.empty(n, np.float32)
for _ in range(3):
    event = program.row_sums(queue, (n,), None, m_device, sums_device, np.int32(n))
cl.enqueue_copy(queue, sums, sums_device, wait_for=[event])
show("row sums", sums)
try:
    cl.Program(context, "__kernel void broken( { }").build()
    print("built what cannot be built")
except cl.RuntimeError as problem:
    print("build failed", problem.code)
