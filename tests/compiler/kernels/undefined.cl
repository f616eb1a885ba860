// Compilers find that some numbers have no value. They need not store them, and some do not.
//@ too_large open global=64 local=8 : i32[64]
__kernel void too_large(__global int* o) { o[get_global_id(0)] = (int)1e20f; }
//@ negative open global=64 local=8 : i32[64]
__kernel void negative(__global uint* o) {
  float f = -5.5f;
  o[get_global_id(0)] = (uint)f + (uint)get_global_id(0);
}
//@ saturated open global=64 local=8 : i32[64]
__kernel void saturated(__global int* o) { o[get_global_id(0)] = convert_int_sat_rte(1e20f); }
//@ no_logarithm open global=64 local=8 : i32[64]
__kernel void no_logarithm(__global int* o) {
  float f = log(-1.0f);
  o[get_global_id(0)] = (int)f + 1;
}
//@ last_component open global=64 local=8 : i32[256]
__kernel void last_component(__global int* o) { vstore4((int4)(1, 2, 3, (int)1e20f), get_global_id(0), o); }
//@ small_enough global=64 local=8 exact : i32[64]
__kernel void small_enough(__global int* o) {
  float f = 100.5f;
  o[get_global_id(0)] = (int)(f * -3.0f) + (int)get_global_id(0);
}
