// SPDX-License-Identifier: Apache-2.0
// The exchange format: a problem, and optionally a schedule for it, as JSON, both ways. Reading is strict
// about what it understands: a wrong type or an unknown device or task is an error that names the place.
// Unknown keys are ignored, so that traces can carry more. Times are seconds, sizes bytes.
#pragma once

#include "common/status.hpp"
#include "scheduler/problem.hpp"
#include "scheduler/schedule.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string_view>

namespace mkmd::scheduler {

struct Document {
  Problem problem;
  std::optional<Schedule> schedule;
};

Result<Document> parse_document(std::string_view text);
Result<Document> document_from_json(const nlohmann::json& json);

nlohmann::ordered_json to_json(const TaskGraph& graph);
nlohmann::ordered_json to_json(const Problem& problem);  // {"platform", "graph"}
nlohmann::ordered_json to_json(const Schedule& schedule, const Problem& problem);

}  // namespace mkmd::scheduler
