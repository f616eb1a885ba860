// SPDX-License-Identifier: Apache-2.0
// The cache has one file per request, named by a hash of the request and of the helper's version. An entry
// counts only if it is ours, its checksum is right, and it holds exactly this request. The files that the
// program may include must be unchanged, and so must the device's macros that the answer depends on. The
// helper writes entries (to a temporary name, then renamed). In the program's process a write could meet a
// file size limit or a full disk, and raise a signal.
#include "compiler/client.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <sys/stat.h>

#include "common/hash.hpp"
#include "common/log.hpp"
#include "compiler/cache.hpp"
#include "compiler/helper_version.hpp"
#include "compiler/module_file.hpp"
#include "compiler/spawn.hpp"
#include "compiler/spirv.hpp"

namespace mkmd::compiler {
namespace {

using nlohmann::json;

// What the cache is asked for: the key an answer must carry, and the file that keeps it. The macros that a
// device has said meanwhile are no part of it: an answer names those it rests on.
struct Question {
  std::string key, file;
};

std::string dump(const json& j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Question question(const Request& request, const std::string& helper, const std::string& cache) {
  struct stat about {};
  stat(helper.c_str(), &about);
  json key = request;
  key["helper"] = {kHelperVersion, helper, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
  Question q;
  q.key = dump(key);
  // Where it is not known which files it may include, nobody can say later whether an answer holds.
  if (!cache.empty() && request.included) q.file = cache + "/" + hex(hash_of(q.key)) + ".mkmd";
  return q;
}

// Whether the device's macros are what an answer rests on, by unit.
bool hold(const std::vector<Macros>& macros, const Request& request, const Client::AskDevice& ask) {
  if (macros.size() != request.units.size()) return false;
  for (size_t i = 0; i < macros.size(); ++i) {
    if (macros[i].empty()) continue;
    if (!ask) return false;
    std::vector<std::string> names;
    for (const auto& [name, text] : macros[i])
      names.push_back(name);
    const Result<Macros> known = ask(request.units[i].options, names);
    const bool same = known && std::ranges::all_of(macros[i], [&](const auto& macro) {
                        const auto found = known->find(macro.first);
                        return found != known->end() && found->second == macro.second;
                      });
    if (!same) return false;
  }
  return true;
}

Module module_of(ModuleFile file) {
  return {std::move(file.kernels), std::move(file.sources), std::move(file.no_source),
          std::move(file.dependencies)};
}

// Each answer about a unit may lead to further names: what a macro hides is seen only when it is known.
// Nobody nests deeper.
constexpr size_t kMostRounds = 16;

}  // namespace

Client::Client(std::string helper_path, std::string cache_directory, int timeout_seconds)
    : helper_path_(std::move(helper_path)), cache_directory_(std::move(cache_directory)),
      timeout_seconds_(timeout_seconds) {}

Status Client::trouble(Status status, bool for_good) {
  if (for_good) given_up_.store(true);
  if (!warned_.exchange(true))
    log(LogLevel::warning, status.message() + "; kernels run whole on the home device");
  return status;
}

std::optional<ModuleFile> Client::kept(const std::string& key, const std::string& path,
                                       const Request& request, const AskDevice& ask) const {
  if (path.empty()) return std::nullopt;
  const Result<std::string> bytes = read_entry(path);
  if (!bytes) return std::nullopt;
  Result<ModuleFile> file = ModuleFile::decode(*bytes);
  if (!file || file->key != key) return std::nullopt;
  if (file->dependencies != dependencies_on(*request.included) || !hold(file->macros, request, ask))
    return std::nullopt;
  return std::move(*file);
}

Result<ModuleFile> Client::made(const std::string& key, const std::string& path, const Request& request,
                                const std::vector<Macros>& known, Pace pace) {
  if (given_up_.load()) return Status::internal("the compiler helper is not asked again");
  json asked{{"request", request}, {"known", to_json(known)}, {"key", key}, {"store", path}};
  if (request.included) asked["included"] = *request.included;
  Result<std::string> output =
      run_helper(helper_path_, dump(asked), timeout_seconds_, pace == Pace::beside ? &beside_ : nullptr);
  if (!output) {
    if (pace == Pace::beside && beside_.is_cancelled()) return output.status();
    const int code = output.status().code();
    return trouble(output.status(), code == kHelperCannotStart || code == kHelperTooLate);
  }
  Result<ModuleFile> file = ModuleFile::decode(*output);
  if (!file)
    return trouble(Status::internal("the compiler helper " + helper_path_ +
                                    " (MKMD_KC): its answer cannot be used: " + file.status().message()),
                   false);
  if (file->key != key)
    return trouble(Status::internal("the compiler helper answered another question"), false);
  return file;
}

std::optional<Module> Client::recall(Request request, const AskDevice& ask) const {
  try {
    request.macros.resize(request.units.size());
    if (!request.included) request.included = read_included_files(request.units);
    const Question q = question(request, helper_path_, cache_directory_);
    if (std::optional<ModuleFile> file = kept(q.key, q.file, request, ask))
      return module_of(std::move(*file));
  } catch (const std::exception&) {  // compile() says it
  }
  return std::nullopt;
}

Result<Module> Client::compile(Request request, const AskDevice& ask, Pace pace) {
  try {
    request.macros.resize(request.units.size());
    if (!request.included) request.included = read_included_files(request.units);
    const Question q = question(request, helper_path_, cache_directory_);
    if (std::optional<ModuleFile> file = kept(q.key, q.file, request, ask))
      return module_of(std::move(*file));
    std::vector<Macros> known(request.units.size());
    for (size_t i = 0; ask && i < request.units.size(); ++i) {
      if (is_spirv(request.units[i].source)) continue;  // it has no macros
      if (Result<Macros> said = ask(request.units[i].options, {}); said) known[i] = std::move(*said);
    }
    for (size_t round = 0; round < kMostRounds * request.units.size(); ++round) {
      Result<ModuleFile> file = made(q.key, q.file, request, known, pace);
      if (!file) return file.status();
      if (!file->error.empty()) return Status::internal(file->error);
      if (file->macros_wanted.empty()) return module_of(std::move(*file));
      if (!ask) return Status::internal("it uses macros of the device's compiler, which is not to be had");
      const size_t unit = file->macros_unit;
      if (unit >= request.units.size()) return Status::internal("the compiler helper asks about no unit");
      Result<Macros> said = ask(request.units[unit].options, file->macros_wanted);
      if (!said) return said.status();
      for (const std::string& name : file->macros_wanted)
        if (!said->contains(name)) return Status::internal("the device does not say what " + name + " is");
      known[unit].merge(*said);
    }
    return Status::internal("its macros depend on each other too deeply");
  } catch (const std::exception& e) {
    return Status::internal(std::string("compiling a program failed: ") + e.what());
  }
}

}  // namespace mkmd::compiler
