// SPDX-License-Identifier: Apache-2.0
#include "tools/simulate/replay_trace.hpp"

#include "common/json.hpp"
#include "common/text.hpp"
#include "libinterpose/planning/replay.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace mkmd {

Result<size_t> replay_trace(const std::string& trace, std::ostream& out) {
  std::error_code error;
  if (std::filesystem::is_directory(trace, error))
    return Status::internal(trace + ": is a folder; give a trace");
  std::ifstream in(trace, std::ios::binary);
  if (!in) return Status::internal(trace + ": cannot be read");
  size_t windows = 0, replayed = 0, different = 0, number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const Result<nlohmann::json> j = parse_json(line);
    if (!j && in.eof()) break;  // the program ended within it
    const std::string place = trace + ":" + std::to_string(number) + ": ";
    if (!j) return Status::internal(place + "this is no line of a trace: not JSON: " + j.status().message());
    if (!j->is_object() || !j->contains("window")) continue;
    const nlohmann::json& window = (*j)["window"];
    ++windows;
    if (!window.is_object() || !window.contains("planned"))
      continue;  // an earlier window's plan was taken over
    const Result<planning::Replayed> again = planning::replay(window);
    if (!again) return Status::internal(place + again.status().message());
    ++replayed;
    if (again->difference.empty()) continue;
    ++different;
    out << "window " << windows << ": " << printable(again->difference) << "\n";
  }
  if (replayed == 0)
    return Status::internal(trace + ": says nothing of what its plans follow from; record it with mkmd run "
                                    "--trace FILE --trace-planning");
  out << windows << " windows, " << replayed << " planned again, " << different << " differently\n";
  return different;
}

}  // namespace mkmd
