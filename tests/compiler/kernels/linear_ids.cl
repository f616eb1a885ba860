// Functions of OpenCL C 2.0 that ask for a place in the NDRange.
//@options -cl-std=CL3.0
//@ linear global=96 local=8 exact : u64[96]
//@ linear global=96 local=8 offset=40 exact : u64[96]
//@ linear global=24,20 local=8,5 offset=3,7 exact : u64[480]
//@ linear global=12,10,9 local=4,5,3 offset=1,2,3 exact : u64[1080]
__kernel void linear(__global ulong* out) {
  size_t column = get_global_id(0) - get_global_offset(0), row = get_global_id(1) - get_global_offset(1),
         layer = get_global_id(2) - get_global_offset(2);
  size_t at = column + get_global_size(0) * (row + get_global_size(1) * layer);
  out[at] = get_global_linear_id() * 1000 + get_local_linear_id() * 10 + get_enqueued_local_size(0);
}
//@ by_linear_id global=96 local=8 offset=40 exact : i32[96] i32[96]
//@ by_linear_id global=24,20 local=8,5 offset=3,7 exact : i32[480] i32[480]
__kernel void by_linear_id(__global const int* in, __global int* out) {
  int id = get_global_linear_id();
  out[id] = in[id] + id;
}
