// Pixels that work-items write, and coordinates that are just beyond what is proved.
//@ pixels apart exact global=40,24 local=8,4 : f32[960] image2d:f[40,24]
__kernel void pixels(__global const float* in, __write_only image2d_t out) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imagef(out, (int2)(x, y), (float4)(in[y * 40 + x], 1, 2, x));
}
//@ guarded apart exact global=48,32 local=8,8 : image2d:u[41,25] i=40 i=24
__kernel void guarded(__write_only image2d_t out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  write_imageui(out, (int2)(x, y), (uint4)(x, y, w, h));
}
//@ asked_for_its_size apart exact global=48,32 local=8,8 : image2d:i[40,25]
__kernel void asked_for_its_size(__write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(out);
  if (p.x < get_image_width(out) && p.y < get_image_height(out)) write_imagei(out, p, (int4)(p, size));
}
//@ flipped apart exact global=40,24 local=8,4 : image2d:u[40,24]
__kernel void flipped(__write_only image2d_t out) {
  int2 p = get_image_dim(out) - 1 - (int2)(get_global_id(0), get_global_id(1));
  write_imageui(out, p, (uint4)(p.x, p.y, 3, 4));
}
//@ transposed apart exact global=40,24 local=8,4 : image2d:u[24,40]
__kernel void transposed(__write_only image2d_t out) {
  write_imageui(out, (int2)(get_global_id(1), get_global_id(0)), (uint4)(get_global_id(0)));
}
//@ rows apart exact global=24 local=4 offset=8 : image2d:f[17,32] i=17
__kernel void rows(__write_only image2d_t out, int w) {
  for (int x = 0; x < w; ++x) write_imagef(out, (int2)(x, (int)get_global_id(0)), (float4)(x * w));
}
void put(__write_only image2d_t out, int2 at, uint value) {
  write_imageui(out, at, (uint4)(value));
}
//@ blocks_of_pixels apart exact global=20,12 local=4,4 : image2d:u[40,24]
__kernel void blocks_of_pixels(__write_only image2d_t out) {
  int2 p = 2 * (int2)(get_global_id(0), get_global_id(1));
  put(out, p, 1);
  put(out, p + (int2)(1, 0), 2);
  put(out, p + (int2)(0, 1), 3);
  put(out, p + 1, 4);
}
//@ masked apart global=40,24 local=8,4 : i32[40] image2d:u[8,24]
__kernel void masked(__global const int* in, __write_only image2d_t out) {
  int x = in[get_global_id(0)] & 7;
  write_imageui(out, (int2)(x, get_global_id(1)), (uint4)(x));
}
//@ line_of_pixels apart exact global=64 local=8 : image1d:f[64]
__kernel void line_of_pixels(__write_only image1d_t out) {
  write_imagef(out, (int)get_global_id(0), (float4)(get_global_id(0)));
}
//@ layers_of_lines apart exact global=16,12 local=4,2 : image1d_array:i[16,12]
__kernel void layers_of_lines(__write_only image1d_array_t out) {
  int x = get_global_id(0), layer = get_global_id(1);
  if (layer < (int)get_image_array_size(out)) write_imagei(out, (int2)(x, layer), (int4)(x, layer, 0, 1));
}
//@ layers apart exact global=16,12,6 local=4,2,1 : image2d_array:u[16,12,6]
__kernel void layers(__write_only image2d_array_t out) {
  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 99);
  write_imageui(out, p, (uint4)(p.x, p.y, p.z, 7));
}
//@ two_images apart exact global=40,24 local=8,4 : image2d:f[40,24] image2d:u[41,24]
__kernel void two_images(__write_only image2d_t a, __write_only image2d_t b) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(a, p, (float4)(p.x));
  write_imageui(b, p + (int2)(1, 0), (uint4)(p.y));
}
//@ of_another_image apart global=40,24 local=8,4 : image2d:u[40,24] image2d:u[40,24]
__kernel void of_another_image(__read_only image2d_t in, __write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(out, p, read_imageui(in, get_image_dim(in) - 1 - p) + 1u);
}
//@ halved together global=40,24 local=8,4 : image2d:u[40,13]
__kernel void halved(__write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), ((int)get_global_id(1) + 3) / 2 - 1);
  write_imageui(out, p, (uint4)(p.x, p.y, 0, 0));
}
//@ in_rings together global=40,24 local=8,4 : image2d:u[40,7]
__kernel void in_rings(__write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), (int)get_global_id(1) % 7);
  write_imageui(out, p, (uint4)(p.x, p.y, 0, 0));
}
//@ along_the_other_way together global=40,24 local=8,4 : image2d:u[40,40]
__kernel void along_the_other_way(__write_only image2d_t out) {
  int x = get_global_id(0);
  write_imageui(out, (int2)(x, x), (uint4)(x));
}
//@ by_local_id together global=40,24 local=8,4 : image2d:u[8,4]
__kernel void by_local_id(__write_only image2d_t out) {
  int2 p = (int2)(get_local_id(0), get_local_id(1));
  write_imageui(out, p, (uint4)(p.x, p.y, 0, 0));
}
//@ and_the_next_row together global=40,24 local=8,4 : image2d:u[40,25]
__kernel void and_the_next_row(__write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(out, p, (uint4)(p.x));
  write_imageui(out, p + (int2)(0, 1), (uint4)(p.x));
}
//@ at_loaded_rows together global=40,24 local=8,4 : i32<24>[24] image2d:u[40,24]
__kernel void at_loaded_rows(__global const int* row, __write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), row[get_global_id(1)]);
  write_imageui(out, p, (uint4)(p.x, p.y, 0, 0));
}
//@ at_converted_floats together global=40,24 local=8,4 : image2d:u[40,24]
__kernel void at_converted_floats(__write_only image2d_t out) {
  int2 p = convert_int2((float2)(get_global_id(0), get_global_id(1)));
  write_imageui(out, p, (uint4)(p.x, p.y, 0, 0));
}
//@ that_wrap_around together global=40,24 local=8,4 : image2d:u[40,48]
__kernel void that_wrap_around(__write_only image2d_t out) {
  uint y = (uint)get_global_id(1) * 0x80000001u * 2u;
  write_imageui(out, (int2)(get_global_id(0), (int)y), (uint4)(y));
}
//@ at_pixels_of_an_image together global=40,24 local=8,4 : image2d:u[40,24] image2d:u[40,24]
__kernel void at_pixels_of_an_image(__read_only image2d_t in, __write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), read_imageui(in, (int2)(0, get_global_id(1))).x % 24u);
  write_imageui(out, p, (uint4)(p.x, p.y, 0, 0));
}
//@ numbered apart global=40,24 local=8,4 : image2d:u[64,15]
__kernel void numbered(__write_only image2d_t out) {
  int i = get_global_id(1) * get_global_size(0) + get_global_id(0), w = get_image_width(out);
  write_imageui(out, (int2)(i % w, i / w), (uint4)(i));
}
//@ numbered_as_in_another apart global=40,24 local=8,4 : image2d:u[64,15] image2d:u[64,15]
//@ numbered_as_in_another apart global=40,24 local=8,4 : image2d:u[64,15] image2d:u[80,15]
__kernel void numbered_as_in_another(__read_only image2d_t in, __write_only image2d_t out) {
  int i = get_global_id(1) * get_global_size(0) + get_global_id(0), w = get_image_width(in);
  write_imageui(out, (int2)(i % w, i / w), (uint4)(i));
}
