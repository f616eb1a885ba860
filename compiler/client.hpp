// SPDX-License-Identifier: Apache-2.0
// Client: asks mkmd-kc about a program, or its on-disk cache. It contains no LLVM. It may be used from
// several threads and processes at once. Every failure is a Status, and the caller then runs the program's
// kernels whole, from source.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/status.hpp"
#include "compiler/kernel_info.hpp"
#include "compiler/module_file.hpp"
#include "compiler/request.hpp"
#include "compiler/spawn.hpp"

namespace mkmd::compiler {

struct Module {
  std::vector<KernelInfo> kernels;  // all kernels of the program
  // The code for pieces of those whose split is allowed, as OpenCL C (build_options.hpp): a text for each
  // unit of the program. Empty if no split is allowed, or if it could not be made.
  std::vector<std::string> sources;
  std::string no_source;             // why it could not
  std::vector<Dependency> included;  // files that it may include
};

class Client {
public:
  // An empty cache directory means no cache. It need not exist; the helper creates it.
  Client(std::string helper_path, std::string cache_directory, int timeout_seconds = 20);

  enum class Pace { waited_for, beside };
  // Ends helpers that run beside the program, for good.
  void cancel_beside() { beside_.cancel(); }

  // Says what the device's compiler predefines of all these names, for a unit with these options. It may say
  // more: what it knows already.
  using AskDevice =
      std::function<Result<Macros>(const std::string& options, const std::vector<std::string>& names)>;

  // `ask` is called before a program is compiled, with no names. It is called again for predefined macros
  // that the program uses and whose values are not known yet. Without it such a program is an error: it could
  // not be compiled as the device's compiler does. The first failure of the helper itself is a warning in the
  // log: it is missing, crashes, hangs, or gives a malformed answer. A helper that cannot be started or took
  // too long is not asked again.
  Result<Module> compile(Request request, const AskDevice& ask = {}, Pace pace = Pace::waited_for);
  // The answer to the same question, from the cache. Null: none is there, or it no longer holds.
  std::optional<Module> recall(Request request, const AskDevice& ask = {}) const;

private:
  // From the cache, if an answer is there that still holds.
  std::optional<ModuleFile> kept(const std::string& key, const std::string& path, const Request& request,
                                 const AskDevice& ask) const;
  // By the helper, which keeps it. `known`: what the device predefines, by unit.
  Result<ModuleFile> made(const std::string& key, const std::string& path, const Request& request,
                          const std::vector<Macros>& known, Pace pace);
  Status trouble(Status status, bool for_good);

  std::string helper_path_, cache_directory_;
  int timeout_seconds_;
  Beside beside_;
  std::atomic<bool> warned_{false}, given_up_{false};
};

}  // namespace mkmd::compiler
