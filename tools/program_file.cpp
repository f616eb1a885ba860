// SPDX-License-Identifier: Apache-2.0
#include "tools/program_file.hpp"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace mkmd::tool {

namespace {

constexpr int kMostScripts = 4;  // scripts may interpret scripts; the kernel follows as many

std::string find(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const folders = std::getenv("PATH");
  std::istringstream list(folders != nullptr ? folders : "/bin:/usr/bin");
  for (std::string folder; std::getline(list, folder, ':');) {
    std::string path = (folder.empty() ? "." : folder) + "/" + program;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

constexpr size_t kLongestName = 4096;

std::string up_to(std::ifstream& file, char end) {
  std::string text(kLongestName, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text.substr(0, text.find(end));
}

template <typename T>
bool read_at(std::ifstream& file, uint64_t offset, T& value) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&value), sizeof value));
}

struct ProgramFile {
  bool is_elf = false;
  bool is_32_bit = false;
  bool is_of_this_machine = false;  // its word size and instructions are those of this process
  bool is_dynamic = false;
  std::string interpreter;  // of a script, or the dynamic loader of an executable
};

void read_script(std::ifstream& file, ProgramFile& found) {
  file.seekg(2);
  std::istringstream(up_to(file, '\n')) >> found.interpreter;
}

void read_executable(std::ifstream& file, ProgramFile& found) {
  Elf64_Ehdr header{}, own{};
  std::ifstream self("/proc/self/exe", std::ios::binary);
  if (!read_at(file, 0, header) || !read_at(self, 0, own)) return;
  found.is_elf = true;
  found.is_32_bit = header.e_ident[EI_CLASS] == ELFCLASS32;
  found.is_of_this_machine =
      std::memcmp(header.e_ident, own.e_ident, EI_VERSION) == 0 && header.e_machine == own.e_machine;
  if (!found.is_of_this_machine) return;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(file, header.e_phoff + i * sizeof segment, segment)) return;
    if (segment.p_type != PT_INTERP) continue;
    found.is_dynamic = true;
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    found.interpreter = up_to(file, '\0');
  }
}

ProgramFile read(const std::string& path) {
  ProgramFile found;
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return found;  // opening a pipe would wait
  std::ifstream file(path, std::ios::binary);
  char first[SELFMAG] = {};
  if (!read_at(file, 0, first)) return found;
  if (std::memcmp(first, "#!", 2) == 0) read_script(file, found);
  if (std::memcmp(first, ELFMAG, SELFMAG) == 0) read_executable(file, found);
  return found;
}

// The kernel starts it with rights of its own; then the loader heeds no variable (ld.so(8),
// "secure-execution").
bool has_other_rights(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return false;
  const bool other_user = (about.st_mode & S_ISUID) != 0 && about.st_uid != geteuid();
  const bool other_group = (about.st_mode & S_ISGID) != 0 && about.st_gid != getegid();
  const bool capable = geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return other_user || other_group || capable;
}

}  // namespace

std::string why_no_library(const std::string& program) {
  std::string path = find(program);
  for (int scripts = 0; scripts <= kMostScripts; ++scripts) {
    const ProgramFile file = read(path);
    if (file.is_elf) {
      if (file.is_32_bit) return "it is a 32-bit program";
      if (!file.is_of_this_machine) return "it is for another processor";
      if (!file.is_dynamic) return "it is statically linked";
      return has_other_rights(path) ? "it runs with the rights of another user" : "";
    }
    if (file.interpreter.empty()) return {};
    path = file.interpreter;
  }
  return {};
}

std::string missing_interpreter(const std::string& program) {
  const std::string interpreter = read(find(program)).interpreter;
  return !interpreter.empty() && access(interpreter.c_str(), F_OK) != 0 ? interpreter : "";
}

}  // namespace mkmd::tool
