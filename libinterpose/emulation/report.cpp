// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/report.hpp"

#include "common/log.hpp"
#include "libinterpose/emulation/machine.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace mkmd::emulation {

nlohmann::json summary_of(const Machine& machine) {
  const Totals t = machine.totals();
  return {{"platform", machine.platform().file},
          {"time_scale", machine.clock().scale()},
          {"actions", t.actions},
          {"overruns", t.overruns},
          {"late_seconds", t.late_seconds},
          {"again", t.again},
          {"refused", t.refused},
          {"valid", t.valid()}};
}

void report(const Machine& machine) {
  const Totals t = machine.totals();
  if (t.valid()) return;
  char line[256];
  std::snprintf(
      line, sizeof line,
      "this emulated run is void: %llu of %llu actions (%.1f %%; 1 %% is allowed) took longer on this "
      "machine than on the emulated one; give a time_scale larger than %g in ",
      static_cast<unsigned long long>(t.overruns), static_cast<unsigned long long>(t.actions),
      100.0 * static_cast<double>(t.overruns) / static_cast<double>(t.actions), machine.clock().scale());
  log(LogLevel::warning, line + machine.platform().file);
}

}  // namespace mkmd::emulation
