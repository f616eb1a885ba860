// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/translator.hpp"

#include <array>
#include <llvm/Support/Program.h>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files.hpp"

namespace mkmd::compiler {
namespace {

// The newest first whose bitcode our LLVM reads. One without a number may be of any version.
constexpr const char* kNames[] = {"llvm-spirv-19", "llvm-spirv-18", "llvm-spirv-17",
                                  "llvm-spirv-16", "llvm-spirv-15", "llvm-spirv"};
// Less than the helper itself has: the child must not outlive it.
constexpr unsigned kSeconds = 10;
constexpr off_t kMostOutput = 64 << 20;

// A file in memory, which the child opens by its path.
class MemoryFile {
public:
  MemoryFile() : fd_(memfd_create("mkmd-translation", 0)) {}
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int fd() const { return fd_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

  Result<std::string> content() const {
    struct stat about {};
    if (fstat(fd_, &about) != 0 || about.st_size > kMostOutput)
      return Status::internal("the translation of its intermediate language is too long");
    std::string bytes(static_cast<size_t>(about.st_size), '\0');
    if (pread(fd_, bytes.data(), bytes.size(), 0) != about.st_size)
      return Status::internal("the translation of its intermediate language cannot be read");
    return bytes;
  }

private:
  int fd_;
};

std::string find_translator() {
  for (const char* name : kNames)
    if (const auto path = llvm::sys::findProgramByName(name)) return *path;
  return {};
}

// What the translator says, in one line.
std::string first_line(const MemoryFile& errors) {
  const Result<std::string> text = errors.content();
  if (!text || text->empty()) return "it gives no reason";
  return text->substr(0, text->find('\n'));
}

}  // namespace

Result<std::string> translated_from_spirv(const std::string& module) {
  const std::string translator = find_translator();
  if (translator.empty())
    return Status::internal("its intermediate language cannot be read: llvm-spirv is not installed");
  const MemoryFile input, output, errors;
  if (input.fd() < 0 || output.fd() < 0 || errors.fd() < 0 || !write_all(input.fd(), module))
    return Status::internal("there is no memory to translate its intermediate language in");
  const std::string in = input.path(), out = output.path(), log = errors.path();
  const std::array<llvm::StringRef, 6> arguments{translator, "-r", "--spirv-target-env=CL2.0", in, "-o", out};
  const std::array<std::optional<llvm::StringRef>, 3> redirected{"/dev/null", log, log};
  std::string problem;
  const int code =
      llvm::sys::ExecuteAndWait(translator, arguments, std::nullopt, redirected, kSeconds, 0, &problem);
  if (code < 0) return Status::internal("the translator of its intermediate language failed: " + problem);
  if (code > 0)
    return Status::internal("the translator of its intermediate language refuses it: " + first_line(errors));
  return output.content();
}

}  // namespace mkmd::compiler
