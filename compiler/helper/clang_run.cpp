// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/clang_run.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace mkmd::compiler {

ClangRun::ClangRun(std::initializer_list<std::vector<std::string>> arguments, std::string text,
                   Files included)
    : text_(std::move(text)), included_(std::move(included)) {
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
  pointers.insert(pointers.end(), {"-x", "cl", kMainFile});

  llvm::raw_string_ostream log(log_);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options = new clang::DiagnosticOptions();
  clang::DiagnosticsEngine parsing(new clang::DiagnosticIDs(), options,
                                   new clang::TextDiagnosticPrinter(log, options.get()));
  if (!clang::CompilerInvocation::CreateFromArgs(compiler_.getInvocation(), pointers, parsing)) {
    log.flush();
    return Status::internal("the kernel compiler refuses its options: " + first_error());
  }
  const auto remap = [&](const std::string& path, const std::string& content) {
    compiler_.getPreprocessorOpts().addRemappedFile(
        path, llvm::MemoryBuffer::getMemBufferCopy(content, path).release());
  };
  remap(kMainFile, text_);
  for (const auto& [path, content] : included_)
    remap(path, content);
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
