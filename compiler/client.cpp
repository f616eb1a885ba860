// SPDX-License-Identifier: Apache-2.0
// The cache: one file per request, named by a hash of the request and of the helper's version. An entry is
// used only if it is ours, its checksum is right, it holds exactly this request, and every file the program
// included is unchanged. It is the helper which writes entries (to a temporary name, then renamed): a write
// in the program's process could meet its file size limit or a full disk, and raise a signal there.
#include "compiler/client.hpp"

#include <exception>
#include <sys/stat.h>
#include <unistd.h>

#include "common/hash.hpp"
#include "common/log.hpp"
#include "compiler/cache.hpp"
#include "compiler/module_file.hpp"
#include "compiler/spawn.hpp"

namespace mkmd::compiler {
namespace {

using nlohmann::json;

// Whether the answer may depend on files, and so on the directory they are looked for in.
bool may_include(const Request& r) {
  return r.source.find("include") != std::string::npos || r.source.find("import") != std::string::npos ||
         r.options.find("-include") != std::string::npos || r.options.find('@') != std::string::npos;
}

std::string working_directory() {
  std::string path(4096, '\0');
  if (!getcwd(path.data(), path.size())) return {};
  path.resize(path.find('\0'));
  return path;
}

// What the helper gets: the request, the key its answer must carry, and where to keep it.
struct Question {
  std::string key, file, text;
};

Question question(const Request& request, const std::string& helper, const std::string& cache) {
  json asked = request;
  struct stat about {};
  stat(helper.c_str(), &about);
  json key = asked;
  key["helper"] = {kHelperVersion, helper, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
  if (may_include(request)) key["directory"] = working_directory();
  Question q;
  const auto dump = [](const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); };
  q.key = dump(key);
  if (!cache.empty()) q.file = cache + "/" + hex(hash_of(q.key)) + ".mkmd";
  q.text = dump({{"request", asked}, {"key", q.key}, {"store", q.file}});
  return q;
}

// Each answer may lead to further names: what a macro hides is seen only when it is known. Nobody nests
// deeper.
constexpr int kMostRounds = 16;

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

// From the cache, else from the helper.
Result<ModuleFile> Client::answer(const Request& request) {
  const Question q = question(request, helper_path_, cache_directory_);
  if (!q.file.empty()) {
    Result<std::string> bytes = read_entry(q.file);
    if (bytes) {
      Result<ModuleFile> file = ModuleFile::decode(*bytes);
      bool usable = file.ok() && file->key == q.key;
      if (usable)
        for (const Dependency& d : file->dependencies)
          usable = usable && unchanged(d);
      if (usable) return file;
    }
  }
  if (given_up_.load()) return Status::internal("the kernel compiler is not asked again");
  Result<std::string> output = run_helper(helper_path_, q.text, timeout_seconds_);
  if (!output) {
    const int code = output.status().code();
    return trouble(output.status(), code == kHelperCannotStart || code == kHelperTooLate);
  }
  Result<ModuleFile> file = ModuleFile::decode(*output);
  if (!file)
    return trouble(
        Status::internal("the kernel compiler's answer cannot be used: " + file.status().message()), false);
  if (file->key != q.key)
    return trouble(Status::internal("the kernel compiler answered another question"), false);
  return file;
}

Result<Module> Client::compile(Request request, const AskDevice& ask) {
  try {
    for (int round = 0; round < kMostRounds; ++round) {
      Result<ModuleFile> file = answer(request);
      if (!file) return file.status();
      if (!file->error.empty()) return Status::internal(file->error);
      if (file->macros_wanted.empty()) {
        return Module{std::move(file->kernels), std::move(file->source), std::move(file->no_source),
                      std::move(file->dependencies)};
      }
      if (!ask) return Status::internal("it uses macros of the device's compiler, which is not to be had");
      Result<Macros> known = ask(file->macros_wanted);
      if (!known) return known.status();
      for (const std::string& name : file->macros_wanted)
        if (!known->contains(name)) return Status::internal("the device does not say what " + name + " is");
      request.macros.merge(*known);
    }
    return Status::internal("its macros depend on each other too deeply");
  } catch (const std::exception& e) {
    return Status::internal(std::string("compiling a program failed: ") + e.what());
  }
}

}  // namespace mkmd::compiler
