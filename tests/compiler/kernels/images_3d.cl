// Writing 3D images is an extension.
//@needs cl_khr_3d_image_writes
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
//@ voxels apart exact global=16,12,10 local=4,2,2 : image3d:f[16,12,10]
__kernel void voxels(__write_only image3d_t out) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  write_imagef(out, (int4)(x, y, z, 0), (float4)(x, y, z, 1));
}
//@ columns_of_voxels apart exact global=16,12 local=4,2 : image3d:u[16,12,9]
__kernel void columns_of_voxels(__write_only image3d_t out) {
  int x = get_global_id(0), y = get_global_id(1);
  for (int z = 0; z < get_image_depth(out); ++z) write_imageui(out, (int4)(x, y, z, 0), (uint4)(x, y, z, 1));
}
//@ one_slice together global=16,12,10 local=4,2,2 : image3d:u[16,12,10]
__kernel void one_slice(__write_only image3d_t out) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imageui(out, (int4)(x, y, 3, (int)get_global_id(2)), (uint4)(x, y, 3, 1));
}
