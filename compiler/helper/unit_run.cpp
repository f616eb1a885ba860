// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/unit_run.hpp"

#include "compiler/helper/macro_use.hpp"
#include "compiler/helper/options.hpp"

namespace mkmd::compiler {

Result<std::unique_ptr<ClangRun>> run_of_unit(const Request& request, size_t unit,
                                              const std::vector<std::string>& headers) {
  const Unit& text = request.units[unit];
  Result<FrontEndArguments> arguments = front_end_arguments(request, text);
  if (!arguments) return arguments.status();
  const std::string macros = macro_definitions(request.macros[unit], macros_in_options(text.options));
  auto run = std::make_unique<ClangRun>(
      std::initializer_list<std::vector<std::string>>{arguments->language, headers, arguments->text},
      text.source, ClangRun::Files{{kMacrosFile, macros}}, text.headers,
      request.included ? &*request.included : nullptr);
  if (Status s = run->prepare(); !s.ok()) return s;
  return run;
}

}  // namespace mkmd::compiler
