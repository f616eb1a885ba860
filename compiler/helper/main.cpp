// SPDX-License-Identifier: Apache-2.0
// mkmd-kc: reads a question (JSON with a Request) from standard input and writes a module file to standard
// output. It is a process of its own so that neither LLVM's symbols nor a compiler crash can meet the user's
// program. For people: `mkmd-kc --explain file.cl [options]` prints what was found out, `mkmd-kc --passes
// LIST file.ll` runs passes.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "common/files.hpp"
#include "common/json.hpp"
#include "compiler/assumed_device.hpp"
#include "compiler/cache.hpp"
#include "compiler/helper/accesses.hpp"
#include "compiler/helper/arguments.hpp"
#include "compiler/helper/folded_products.hpp"
#include "compiler/helper/frontend.hpp"
#include "compiler/helper/inline_pass.hpp"
#include "compiler/helper/offset_form.hpp"
#include "compiler/helper/pipeline.hpp"
#include "compiler/helper/safety.hpp"
#include "compiler/helper/source_emitter.hpp"
#include "compiler/helper/source_line.hpp"
#include "compiler/helper/waiting.hpp"
#include "compiler/module_file.hpp"
#include "compiler/request.hpp"
#include "compiler/spirv.hpp"

namespace mkmd::compiler {
namespace {

// Why a kernel of a program in SPIR-V has no pieces though it may be split; empty: they are its own code.
std::string why_not_by_offset(const llvm::Function& kernel) {
  const std::string asks = tells_part_from_whole(kernel);
  if (asks.empty()) return {};
  return "it calls " + asks + ", and its program was made from an intermediate language";
}

// What is known in two builds for one local size is known in those for two.
void check_products(const llvm::Function& kernel, KernelInfo& info) {
  if (folded_product(kernel, LocalSize::another) == nullptr) return;
  info.uses_local_shape = true;
  if (const llvm::Instruction* product = folded_product(kernel, LocalSize::same); product != nullptr)
    info.folded = {"a compiler may compute some of its floating-point numbers, and round them otherwise "
                   "(MKMD_RELAXED=1 splits it)",
                   line_of(*product)};
}

// Finds out about every kernel.
Status describe(llvm::Module& module, bool by_offset, ModuleFile& file) {
  if (Status s = prepare_for_analysis(module); !s.ok()) return s;
  for (llvm::Function& f : module) {
    if (!is_kernel(f)) continue;
    KernelInfo info = describe_signature(f);
    info.runs_anywhere = true;
    check_safety(f, info);
    check_products(f, info);
    describe_accesses(f, info);
    info.may_wait = may_wait_for_others(f);
    info.runs_anywhere &= !info.may_wait;
    if (info.may_wait && info.reasons.empty())
      info.reasons.push_back({"it may wait for what another command writes", 0});
    if (info.reasons.empty() && by_offset)
      if (std::string why = why_not_by_offset(f); !why.empty()) info.reasons.push_back({std::move(why), 0});
    info.split_allowed = info.reasons.empty();
    file.kernels.push_back(std::move(info));
  }
  return {};
}

ModuleFile answer(const Request& request) {
  ModuleFile file;
  llvm::LLVMContext context;
  Result<FrontEndResult> front = compile_program(request, context);
  if (!front) {
    file.error = front.status().message();
    return file;
  }
  file.dependencies = std::move(front->dependencies);
  file.macros_wanted = std::move(front->macros_wanted);
  file.macros_unit = front->macros_unit;
  if (!file.macros_wanted.empty()) return file;
  const std::string& text = request.units.front().source;
  const bool by_offset = is_spirv(text);
  if (Status s = describe(*front->module, by_offset, file); !s.ok()) file.error = s.message();
  const bool any = std::ranges::any_of(file.kernels, [](const KernelInfo& k) { return k.runs_anywhere; });
  if (file.error.empty() && any) {
    Result<std::vector<std::string>> sources =
        by_offset ? std::vector{text} : emit_sources(request, front->declarations);
    if (sources)
      file.sources = std::move(*sources);
    else
      file.no_source = sources.status().message();
  }
  return file;
}

// A unit gets the macros that it uses, and no others. One that the device lacks would hide what OpenCL's
// headers or the build options make of the name.
ModuleFile answer(Request request, const std::vector<Macros>& known) {
  for (;;) {
    ModuleFile file = answer(request);
    std::vector<std::string> missing;
    for (const std::string& name : file.macros_wanted) {
      const auto found = known.at(file.macros_unit).find(name);
      if (found == known.at(file.macros_unit).end())
        missing.push_back(name);
      else
        request.macros[file.macros_unit].insert(*found);
    }
    if (file.macros_wanted.empty() || !missing.empty()) {
      file.macros_wanted = std::move(missing);
      file.macros = std::move(request.macros);
      return file;
    }
  }
}

int serve() {
  std::signal(SIGPIPE, SIG_IGN);
  const auto question = llvm::MemoryBuffer::getSTDIN();
  if (!question) return 3;
  const Result<nlohmann::json> parsed = parse_json((*question)->getBuffer());
  if (!parsed || !parsed->is_object()) return 3;
  const nlohmann::json& asked = *parsed;
  try {
    auto request = asked.at("request").get<Request>();
    if (asked.contains("included")) request.included = asked.at("included").get<IncludedFiles>();
    auto known = macros_from_json(asked.at("known"));
    known.resize(request.units.size());
    ModuleFile file = answer(std::move(request), known);
    file.key = asked.at("key").get<std::string>();
    const std::string bytes = file.encode();
    // An error may come from a missing include file, which nobody could check again later.
    const bool answers = file.error.empty() && file.macros_wanted.empty();
    const std::string path = asked.at("store").get<std::string>();
    // A cache that cannot be written is no error either.
    if (!path.empty() && answers) (void)write_entry(path, bytes);
    return write_all(1, bytes) ? 0 : 4;
  } catch (const nlohmann::json::exception&) {
    return 3;
  }
}

int explain(int argc, char** argv) {
  const Result<std::string> source = read_file(argv[2]);
  if (!source) {
    std::fprintf(stderr, "mkmd-kc: %s\n", source.status().message().c_str());
    return 1;
  }
  Request request = request_without_device({{*source, "", {}}});
  bool pieces = false;
  for (int i = 3; i < argc; ++i) {
    if (std::strcmp(argv[i], "--source") == 0)
      pieces = true;
    else
      request.units.front().options += std::string(argv[i]) + " ";
  }
  ModuleFile file = answer(request);
  // Nobody is there to ask for what a device predefines.
  for (int rounds = 0; rounds < 8 && !file.macros_wanted.empty(); ++rounds) {
    for (const std::string& name : file.macros_wanted)
      request.macros.front()[name] = predefined_by_assumed(request, name);
    file = answer(request);
  }
  if (!file.error.empty()) {
    std::fprintf(stderr, "mkmd-kc: %s\n", file.error.c_str());
    return 1;
  }
  if (pieces && file.sources.empty()) {
    std::fprintf(stderr, "mkmd-kc: no source for pieces: %s\n",
                 file.no_source.empty() ? "no kernel may be split" : file.no_source.c_str());
    return 1;
  }
  if (pieces) {
    write_all(1, file.sources.front());
  } else {
    std::cout << nlohmann::json(file.kernels).dump(1) << "\n";
  }
  return 0;
}

int passes(const char* list, const char* path) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, problem, context);
  if (!module) {
    problem.print("mkmd-kc", llvm::errs());
    return 1;
  }
  if (Status s = run_passes(*module, list); !s.ok()) {
    std::fprintf(stderr, "mkmd-kc: %s\n", s.message().c_str());
    return 1;
  }
  module->print(llvm::outs(), nullptr);
  return 0;
}

}  // namespace
}  // namespace mkmd::compiler

int main(int argc, char** argv) {
  if (argc >= 3 && std::strcmp(argv[1], "--explain") == 0) return mkmd::compiler::explain(argc, argv);
  if (argc == 4 && std::strcmp(argv[1], "--passes") == 0) return mkmd::compiler::passes(argv[2], argv[3]);
  if (argc > 1) {
    std::fprintf(stderr, "usage: mkmd-kc [--explain FILE.cl [options] [--source] | --passes LIST FILE.ll] "
                         " < question\n");
    return 2;
  }
  // No destructors: everything is written, and tearing LLVM down takes time.
  _exit(mkmd::compiler::serve());
}
