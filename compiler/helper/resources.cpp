// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/resources.hpp"

#include <filesystem>
#include <system_error>

namespace mkmd::compiler {

namespace {

std::string find_resources() {
  std::error_code failed;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::filesystem::path beside = own.parent_path() / "clang";
  return !failed && std::filesystem::is_directory(beside, failed) ? beside.string() : MKMD_CLANG_RESOURCES;
}

}  // namespace

const std::string& clang_resources() {
  static const std::string folder = find_resources();
  return folder;
}

}  // namespace mkmd::compiler
