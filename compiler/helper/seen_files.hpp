// SPDX-License-Identifier: Apache-2.0
// SeenFiles: the machine's files as a program has seen them. Clang finds its own files, those of the program,
// and no others.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "compiler/included_files.hpp"

namespace mkmd::compiler {

class SeenFiles : public llvm::vfs::FileSystem {
public:
  // `seen` outlives it.
  SeenFiles(const IncludedFiles& seen, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> machine);

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine& path, std::error_code& error) override;
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override;
  std::error_code setCurrentWorkingDirectory(const llvm::Twine& path) override;

private:
  const IncludedFiles& seen_;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> machine_;
};

}  // namespace mkmd::compiler
