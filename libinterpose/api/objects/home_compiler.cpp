// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/objects/home_compiler.hpp"

#include "common/settings.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/vendor/macros.hpp"

#include <chrono>
#include <thread>

namespace mkmd::api {

Result<compiler::Macros> macros_of_home(const std::string& options, const std::vector<std::string>& names) {
  const std::string directory = cache_directory();
  return vendor::predefined_macros(process().configuration.home, options, names,
                                   directory.empty() ? directory : directory + "/macros.json");
}

Result<compiler::Macros> macros_beside(const std::string& options, const std::vector<std::string>& names) {
  constexpr std::chrono::milliseconds kStep{5};
  for (;; std::this_thread::sleep_for(kStep)) {
    const CodeBuilder::Call call(process().session->code);
    if (!call.is_allowed()) return Status::internal("the process is ending");
    // Inside the call: forks wait for that, so no child inherits a turn that never ends.
    const CompilerTurns::Question question(process().home_compiler);
    if (question.has_turn()) return macros_of_home(options, names);
  }
}

}  // namespace mkmd::api
