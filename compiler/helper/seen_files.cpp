// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/seen_files.hpp"

#include "common/hash.hpp"
#include "compiler/helper/resources.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <limits>

namespace mkmd::compiler {
namespace {

using llvm::sys::fs::file_type;

std::error_code missing() {
  return std::make_error_code(std::errc::no_such_file_or_directory);
}

std::string text_of(const llvm::Twine& path) {
  llvm::SmallString<256> text;
  path.toVector(text);
  return text.str().str();
}

bool is_clangs(const std::string& path) {
  const std::string plain = plain_path(path);
  return plain == clang_resources() || llvm::StringRef(plain).starts_with(clang_resources() + "/");
}

// A folder is there if a file lies in it, at any depth.
bool is_folder(const std::string& path, const IncludedFiles& seen) {
  const std::string plain = plain_path(path);
  if (plain.empty()) return true;  // the current one
  const std::string ahead = llvm::StringRef(plain).ends_with("/") ? plain : plain + "/";
  const auto first = seen.files.lower_bound(ahead);
  return first != seen.files.end() && llvm::StringRef(first->first).starts_with(ahead);
}

llvm::vfs::Status status_of(const std::string& path, file_type type, llvm::sys::fs::UniqueID id,
                            uint64_t bytes) {
  return {path, id, {}, 0, 0, bytes, type, llvm::sys::fs::all_read};
}

class SeenFile : public llvm::vfs::File {
public:
  SeenFile(llvm::vfs::Status status, const std::string& content)
      : status_(std::move(status)), content_(content) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, int64_t, bool,
                                                               bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(content_, name);
  }
  std::error_code close() override { return {}; }

private:
  const llvm::vfs::Status status_;
  const std::string& content_;
};

}  // namespace

SeenFiles::SeenFiles(const IncludedFiles& seen, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> machine)
    : seen_(seen), machine_(std::move(machine)) {}

llvm::ErrorOr<llvm::vfs::Status> SeenFiles::status(const llvm::Twine& path) {
  const std::string text = text_of(path);
  if (is_clangs(text)) return machine_->status(path);
  if (const IncludedFile* const file = seen_.find(text))
    return status_of(text, file_type::regular_file, {file->device, file->inode}, file->content.size());
  // No device has this number.
  constexpr uint64_t kNowhere = std::numeric_limits<uint64_t>::max();
  if (is_folder(text, seen_))
    return status_of(text, file_type::directory_file, {kNowhere, short_hash_of(plain_path(text))}, 0);
  return missing();
}

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> SeenFiles::openFileForRead(const llvm::Twine& path) {
  const std::string text = text_of(path);
  if (is_clangs(text)) return machine_->openFileForRead(path);
  const IncludedFile* const file = seen_.find(text);
  if (file == nullptr) return missing();
  return std::make_unique<SeenFile>(*status(path), file->content);
}

// Only Clang's modules are looked for so.
llvm::vfs::directory_iterator SeenFiles::dir_begin(const llvm::Twine&, std::error_code& error) {
  error = missing();
  return {};
}

llvm::ErrorOr<std::string> SeenFiles::getCurrentWorkingDirectory() const {
  return machine_->getCurrentWorkingDirectory();
}

std::error_code SeenFiles::setCurrentWorkingDirectory(const llvm::Twine& path) {
  return machine_->setCurrentWorkingDirectory(path);
}

}  // namespace mkmd::compiler
