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

#include "common/hash.hpp"
#include "compiler/helper/half_memory.hpp"
#include "compiler/helper/macro_use.hpp"
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

// Compiles, and sees which predefined macros the program uses while it does.
class Action : public clang::EmitLLVMOnlyAction {
public:
  Action(const Request& request, MacroUse::Found& found, llvm::LLVMContext* context)
      : EmitLLVMOnlyAction(context), request_(request), found_(found) {}

  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(std::make_unique<MacroUse>(preprocessor, request_.macros,
                                                           macros_in_options(request_.options), found_));
    return EmitLLVMOnlyAction::BeginSourceFileAction(compiler);
  }

private:
  const Request& request_;
  MacroUse::Found& found_;
};

Status list_dependencies(Collector& files, FrontEndResult& result) {
  for (const std::string& path : files.getDependencies()) {
    if (path == kMainFile || path == kHalfMemoryFile || path == kMacrosFile) continue;
    Result<std::string> bytes = read_file(path);
    if (!bytes) return bytes.status();
    result.dependencies.push_back({path, bytes->size(), hex(hash_of(*bytes))});
  }
  return {};
}

}  // namespace

Result<FrontEndResult> compile_source(const Request& request, llvm::LLVMContext& context) {
  Result<std::vector<std::string>> arguments = front_end_arguments(request);
  if (!arguments) return arguments.status();
  // Ahead of what the program's options include: those are the program's text, too.
  std::vector<const char*> pointers = {"-include", kHalfMemoryFile, "-include", kMacrosFile};
  for (const std::string& argument : *arguments)
    pointers.push_back(argument.c_str());
  for (const char* last : {"-x", "cl", kMainFile})
    pointers.push_back(last);

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
  auto macros = llvm::MemoryBuffer::getMemBufferCopy(macro_definitions(request.macros), kMacrosFile);
  compiler.getPreprocessorOpts().addRemappedFile(kMacrosFile, macros.release());
  auto files = std::make_shared<Collector>();
  compiler.addDependencyCollector(files);

  MacroUse::Found found;
  Action action(request, found, &context);
  const bool done = compiler.ExecuteAction(action);
  log_stream.flush();
  if (!found.unanswerable.empty())
    return Status::internal("it depends on " + found.unanswerable +
                            ", which each compiler answers in its own way");
  if (!found.wanted.empty()) {
    FrontEndResult result;
    result.macros_wanted.assign(found.wanted.begin(), found.wanted.end());
    if (Status s = list_dependencies(*files, result); !s.ok()) return s;
    return result;
  }
  if (!done) return Status::internal("the program does not compile: " + first_error(log));
  FrontEndResult result;
  result.module = action.takeModule();
  if (!result.module) return Status::internal("the program does not compile: " + first_error(log));
  if (Status s = list_dependencies(*files, result); !s.ok()) return s;
  return result;
}

}  // namespace mkmd::compiler
