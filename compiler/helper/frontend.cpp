// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/frontend.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/helper/half_memory.hpp"
#include "compiler/helper/options.hpp"

namespace mkmd::compiler {
namespace {

constexpr const char* kMainFile = "mkmd-program.cl";

// The first line that says "error", for the log.
std::string first_error(const std::string& log) {
  const size_t at = log.find("error:");
  if (at == std::string::npos) return "no reason given";
  return log.substr(at + 7, log.find('\n', at) - at - 7);
}

class Collector : public clang::DependencyCollector {
public:
  bool needSystemDependencies() override { return false; }
};

}  // namespace

Result<FrontEndResult> compile_source(const Request& request, llvm::LLVMContext& context) {
  Result<std::vector<std::string>> arguments = front_end_arguments(request);
  if (!arguments) return arguments.status();
  std::vector<const char*> pointers;
  for (const std::string& a : *arguments)
    pointers.push_back(a.c_str());
  pointers.push_back("-include");
  pointers.push_back(kHalfMemoryFile);
  pointers.push_back("-x");
  pointers.push_back("cl");
  pointers.push_back(kMainFile);

  std::string log;
  llvm::raw_string_ostream log_stream(log);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options = new clang::DiagnosticOptions();
  auto* printer = new clang::TextDiagnosticPrinter(log_stream, options.get());
  clang::CompilerInstance compiler;
  clang::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids = new clang::DiagnosticIDs();
  clang::DiagnosticsEngine parsing(ids, options, printer, false);
  if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), pointers, parsing)) {
    log_stream.flush();
    return Status::internal("the kernel compiler refuses its options: " + first_error(log));
  }
  compiler.createDiagnostics(printer, true);
  auto source = llvm::MemoryBuffer::getMemBufferCopy(request.source, kMainFile);
  compiler.getPreprocessorOpts().addRemappedFile(kMainFile, source.release());
  auto half_memory = llvm::MemoryBuffer::getMemBuffer(kHalfMemory, kHalfMemoryFile);
  compiler.getPreprocessorOpts().addRemappedFile(kHalfMemoryFile, half_memory.release());
  auto files = std::make_shared<Collector>();
  compiler.addDependencyCollector(files);

  clang::EmitLLVMOnlyAction action(&context);
  const bool done = compiler.ExecuteAction(action);
  log_stream.flush();
  if (!done) return Status::internal("the program does not compile: " + first_error(log));
  FrontEndResult result;
  result.module = action.takeModule();
  if (!result.module) return Status::internal("the program does not compile: " + first_error(log));
  for (const std::string& path : files->getDependencies()) {
    if (path == kMainFile || path == kHalfMemoryFile) continue;
    Result<std::string> bytes = read_file(path);
    if (!bytes) return bytes.status();
    result.dependencies.push_back({path, bytes->size(), hex(hash_of(*bytes))});
  }
  return result;
}

}  // namespace mkmd::compiler
