// SPDX-License-Identifier: Apache-2.0
// `mkmd verify`: runs the program with the library in verifying mode, and prints the verdict. The exit code
// is 1 if a piece of a kernel did anything but what is described; otherwise the program's.
#include "common/files.hpp"
#include "common/settings.hpp"
#include "common/text.hpp"
#include "tools/commands.hpp"
#include "tools/launch.hpp"
#include "tools/verdict.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace mkmd::tool {

namespace {

// A file in a folder of its own. Both live as long as this: processes that outlive the program find no file.
class ReportFile {
public:
  ReportFile() {
    const char* folder = std::getenv("TMPDIR");
    folder_ = std::string(folder != nullptr && folder[0] == '/' ? folder : "/tmp") + "/mkmd-verify-XXXXXX";
    made_ = mkdtemp(folder_.data()) != nullptr && replace_file(name(), "").ok();
  }
  ~ReportFile() {
    unlink(name().c_str());
    rmdir(folder_.c_str());
  }
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  bool made() const { return made_; }
  std::string name() const { return folder_ + "/report.jsonl"; }

private:
  std::string folder_;
  bool made_ = false;
};

std::string why_nothing(const nlohmann::json& verdict) {
  std::vector<std::string> said;
  if (!read_settings(said).enabled) return "MKMD_ENABLE=0 leaves the program alone";
  for (const nlohmann::json& kernel : verdict.at("kernels")) {
    if (kernel.value("splittable", uint64_t{0}) > 0) return "those that may be split could not be";
  }
  if (!verdict.at("kernels").empty()) return "none of them may be split";
  return "that needs at least two devices (`mkmd devices`, --devices), and a program that runs kernels";
}

int tell(const nlohmann::json& verdict, const Ended& ended) {
  std::fputs(as_text(verdict).c_str(), stderr);
  uint64_t checked = 0;
  for (const nlohmann::json& kernel : verdict.at("kernels"))
    checked += kernel.value("checked", uint64_t{0});
  const size_t differences = verdict.at("differences").size();
  if (ended.signal != 0)
    std::fprintf(stderr, "mkmd: the program was ended by a signal: %s\n", strsignal(ended.signal));
  if (differences > 0) {
    std::fprintf(stderr, "mkmd: %s: splitting this program's kernels is not safe\n",
                 counted(differences, "difference").c_str());
    return 1;
  }
  if (checked == 0) std::fprintf(stderr, "mkmd: no launch was checked: %s\n", why_nothing(verdict).c_str());
  return ended.code;
}

}  // namespace

int verify(const std::vector<std::string>& arguments) {
  auto options = parse_verify(arguments);
  if (!options) return wrong_use("verify: " + options.status().message());
  if (!options->help.empty()) return help({"verify"});
  const ReportFile report;
  if (!report.made()) {
    std::fprintf(stderr, "mkmd: %s: %s\n", report.name().c_str(), std::strerror(errno));
    return 1;
  }
  const auto keep = [&](const std::string& text) {
    const Status written = options->json.empty() ? Status() : replace_file(options->json, text);
    if (!written) std::fprintf(stderr, "mkmd: --json: %s\n", printable(written.message()).c_str());
    return written.ok();
  };
  if (!keep("")) return 1;  // before the program has run for hours
  options->variables.emplace_back("MKMD_VERIFY", report.name());
  unsetenv("MKMD_PROFILE");  // one thing at a time
  if (const int problem = prepare(*options); problem != 0) return problem;
  const Ended ended = run_child(options->program);
  if (!ended.started) return ended.code;
  const auto lines = read_file(report.name());
  if (!lines) {
    std::fprintf(stderr, "mkmd: %s\n", lines.status().message().c_str());
    return 1;
  }
  nlohmann::json verdict = verdict_of(*lines);
  verdict["program"] = options->program;
  verdict["exit"] = ended.code;
  verdict["signal"] = ended.signal;
  const bool kept = keep(verdict.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  const int code = tell(verdict, ended);
  return kept ? code : 1;
}

}  // namespace mkmd::tool
