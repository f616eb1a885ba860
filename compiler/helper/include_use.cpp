// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/include_use.hpp"

#include "compiler/helper/resources.hpp"

#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>
#include <set>

namespace mkmd::compiler {

// Whether all folders that any compiler may search have the same file of this name, or none.
bool IncludeUse::is_one_file(llvm::StringRef name, llvm::StringRef includer) const {
  std::set<std::string> folders = {"", llvm::sys::path::parent_path(includer).str()};
  for (const clang::DirectoryLookup& folder : preprocessor_.getHeaderSearchInfo().search_dir_range())
    folders.insert(folder.getName().str());
  std::set<const clang::FileEntry*> found;
  for (const std::string& folder : folders) {
    if (llvm::StringRef(folder).starts_with(clang_resources())) continue;
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    if (const auto file = preprocessor_.getFileManager().getOptionalFileRef(path))
      found.insert(&file->getFileEntry());
  }
  return found.size() <= 1;
}

void IncludeUse::InclusionDirective(clang::SourceLocation hash, const clang::Token& directive,
                                    llvm::StringRef name, bool, clang::CharSourceRange,
                                    clang::OptionalFileEntryRef file, llvm::StringRef, llvm::StringRef,
                                    const clang::Module*,
#if LLVM_VERSION_MAJOR >= 19
                                    bool,
#endif
                                    clang::SrcMgr::CharacteristicKind) {
  const llvm::StringRef includer =
      preprocessor_.getSourceManager().getFilename(preprocessor_.getSourceManager().getExpansionLoc(hash));
  if (includer.starts_with(clang_resources())) return;
  // Each compiler has its own files of such a name. OpenCL's header is included by what clang predefines.
  if (file && file->getName().starts_with(clang_resources()) &&
      !preprocessor_.getSourceManager().isWrittenInBuiltinFile(hash))
    return found_.cannot_answer("which file '" + name.str() + "' of the compiler is");
  if (directive.getIdentifierInfo()->getName() == "include_next")
    found_.cannot_answer("#include_next");
  else if (!llvm::sys::path::is_absolute(name) && !is_one_file(name, includer))
    found_.cannot_answer("which of several files '" + name.str() + "' is");
}

}  // namespace mkmd::compiler
