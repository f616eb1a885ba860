// SPDX-License-Identifier: Apache-2.0
// The kernels under kernels/ carry their launches in lines beginning with //@ :
//   //@ NAME [exact] [open] [apart | together | summed] [whole=REASON] global=X[,Y[,Z]] local=… [offset=…] :
//   ARGUMENT …
// ARGUMENT: f32[N] f64[N] i32[N] u64[N] u8[N] (buffers of random numbers; i32<K>[N]: below K), bits[N] (any
// words), i= u= f= (scalars), i4=a,b,c,d, raw=HEX (bytes of a struct), local=BYTES, image2d:f[W,H] and the
// like (an image with four floats, ints (i) or uints (u) in a pixel). "exact": everything that is written is
// surely written. "open": what is stored is left open, so options may change it. "apart": the halves of the
// launch are known to touch different bytes; "together": they are not. "summed": they touch the same bytes,
// by updates that commute. "padded": every fourth word is padding, which may hold anything. "whole": must be
// refused, and a reason contains REASON
// ("_" stands for a blank).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/client.hpp"
#include "compiler/footprint.hpp"

namespace mkmd::compiler::test {

struct ArgumentValue {
  enum class Kind { buffer, image, value, local };
  static constexpr size_t kPixel = 16;  // bytes
  Kind kind = Kind::value;
  std::vector<uint8_t> bytes;  // the first contents of a buffer or an image, or a value
  size_t local_bytes = 0;
  std::string image;  // "image2d" and the like
  char channels = 0;  // of an image
  ImageExtent extent{1, 1, 1};

  bool is_memory() const { return kind == Kind::buffer || kind == Kind::image; }
  // Of what accesses count: bytes, or pixels.
  size_t unit() const { return kind == Kind::image ? kPixel : 1; }
};

struct LaunchLine {
  std::string file, kernel, text;
  bool exact = false, open = false, padded = false, apart = false, together = false, summed = false;
  std::string whole;
  unsigned dimensions = 1;
  Launch launch;  // without scalars
  std::vector<ArgumentValue> arguments;

  Launch with_scalars(const KernelInfo& info) const;
  std::array<uint64_t, 3> groups() const;
};

struct KernelFile {
  std::string name, source;
  std::string needs;    // a device extension; "": none. The line "//@needs NAME" says so.
  std::string options;  // of every build. The line "//@options -cl-std=CL3.0" gives them.
  std::vector<LaunchLine> launches;
};

std::vector<KernelFile> kernel_files();
Request request_for(const std::string& source, const std::string& options = "");
const KernelInfo* find_kernel(const Module& module, const std::string& name);

}  // namespace mkmd::compiler::test
