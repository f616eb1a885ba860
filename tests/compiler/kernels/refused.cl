// Kernels that must run whole; "whole=" is a part of the reason.
//@ global_atomics whole=atomics global=64 local=8 : i32[1]
__kernel void global_atomics(__global int* count) { atomic_inc(count); }
//@ spins whole=volatile global=64 local=8 : i32[64]
__kernel void spins(__global volatile int* flag) { flag[get_global_id(0)] = 1; }
//@ prints whole=printf global=8 local=8 : i32[8]
__kernel void prints(__global int* out) {
  out[get_global_id(0)] = 1;
  printf("%d\n", (int)get_global_id(0));
}
//@ picks whole=which_buffer global=64 local=8 : i32[64] i32[64] i=0
__kernel void picks(__global int* a, __global int* b, int which) {
  __global int* p = which ? a : b;
  p[get_global_id(0)] = 1;
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
//@ images whole=images global=8 local=8 : f32[8]
__kernel void images(__global const float* in, __write_only image2d_t image) {
  write_imagef(image, (int2)(get_global_id(0), 0), (float4)(in[get_global_id(0)]));
}
