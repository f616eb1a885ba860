// SPDX-License-Identifier: Apache-2.0
#include "tools/library_place.hpp"

#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

namespace mkmd::tool {

namespace {

// The first of the folders that has the file; as seen from this binary, in a build tree and installed.
std::string folder_with(const char* file, std::initializer_list<const char*> folders) {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (const char* folder : folders) {
    if (fs::exists(self / folder / file, failed)) return fs::canonical(self / folder, failed).string();
  }
  return {};
}

}  // namespace

std::string library_folder() {
  return folder_with("libinterpose.so", {"lib/mkmd", "../lib/mkmd"});
}

std::string program_folder(const char* program) {
  return folder_with(program, {"bin", "../libexec/mkmd"});
}

std::string helper_place() {
  if (const char* const named = std::getenv("MKMD_KC"); named != nullptr && *named != '\0') return named;
  const std::string folder = program_folder("mkmd-kc");
  return folder.empty() ? folder : folder + "/mkmd-kc";
}

}  // namespace mkmd::tool
