// Kernels that must run whole; "whole=" is a part of the reason.
//@ ticket whole=result_of_an_atomic global=64 local=8 : i32[1] i32[64]
__kernel void ticket(__global int* count, __global int* out) { out[atomic_inc(count) & 63] = 1; }
//@ ticket_in_private whole=result_of_an_atomic global=64 local=8 : i32[1] i32[64]
__kernel void ticket_in_private(__global int* count, __global int* out) {
  int mine[2];
  mine[get_local_id(0) & 1] = atomic_inc(count);
  out[get_global_id(0)] = mine[0];
}
//@ branch_on_atomic whole=result_of_an_atomic global=64 local=8 : i32[1] i32[64]
__kernel void branch_on_atomic(__global int* count, __global int* out) { if (atomic_dec(count) > 5) out[get_global_id(0)] = 1; }
//@ exchange whole=order_of_work-items global=64 local=8 : i32[1]
__kernel void exchange(__global int* last) { atomic_xchg(last, (int)get_global_id(0)); }
//@ compare_exchange whole=order_of_work-items global=64 local=8 : i32[1]
__kernel void compare_exchange(__global int* last) { atomic_cmpxchg(last, 0, (int)get_global_id(0)); }
//@ float_exchange whole=order_of_work-items global=64 local=8 : f32[1]
__kernel void float_exchange(__global float* last) { atomic_xchg(last, 1.0f); }
//@ float_sum whole=order_of_work-items global=64 local=8 : f32[1]
__kernel void float_sum(__global float* sum) {
  union { uint u; float f; } was, is;
  do {
    was.f = *sum;
    is.f = was.f + 1.0f;
  } while (atomic_cmpxchg((volatile __global uint*)sum, was.u, is.u) != was.u);
}
typedef struct __attribute__((packed)) { char tag; int count; } Packed;
//@ not_aligned whole=not_aligned global=64 local=8 : u8[320]
__kernel void not_aligned(__global Packed* p) { atomic_inc((__global int*)((__global char*)(p + get_local_id(0)) + 1)); }
//@ of_the_compiler whole=none_of_OpenCL global=64 local=8 : i32[1]
__kernel void of_the_compiler(__global int* sum) { __sync_fetch_and_add(sum, 1); }
//@ prints whole=printf global=8 local=8 : i32[8]
__kernel void prints(__global int* out) {
  out[get_global_id(0)] = 1;
  printf("%d\n", (int)get_global_id(0));
}
//@ picks whole=which_buffer global=64 local=8 : i32[64] i32[64] i=0
__kernel void picks(__global int* a, __global int* b, int which) {
  __global int* p = which ? a : b;
  for (int i = 0; i < 2; ++i) {
    p[get_global_id(0)] = 1;
    p = i == which ? a : b;  // for the next iteration
  }
}
typedef struct { __global int* next; int value; } Node;
//@ stores_pointer whole=pointer global=8 local=8 : u8[128] i32[8]
__kernel void stores_pointer(__global Node* nodes, __global int* data) { nodes[get_global_id(0)].next = data + get_global_id(0); }
//@ casts whole=integer global=8 local=8 : u64[8] i32[8]
__kernel void casts(__global ulong* address, __global int* data) { *(__global int*)(address[0]) = data[0]; }
//@ address_in_parts whole=stored global=8 local=8 : i32[16] i32[8]
__kernel void address_in_parts(__global uint2* address, __global int* data) {
  __global int* p = data + get_global_id(0);
  address[get_global_id(0)] = vload2(0, (__private const uint*)&p);
}
//@ private_pointer_of_bits whole=something_else global=8 local=8 : i32[16]
__kernel void private_pointer_of_bits(__global const uint2* address) {
  int* p[2];
  vstore2(address[get_global_id(0)], 0, (__private uint*)&p[get_local_id(0) & 1]);
  *p[get_local_id(0) & 1] = 1;
}
//@ private_pointer_in_buffer whole=loaded global=8 local=8 : u64[8]
__kernel void private_pointer_in_buffer(__global ulong* bits) { __private int* __global* pointers = (__private int* __global*)bits; *pointers[get_global_id(0)] = 1; }
//@ goto_into_loop whole=entered_at_several global=64 local=8 : i32[64] i32[64] i32[128]
__kernel void goto_into_loop(__global int* out, __global const int* in, __global const int* table) {
  int i = get_global_id(0), before, k = 0, have = 0, sum = 0;
  if (in[i] & 1) goto inside;
again:
  sum += ++k;
  if (k > 5) goto end;
inside: {
    int v = in[(i + k) & 63] & 7;
    if (have) sum += table[i + 8 + (before - v)];
    have = 1;
    before = v;
    goto again;
  }
end:
  out[i] = sum;
}
//@ switch_into_loop whole=entered_at_several global=64 local=8 : i32[64] i32[64]
__kernel void switch_into_loop(__global int* out, __global const int* in) {
  int i = get_global_id(0), n = in[i] & 7, sum = 0;
  switch (in[i] & 1) {
    case 0:
      do {
        sum += in[(i + n) & 63];
    case 1:
        sum += n;
      } while (--n > 0);
  }
  out[i] = sum;
}
