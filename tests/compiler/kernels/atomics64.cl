// SPDX-License-Identifier: Apache-2.0
// Atomic updates of 64-bit integers.
//@needs cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
//@ other_widths together global=64 local=8 : u64[2]
__kernel void other_widths(__global ulong* out) {
  atom_add(out, 0xffffffffUL);
  atomic_add((__global uint*)out, 1u);
}
//@ wide summed global=64 local=8 : u64[4]
__kernel void wide(__global ulong* out) {
  ulong i = get_global_id(0);
  atom_add(out, i << 33 | i);
  atom_sub((__global long*)(out + 1), (long)i << 31);
  atom_inc(out + 2);
}
