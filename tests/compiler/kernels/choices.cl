// Pointers that are chosen among several buffers.
//@ forth_and_back exact apart global=64 local=8 : i32[64] i32[64] i=0
//@ forth_and_back exact apart global=64 local=8 : i32[64] i32[64] i=3
__kernel void forth_and_back(__global int* a, __global int* b, int pass) {
  __global const int* from = pass & 1 ? b : a;
  __global int* to = pass & 1 ? a : b;
  int t = get_global_id(0);
  to[t] = from[63 - t] * 2;
}
// Neighbours are read: only the launch tells the buffers apart.
//@ smoothed exact apart global=64 local=8 : i32[64] i32[64] i=0
//@ smoothed exact apart global=64 local=8 : i32[64] i32[64] i=1
__kernel void smoothed(__global int* a, __global int* b, int pass) {
  __global int *from = a, *to = b;
  if (pass > 0) {
    from = b;
    to = a;
  }
  int t = get_global_id(0);
  to[t] = from[max(t - 1, 0)] + from[min(t + 1, 63)];
}
// Data decide: each buffer may be read, and be written.
//@ by_data apart global=64 local=8 : i32<2>[64] i32[64] i32[64]
__kernel void by_data(__global const int* which, __global int* a, __global int* b) {
  int t = get_global_id(0);
  __global int* to = which[t] ? a : b;
  to[t] = t;
}
//@ by_data_around together global=64 local=8 : i32<1>[64] i32[64] i32[64]
__kernel void by_data_around(__global const int* which, __global int* a, __global int* b) {
  int t = get_global_id(0);
  __global int* to = which[t] ? a : b;
  __global int* from = which[t] ? b : a;
  to[t] = from[t ^ 63];
}
// One way moves the pointer further than the other.
//@ moved exact apart global=64 local=8 : i32[80] i32[200] i=5
__kernel void moved(__global int* a, __global int* b, int n) {
  int t = get_global_id(0);
  __global int* p = t < 32 ? a + (t + n) : b + 2 * t + n;
  p[1] = t;
  p[1] += 3;
}
// Three buffers: not told apart.
//@ of_three whole=which_buffer global=64 local=8 : i32[64] i32[64] i32[64] i=1
__kernel void of_three(__global int* a, __global int* b, __global int* c, int n) {
  __global int* p = n == 0 ? a : n == 1 ? b : c;
  int t = get_global_id(0);
  p[t] += n;
}
// Each way writes to where the other work-groups do in the other buffer.
//@ crossed apart global=64 local=8 : i32[64] i32[64] i=1
//@ crossed apart global=64 local=8 : i32[64] i32[64] i=0
__kernel void crossed(__global int* a, __global int* b, int n) {
  int t = get_global_id(0);
  __global int* p = n ? a + t : b + (63 - t);
  *p = t;
}
// Swapped in a loop: not told apart.
//@ swapped whole=which_buffer global=64 local=8 : i32[64] i32[64] i=3
__kernel void swapped(__global int* a, __global int* b, int n) {
  int t = get_global_id(0);
  for (int j = 0; j < n; ++j) {
    a[t] = b[t] + j;
    __global int* other = a;
    a = b;
    b = other;
  }
}
// Updates of a buffer that is chosen.
//@ counted summed global=64 local=8 : i32<8>[64] i32[8] i32[8] i=1
__kernel void counted(__global const int* in, __global int* a, __global int* b, int n) {
  volatile __global int* to = n ? a : b;
  atomic_add(&to[in[get_global_id(0)] & 7], 1);
}
//@ vectors exact apart global=32 local=8 : i32[128] i32[128] i=1
__kernel void vectors(__global int* a, __global int* b, int n) {
  int t = get_global_id(0);
  vstore4(vload4(t, n ? b : a) + 1, t, n ? a : b);
}
