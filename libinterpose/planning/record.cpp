// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/record.hpp"

#include "platform/json.hpp"

#include <nlohmann/json.hpp>

namespace mkmd::planning {

using nlohmann::json;

namespace {

json seconds_to_json(double seconds) {
  return seconds < scheduler::kNever ? json(seconds) : json(nullptr);
}

json seconds_to_json(const std::vector<double>& all) {
  json list = json::array();
  for (const double seconds : all)
    list.push_back(seconds_to_json(seconds));
  return list;
}

json box_to_json(const compiler::GroupBox& box) {
  return {box.lo, box.hi};
}

json updates_to_json(const std::vector<compiler::Updated>& updates) {
  json list = json::array();
  for (const compiler::Updated& one : updates)
    list.push_back({{"by", one.by}, {"bytes", to_json(one.bytes)}});
  return list;
}

}  // namespace

json to_json(const ByteRanges& ranges) {
  json blocks = json::array();
  for (const ByteRows& rows : ranges) {
    json block = {rows.lo, rows.length};
    if (rows.count > 1) block.insert(block.end(), {rows.pitch, rows.count});
    blocks.push_back(std::move(block));
  }
  return blocks;
}

json to_json(const Plan& plan) {
  json tasks = json::array();
  for (const PlannedTask& of : plan.tasks) {
    json task = {{"cut", of.cut}, {"start", of.start}, {"order", of.order}, {"as_before", of.as_before}};
    if (of.not_split != nullptr) task["not_split"] = of.not_split;
    for (const Piece& piece : of.pieces) {
      task["pieces"].push_back({{"device", piece.device},
                                {"box", box_to_json(piece.box)},
                                {"seconds", piece.seconds},
                                {"start", piece.start},
                                {"order", piece.order}});
      if (piece.apart.empty()) continue;
      json& apart = task["pieces"].back()["apart"] = json::array();
      for (const BufferUpdates& updated : piece.apart)
        apart.push_back(updates_to_json(updated.updates));
    }
    for (const Wanted& wanted : of.wanted)
      task["wanted"].push_back({wanted.device, wanted.bytes.lo, wanted.bytes.hi});
    tasks.push_back(std::move(task));
  }
  return tasks;
}

Record::Record(const Machine& machine, const BufferOf& buffer_of, const CutMemory& cuts, Purpose purpose)
    : buffer_of_(buffer_of), cuts_(cuts), purpose_(purpose), machine_(machine),
      watched_([this](Memory* root) { return watch(root); }) {
  if (machine.copy_seconds == nullptr) return;
  machine_.copy_seconds = [this, inner = machine.copy_seconds](int from, int to, double bytes) {
    const double seconds = inner(from, to, bytes);
    copies_.push_back({from, to, bytes, seconds});
    return seconds;
  };
}

ByteRanges Record::WatchedBuffer::valid(int domain) const {
  return valid_in[domain] = buffer.residency->valid(domain);
}

bool Record::WatchedBuffer::suits(const ByteRanges& ranges) const {
  return suited.emplace_back(ranges, buffer.residency->suits(ranges)).second;
}

bool Record::WatchedBuffer::is_home(int domain) const {
  const bool is_home = buffer.residency->is_home(domain);
  if (is_home && domain != 0) of_home.insert(domain);
  return is_home;
}

Buffer Record::watch(Memory* root) {
  WatchedBuffer& watched = buffers_[root];
  if (watched.buffer.residency == nullptr) watched.buffer = buffer_of_(root);
  return {watched.buffer.number, watched.buffer.size, &watched};
}

Task Record::watch(Task task) {
  // The planner changes the dimension when it is given a kernel's first task, all else at the end.
  const bool is_first = kernels_.insert(task.kernel.number).second;
  cuts_before_.copy_of(task, cuts_, is_first);
  WatchedTask& watched = tasks_.emplace_back();
  watched.task = task;
  if (task.kernel.uses_of != nullptr) {
    task.kernel.uses_of = [&watched](const compiler::GroupBox& box, size_t most_blocks) {
      watched.answers.push_back({box, most_blocks, watched.task.kernel.uses_of(box, most_blocks)});
      return watched.answers.back().uses;
    };
  }
  return task;
}

json Record::to_json(const BufferUses& uses) const {
  json all = json::array();
  for (const BufferUse& use : uses) {
    all.push_back({{"buffer", buffer_of_(use.root).number},
                   {"reads", planning::to_json(use.reads)},
                   {"writes", planning::to_json(use.writes)},
                   {"needed", planning::to_json(use.needed)},
                   {"apart", use.apart},
                   {"updates", updates_to_json(use.updates)}});
  }
  return all;
}

json Record::to_json(const WatchedTask& watched) const {
  const Task& task = watched.task;
  json j = {{"kind", to_string(task.kind)},
            {"seconds", seconds_to_json(task.seconds)},
            {"at_home", task.at_home},
            {"follows_bytes", task.follows_bytes},
            {"may_keep", task.may_keep}};
  if (!task.is_kernel()) {
    const TransferTask& transfer = task.transfer;
    j.update({{"size", transfer.size},
              {"pattern_size", transfer.pattern_size},
              {"source_begin", transfer.source_begin},
              {"destination_begin", transfer.destination_begin}});
    if (transfer.source != nullptr) j["source"] = buffer_of_(transfer.source).number;
    if (transfer.destination != nullptr) j["destination"] = buffer_of_(transfer.destination).number;
    return j;
  }
  const KernelTask& kernel = task.kernel;
  j.update({{"name", kernel.name},
            {"groups", kernel.groups},
            {"understood", kernel.understood},
            {"is_long", kernel.is_long()},
            {"long_at_home", kernel.long_at_home},
            {"left_alone", kernel.left_alone()},
            {"tried_again", kernel.is_retry()},
            {"kernel", kernel.number},
            {"shape", kernel.shape},
            {"most_bytes", seconds_to_json(kernel.most_bytes)},
            {"together", kernel.together}});
  for (const compiler::GroupBox& box : kernel.redo)
    j["redo"].push_back(box_to_json(box));
  if (kernel.is_moved()) j["moved"] = true;
  if (!kernel.experience.samples.empty()) j["samples"] = kernel.experience.samples;
  if (kernel.decision.reason == timing::Reason::comparison) j["comparison"] = true;
  if (kernel.decision.reason == timing::Reason::explored_enough) j["explored_enough"] = true;
  if (kernel.sample) j["sample"] = {{"device", kernel.sample->device}, {"share", kernel.sample->share}};
  if (kernel.ran) j["ran"] = {{"device", kernel.ran->device}, {"groups", kernel.ran->groups}};
  for (const Answer& answer : watched.answers)
    j["uses"].push_back({{"box", box_to_json(answer.box)},
                         {"most_blocks", answer.most_blocks},
                         {"buffers", to_json(answer.uses)}});
  return j;
}

json Record::finish(const Plan& plan, bool complete) const {
  json tasks = json::array();
  for (const WatchedTask& watched : tasks_)
    tasks.push_back(to_json(watched));
  json buffers = json::array();
  for (const auto& [root, watched] : buffers_) {
    json j = {{"number", watched.buffer.number}, {"size", watched.buffer.size}};
    for (const auto& [domain, ranges] : watched.valid_in)
      j["valid"].push_back({{"domain", domain}, {"bytes", planning::to_json(ranges)}});
    for (const auto& [ranges, suits] : watched.suited)
      j["suits"].push_back({{"bytes", planning::to_json(ranges)}, {"suits", suits}});
    if (!watched.of_home.empty()) j["of_home"] = watched.of_home;
    buffers.push_back(std::move(j));
  }
  json copies = json::array();
  for (const Copy& copy : copies_)
    copies.push_back(
        {{"from", copy.from}, {"to", copy.to}, {"bytes", copy.bytes}, {"seconds", copy.seconds}});
  return {{"machine",
           {{"platform", platform::to_json(machine_.platform)},
            {"domains", machine_.domains},
            {"home", machine_.home},
            {"home_is_whole", machine_.home_is_whole},
            {"home_is_sum", machine_.home_is_sum},
            {"can_fail", machine_.can_fail},
            {"atomic_at_home", machine_.atomic_at_home},
            {"regardless_of_gain", machine_.regardless_of_gain},
            {"cache", machine_.cache},
            {"policy", machine_.policy != nullptr ? json(machine_.policy_name) : json(nullptr)}}},
          {"purpose", to_string(purpose_)},
          {"complete", complete},
          {"tasks", std::move(tasks)},
          {"buffers", std::move(buffers)},
          {"copies", std::move(copies)},
          {"cuts", planning::to_json(cuts_before_)},
          {"trouble", plan.trouble},
          {"plan", planning::to_json(plan)}};
}

}  // namespace mkmd::planning
