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
#include "compiler/recipe.hpp"

namespace mkmd::compiler {

struct Origin {
  enum class Kind { source, compiled, library, executable };
  Recipe recipe;
  Kind kind = Kind::source;          // what was made of it
  std::string device_compiler;       // which one did
  std::vector<Dependency> included;  // files that the units may have included then

  bool operator==(const Origin&) const = default;
};

// Keeps it in the cache's folder. The latest origin of a binary is the one that stays.
Status keep_origin(const std::string& folder, std::string_view binary, const Origin& origin);

// Fails unless exactly these bytes were kept.
Result<Origin> origin_of_binary(const std::string& folder, std::string_view binary);

// Whether a binary that was made so has the code of then when it is built with `given`. OpenCL says so of
// equal options. Of no options it says so, too, but drivers forget those that still act when a kernel runs.
bool binary_keeps_options(const Recipe& made, const std::string& given);

}  // namespace mkmd::compiler
