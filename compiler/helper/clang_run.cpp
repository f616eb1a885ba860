// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/clang_run.hpp"

#include "compiler/helper/seen_files.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

namespace mkmd::compiler {

namespace {

// Such a name leads to one file, whatever a driver's way to look for it.
bool is_plain(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '/');
  return name.find_first_of(std::string("\\\0", 2)) == llvm::StringRef::npos && !name.starts_with("mkmd-") &&
         llvm::none_of(parts,
                       [](llvm::StringRef part) { return part.empty() || part == "." || part == ".."; });
}

}  // namespace

bool is_embedded(const std::string& path) {
  return path.starts_with(std::string(kHeadersFolder) + "/");
}

ClangRun::ClangRun(std::initializer_list<std::vector<std::string>> arguments, std::string text,
                   Files included, std::map<std::string, std::string> headers, const IncludedFiles* seen)
    : text_(std::move(text)), included_(std::move(included)), headers_(std::move(headers)), seen_(seen) {
  for (const std::vector<std::string>& some : arguments)
    arguments_.insert(arguments_.end(), some.begin(), some.end());
}

std::string ClangRun::first_error() const {
  const size_t at = log_.find("error:");
  if (at == std::string::npos) return "no reason given";
  return log_.substr(at + 7, log_.find('\n', at) - at - 7);
}

Status ClangRun::prepare() {
  // Ahead of what the program's options include: those are the program's text, too.
  std::vector<const char*> pointers;
  for (const auto& [path, content] : included_)
    pointers.insert(pointers.end(), {"-include", path.c_str()});
  for (const std::string& argument : arguments_)
    pointers.push_back(argument.c_str());
  const std::string main = headers_.empty() ? kMainFile : std::string(kHeadersFolder) + "/" + kMainFile;
  pointers.insert(pointers.end(), {"-x", "cl", main.c_str()});

  llvm::raw_string_ostream log(log_);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options = new clang::DiagnosticOptions();
  clang::DiagnosticsEngine parsing(new clang::DiagnosticIDs(), options,
                                   new clang::TextDiagnosticPrinter(log, options.get()));
  if (!clang::CompilerInvocation::CreateFromArgs(compiler_.getInvocation(), pointers, parsing)) {
    log.flush();
    return Status::internal("the compiler helper refuses its options: " + first_error());
  }
  const auto remap = [&](const std::string& path, const std::string& content) {
    compiler_.getPreprocessorOpts().addRemappedFile(
        path, llvm::MemoryBuffer::getMemBufferCopy(content, path).release());
  };
  remap(main, text_);
  for (const auto& [path, content] : included_)
    remap(path, content);
  return choose_files();
}

Status ClangRun::choose_files() {
  if (seen_ == nullptr && headers_.empty()) return {};
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> machine = llvm::vfs::getRealFileSystem();
  if (seen_ != nullptr) machine = new SeenFiles(*seen_, machine);
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> files = new llvm::vfs::OverlayFileSystem(machine);
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> embedded = new llvm::vfs::InMemoryFileSystem();
  for (const auto& [name, content] : headers_) {
    if (!is_plain(name) || !embedded->addFile(std::string(kHeadersFolder) + "/" + name, 0,
                                              llvm::MemoryBuffer::getMemBufferCopy(content, name)))
      return Status::internal("it has a header of the name '" + name + "'");
  }
  if (!headers_.empty()) files->pushOverlay(embedded);
  compiler_.createFileManager(files);
  return {};
}

bool ClangRun::run(clang::FrontendAction& action) {
  llvm::raw_string_ostream log(log_);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options = new clang::DiagnosticOptions();
  compiler_.createDiagnostics(new clang::TextDiagnosticPrinter(log, options.get()), true);
  const bool done = compiler_.ExecuteAction(action);
  // It writes to a stream that ends here.
  compiler_.getDiagnostics().setClient(new clang::IgnoringDiagConsumer(), true);
  return done;
}

}  // namespace mkmd::compiler
