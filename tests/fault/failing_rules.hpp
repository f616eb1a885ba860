// SPDX-License-Identifier: Apache-2.0
// Which calls fail, and files that say which did. All of it comes from variables, which are read at the first
// call.
//
//   FAILING_CALLS   rules, separated by commas: NAME[@DEVICE]:MODE:WHEN
//     NAME     of the function, such as clEnqueueReadBuffer
//     DEVICE   whose calls alone are counted: the number of a sub-device, from 0, in the order they were
//              made; `whole` (the device itself); or `shared` (objects of a context of several devices)
//     MODE     fail=CODE   the call is not made and gives this error
//              garbage     the call is made; what it gives out is overwritten, and it gives an error
//              delay=MS    the call is made, so many milliseconds later
//              abort       the command is not executed, and its event ends with an error
//              half        of a kernel, so ends its event after half of the launch has been executed
//              late=MS     the command is not executed; its event ends with an error so many milliseconds
//                          later, and no callback set on it is ever called
//              silent      the command is executed, and no callback set on its event is ever called
//              behind=MS   the command waits for an event that ends with an error so many milliseconds later:
//                          the driver ends it, and what waits for it, with errors
//              dies        the device is gone from this call on (failing_death.hpp): a command never ends
//              strands     likewise, and the others but home's do not answer any more
//              (where no code is given, the error is CL_OUT_OF_RESOURCES)
//     WHEN     counted from 1: `3` the third call, `3+` from the third on, `*3` every third
//   FAILING_COUNT   a file: a line `NAME DEVICE RULE` is appended each time a rule was followed
//   FAILING_APART   devices say that their memory is not the host's
//   FAILING_SEEN    a file: a line `NAME DEVICE` is appended for every call and device, once
#pragma once

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <list>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>

namespace failing {

struct Rule {
  std::string text, name, device, mode, when;
  int value = 0;  // of the mode
  std::atomic<int> calls{0};

  bool is_due() {
    const int call = ++calls;
    if (when.front() == '*') return call % std::atoi(when.c_str() + 1) == 0;
    const int first = std::atoi(when.c_str());
    return when.back() == '+' ? call >= first : call == first;
  }
};

inline std::list<Rule>& rules() {
  static std::list<Rule>& all = *[] {
    auto* const list = new std::list<Rule>;
    const char* text = std::getenv("FAILING_CALLS");
    std::istringstream lines(text != nullptr ? text : "");
    for (std::string line; std::getline(lines, line, ',');) {
      Rule& rule = list->emplace_back();
      rule.text = line;
      std::istringstream fields(line);
      std::getline(fields, rule.name, ':');
      std::getline(fields, rule.mode, ':');
      std::getline(fields, rule.when);
      if (const size_t at = rule.name.find('@'); at != std::string::npos) {
        rule.device = rule.name.substr(at + 1);
        rule.name.resize(at);
      }
      if (const size_t is = rule.mode.find('='); is != std::string::npos) {
        rule.value = std::atoi(rule.mode.c_str() + is + 1);
        rule.mode.resize(is);
      }
      if (rule.when.empty()) std::abort();  // a test that would show nothing
    }
    return list;
  }();
  return all;
}

inline void note(const char* variable, const char* name, const std::string& device) {
  const char* path = std::getenv(variable);
  if (path == nullptr) return;
  const std::string line = std::string(name) + " " + device + "\n";
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  (void)!write(file, line.data(), line.size());
  close(file);
}

inline void note_seen(const char* name, const std::string& device) {
  static auto& mutex = *new std::mutex;
  static auto& seen = *new std::set<std::pair<std::string, std::string>>;
  const std::lock_guard lock(mutex);
  if (seen.emplace(name, device).second) note("FAILING_SEEN", name, device);
}

}  // namespace failing
