// SPDX-License-Identifier: Apache-2.0
// Calls of OpenCL's functions on images.
#pragma once

#include <llvm/IR/Argument.h>
#include <llvm/IR/InstrTypes.h>
#include <optional>

namespace mkmd::compiler {

struct ImageCall {
  enum class Use {
    asks,     // for what the image is, not for what is in it
    reads,    // some pixels
    writes,   // the pixel at the coordinates in `at`
    unknown,  // who knows: another function, or a level of detail
  };
  Use use = Use::unknown;
  llvm::Argument* image = nullptr;  // the kernel's; null: it may be any of them
  // How many numbers make a pixel's place, the layer of an array included. A scalar stands for a vector of
  // one.
  unsigned coordinates = 0;
  llvm::Value* at = nullptr;

  int lane(unsigned coordinate) const { return coordinates > 1 ? static_cast<int>(coordinate) : -1; }
};

// What a call does with the image it is given; nothing: it is given none.
std::optional<ImageCall> image_call(const llvm::CallBase& call);

}  // namespace mkmd::compiler
