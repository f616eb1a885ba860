// SPDX-License-Identifier: Apache-2.0
// What binaries of programs were made from. A program that keeps binaries itself shows its source once, and
// gives back the binary from its second run on. So an entry of the compiler's cache (cache.hpp), named by the
// binary's hash, says what the binary was made from. What its kernels do is then found as for any source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/status.hpp"
#include "compiler/module_file.hpp"

namespace mkmd::compiler {

struct Origin {
  std::string source, options;       // as given to OpenCL
  std::string device_compiler;       // which one made the binary
  std::vector<Dependency> included;  // files that the source included then

  bool operator==(const Origin&) const = default;
};

// Keeps it in the cache's folder. The latest origin of a binary is the one that stays.
Status keep_origin(const std::string& folder, std::string_view binary, const Origin& origin);

// Fails unless exactly these bytes were kept.
Result<Origin> origin_of_binary(const std::string& folder, std::string_view binary);

// Whether a binary that was made with `made` has the code of that build when it is built with `given`. OpenCL
// says so of equal options. Of no options it says so, too, but drivers forget those that still act when a
// kernel runs.
bool binary_keeps_options(const std::string& made, const std::string& given);

}  // namespace mkmd::compiler
