// SPDX-License-Identifier: Apache-2.0
#include "tools/device_check.hpp"

#include "common/json.hpp"
#include "common/own_files.hpp"
#include "common/settings.hpp"
#include "libinterpose/vendor/vendor.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mkmd::tool {

namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr std::time_t kBelieved = 24 * 60 * 60;  // seconds

// Vendors' libraries leave threads and files behind, so they are asked in a child. What it writes is its
// answer.
std::string ask_vendors(const std::string& specification) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return {};
  }
  if (child == 0) {
    // A vendor that prints does it where the program's output goes: not now.
    if (const int null = open("/dev/null", O_WRONLY); null >= 0) {
      dup2(null, STDOUT_FILENO);
      dup2(null, STDERR_FILENO);
    }
    auto found = vendor::select_devices(specification);
    const std::string problem = found ? "" : found.status().message();
    [[maybe_unused]] const ssize_t written = write(ends[1], problem.data(), problem.size());
    _exit(0);
  }
  close(ends[1]);
  std::string problem;
  char buffer[512];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (count > 0) problem.append(buffer, static_cast<size_t>(count));
    if (count < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status))
    return "looking for the devices ended with signal " + std::to_string(WTERMSIG(status));
  return problem;
}

// Variables of loaders and vendors; which devices there are may depend on them.
json vendors_variables() {
  json variables = json::array();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    for (const char* prefix : {"OCL", "OPENCL", "POCL", "CL_", "CUDA", "GPU_", "HIP", "ROC"}) {
      if (text.starts_with(prefix)) variables.push_back(text);
    }
  }
  std::sort(variables.begin(), variables.end());
  return variables;
}

}  // namespace

std::string check_devices(const std::string& specification) {
  const std::string file = file_in(cache_directory(), "devices.json");
  if (file.empty()) return ask_vendors(specification);
  const json state = {{"format", kFormat},
                      {"listed", vendor::listing()},
                      {"variables", vendors_variables()},
                      {"cores", sysconf(_SC_NPROCESSORS_ONLN)}};
  const Result<std::string> text = read_own_file(file, 1 << 20);
  const Result<json> parsed = parse_json(text ? *text : "");
  json known = parsed ? *parsed : json();
  if (!known.is_object() || known["state"] != state || !known["found"].is_object())
    known = {{"state", state}, {"found", json::object()}};
  const std::time_t now = std::time(nullptr);
  json& when = known["found"][specification];
  if (when.is_number_integer() && when <= now && now < when.get<std::time_t>() + kBelieved) return {};
  std::string problem = ask_vendors(specification);
  if (!problem.empty()) return problem;
  when = now;
  (void)replace_own_file(file, known.dump(1, ' ', false, json::error_handler_t::replace) + '\n');
  return {};
}

}  // namespace mkmd::tool
