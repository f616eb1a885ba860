// SPDX-License-Identifier: Apache-2.0
// One run of clang, inside this process, over a text that is no file. What clang says of errors is kept.
#pragma once

#include <clang/Frontend/CompilerInstance.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/status.hpp"

namespace mkmd::compiler {

constexpr const char* kMainFile = "mkmd-program.cl";

class ClangRun {
public:
  // Files that stand nowhere else are included ahead of the text, in this order: (path, content).
  using Files = std::vector<std::pair<std::string, std::string>>;
  ClangRun(std::initializer_list<std::vector<std::string>> arguments, std::string text, Files included);

  // An error if clang does not take the arguments; else run() has compiled, and says whether that went well.
  Status prepare();
  bool run(clang::FrontendAction& action);

  clang::CompilerInstance& compiler() { return compiler_; }
  std::string first_error() const;  // the first line of the log that says "error"

private:
  std::vector<std::string> arguments_;
  std::string text_;
  Files included_;
  std::string log_;
  clang::CompilerInstance compiler_;
};

}  // namespace mkmd::compiler
