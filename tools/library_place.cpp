// SPDX-License-Identifier: Apache-2.0
#include "tools/library_place.hpp"

#include <filesystem>

namespace fs = std::filesystem;

namespace mkmd::tool {

std::string library_folder() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed).parent_path();
  // Beside a binary in a build tree; beside bin/ in an installed one.
  for (const fs::path& folder : {self / "lib/mkmd", self / "../lib/mkmd"}) {
    if (fs::exists(folder / "libinterpose.so", failed)) return fs::canonical(folder, failed).string();
  }
  return {};
}

}  // namespace mkmd::tool
