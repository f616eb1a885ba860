// SPDX-License-Identifier: Apache-2.0
// One run of clang, inside this process, over a unit of a program, which is no file. What clang says of
// errors is kept.
#pragma once

#include <clang/Frontend/CompilerInstance.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/status.hpp"
#include "compiler/included_files.hpp"

namespace mkmd::compiler {

// A unit's text is seen in the current folder, where the files lie that it includes by name alone. One that
// has embedded headers is seen in a folder with those: they come first.
constexpr const char* kMainFile = "mkmd-program.cl";
constexpr const char* kHeadersFolder = "/mkmd-headers";  // nowhere but in the front end
bool is_embedded(const std::string& path);

class ClangRun {
public:
  // Files that stand nowhere else are included ahead of the text, in this order: (path, content). The text
  // sees files of the machine, or `seen` and no others; it outlives the run.
  using Files = std::vector<std::pair<std::string, std::string>>;
  ClangRun(std::initializer_list<std::vector<std::string>> arguments, std::string text, Files included,
           std::map<std::string, std::string> headers = {}, const IncludedFiles* seen = nullptr);

  // An error if clang does not take the arguments; else run() has compiled, and says whether that went well.
  Status prepare();
  bool run(clang::FrontendAction& action);

  clang::CompilerInstance& compiler() { return compiler_; }
  std::string first_error() const;  // the first line of the log that says "error"

private:
  Status choose_files();

  std::vector<std::string> arguments_;
  std::string text_;
  Files included_;
  std::map<std::string, std::string> headers_;
  const IncludedFiles* seen_;
  std::string log_;
  clang::CompilerInstance compiler_;
};

}  // namespace mkmd::compiler
