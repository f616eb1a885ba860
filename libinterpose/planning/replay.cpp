// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/replay.hpp"

#include "common/json_reader.hpp"
#include "libinterpose/planning/planner.hpp"
#include "libinterpose/planning/record.hpp"
#include "platform/json.hpp"
#include "scheduler/json_forms.hpp"

#include <deque>
#include <set>

namespace mkmd::planning {

using nlohmann::json;

namespace {

double seconds_from(const json& j) {
  return j.is_null() ? scheduler::kNever : j.get<double>();
}

bool is_valid(const ByteRows& rows) {
  return rows.length > 0 && rows.count > 0 && (rows.count == 1 || rows.pitch > rows.length);
}

// Some decisions look at the blocks, not only at the bytes.
ByteRanges ranges_from(const json& list) {
  std::vector<ByteRows> blocks;
  ByteRanges united;
  for (const json& block : list) {
    ByteRows rows{block.at(0), block.at(1)};
    if (block.size() > 2) {
      rows.pitch = block.at(2);
      rows.count = block.at(3);
    }
    if (!is_valid(rows) || (!blocks.empty() && rows.lo <= blocks.back().lo))
      throw std::invalid_argument("blocks of bytes are empty or not in order: " + list.dump());
    blocks.push_back(rows);
    united.add(rows);
  }
  ByteRanges ranges = ByteRanges::of_blocks(std::move(blocks));
  if (ranges.total() != united.total())
    throw std::invalid_argument("blocks of bytes have bytes in common: " + list.dump());
  return ranges;
}

compiler::GroupBox box_from(const json& j) {
  return {j.at(0).get<std::array<uint64_t, 3>>(), j.at(1).get<std::array<uint64_t, 3>>()};
}

timing::Decision decision_from(const json& task) {
  using timing::Reason;
  using timing::Verdict;
  if (task.value("comparison", false))
    return {task.value("moved", false) ? Verdict::move : Verdict::native, Reason::comparison};
  if (task.value("moved", false)) {
    if (task.at("tried_again")) return {Verdict::move, Reason::retry};
    return {Verdict::move, task.at("is_long") ? Reason::lost_before : Reason::too_short};
  }
  if (!task.at("is_long")) return {Verdict::native, Reason::too_short};
  if (task.value("explored_enough", false)) return {Verdict::native, Reason::explored_enough};
  if (task.at("left_alone")) return {Verdict::native, Reason::lost_before};
  if (task.at("tried_again")) return {Verdict::explore, Reason::retry};
  return {};
}

json list_of(const json& j, const char* key) {
  return j.value(key, json::array());
}

template <typename Value>
Value named(const std::string& name, std::initializer_list<Value> values) {
  for (const Value value : values) {
    if (name == to_string(value)) return value;
  }
  throw std::invalid_argument("\"" + name + "\" is not known");
}

class RecordedBuffer final : public Residency {
public:
  explicit RecordedBuffer(const json& j) : number(j.at("number")), size(j.at("size")) {
    for (const json& of : list_of(j, "valid"))
      valid_[of.at("domain")] = ranges_from(of.at("bytes"));
    for (const json& of : list_of(j, "suits"))
      suits_.emplace_back(ranges_from(of.at("bytes")), of.at("suits"));
    for (const json& domain : list_of(j, "of_home"))
      of_home_.insert(domain.get<int>());
  }

  ByteRanges valid(int domain) const override { return valid_.at(domain); }
  bool is_home(int domain) const override { return domain == 0 || of_home_.contains(domain); }
  bool suits(const ByteRanges& ranges) const override {
    for (const auto& [known, suits] : suits_) {
      if (known == ranges) return suits;
    }
    throw std::out_of_range("nothing is recorded of such bytes of buffer " + std::to_string(number));
  }

  const uint64_t number, size;

private:
  std::map<int, ByteRanges> valid_;
  std::vector<std::pair<ByteRanges, bool>> suits_;
  std::set<int> of_home_;
};

class RecordedPolicy final : public scheduler::Policy {
public:
  RecordedPolicy(const json& planned, const json& window)
      : window_(window), trouble_(planned.at("trouble")) {}

  Result<scheduler::Schedule> schedule(const scheduler::Problem& problem,
                                       const scheduler::Options&) const override {
    asked_ = true;
    const json differences = json::diff(window_.at("graph"), scheduler::to_json(problem.graph));
    if (!differences.empty()) difference_ = "another graph was made, first " + differences.front().dump();
    if (!trouble_.empty()) return Status::internal(trouble_);
    if (!window_.contains("schedule")) return Status::internal("no schedule was recorded");
    json document = json(scheduler::to_json(problem));
    document["schedule"] = window_.at("schedule");
    Result<scheduler::Document> read = scheduler::document_from_json(document);
    if (!read) return read.status();
    return std::move(*read->schedule);
  }

  std::string difference() const {
    if (!difference_.empty()) return difference_;
    if (!asked_ && window_.contains("schedule")) return "the policy was not asked";
    return "";
  }

private:
  const json& window_;
  const std::string trouble_;
  mutable bool asked_ = false;
  mutable std::string difference_;
};

// The planner tells buffers apart by address and never looks inside.
class Recorded {
public:
  explicit Recorded(const json& planned) : planned_(planned) {
    for (const json& j : planned.at("buffers"))
      buffers_.emplace_back(j);
  }

  Memory* name(uint64_t number) {
    for (RecordedBuffer& buffer : buffers_) {
      if (buffer.number == number) return reinterpret_cast<Memory*>(&buffer);
    }
    // Nothing but its name was ever asked for.
    return reinterpret_cast<Memory*>(&buffers_.emplace_back(json{{"number", number}, {"size", 0}}));
  }

  static Buffer buffer_of(Memory* root) {
    const auto& buffer = *reinterpret_cast<RecordedBuffer*>(root);
    return {buffer.number, buffer.size, &buffer};
  }

  Result<Machine> machine() const {
    const json& j = planned_.at("machine");
    Result<scheduler::Platform> platform = platform::from_json(j.at("platform"));
    if (!platform) return platform.status();
    Machine machine;
    machine.platform = std::move(*platform);
    machine.domains = j.at("domains");
    machine.home = j.at("home");
    machine.home_is_whole = j.at("home_is_whole");
    machine.home_is_sum = j.at("home_is_sum");
    machine.can_fail = j.at("can_fail");
    machine.atomic_at_home = j.at("atomic_at_home").get<std::vector<bool>>();
    machine.regardless_of_gain = j.at("regardless_of_gain");
    machine.cache = j.at("cache");
    if (j.at("policy").is_string()) machine.policy_name = j.at("policy");
    if (!planned_.at("copies").empty()) {
      machine.copy_seconds = [&copies = planned_.at("copies")](int from, int to, double bytes) -> double {
        for (const json& copy : copies) {
          if (copy.at("from") == from && copy.at("to") == to && copy.at("bytes") == bytes)
            return copy.at("seconds");
        }
        throw std::out_of_range("no such copy is recorded");
      };
    }
    return machine;
  }

  Task task(const json& j) {
    Task task;
    task.kind =
        named(j.at("kind").get<std::string>(), {CommandKind::kernel, CommandKind::read, CommandKind::write,
                                                CommandKind::copy, CommandKind::fill, CommandKind::marker});
    for (const json& seconds : j.at("seconds"))
      task.seconds.push_back(seconds_from(seconds));
    task.at_home = j.at("at_home");
    task.follows_bytes = j.at("follows_bytes");
    task.may_keep = j.at("may_keep");
    if (task.is_kernel()) {
      read_kernel(j, task.kernel);
    } else {
      read_transfer(j, task.transfer);
    }
    return task;
  }

private:
  void read_transfer(const json& j, TransferTask& transfer) {
    transfer.size = j.at("size");
    transfer.pattern_size = j.at("pattern_size");
    transfer.source_begin = j.at("source_begin");
    transfer.destination_begin = j.at("destination_begin");
    if (j.contains("source")) transfer.source = name(j.at("source"));
    if (j.contains("destination")) transfer.destination = name(j.at("destination"));
  }

  void read_kernel(const json& j, KernelTask& kernel) {
    kernel.name = j.at("name");
    kernel.groups = j.at("groups");
    kernel.understood = j.at("understood");
    kernel.decision = decision_from(j);
    kernel.long_at_home = j.at("long_at_home");
    kernel.number = j.at("kernel");
    kernel.shape = j.at("shape");
    kernel.most_bytes = seconds_from(j.at("most_bytes"));
    kernel.together = j.at("together").get<std::vector<double>>();
    for (const json& box : list_of(j, "redo"))
      kernel.redo.push_back(box_from(box));
    kernel.experience.samples = j.value("samples", std::vector<int>());
    if (j.contains("sample"))
      kernel.sample = KernelTask::Sample{j.at("sample").at("device"), j.at("sample").at("share"), 0};
    if (j.contains("ran")) kernel.ran = RanBefore{j.at("ran").at("device"), j.at("ran").at("groups")};
    kernel.uses_of = [this, answers = list_of(j, "uses")](const compiler::GroupBox& box, size_t most_blocks) {
      for (const json& answer : answers) {
        if (box_from(answer.at("box")) == box && answer.at("most_blocks") == most_blocks)
          return uses(answer.at("buffers"));
      }
      throw std::out_of_range("nothing is recorded of these work-groups");
    };
  }

  BufferUses uses(const json& buffers) {
    BufferUses uses;
    for (const json& of : buffers) {
      uses.push_back(
          {{ranges_from(of.at("reads")), ranges_from(of.at("writes")), ranges_from(of.at("needed"))},
           name(of.at("buffer"))});
      uses.back().apart = of.value("apart", false);
      for (const json& one : of.at("updates"))
        uses.back().updates.push_back({one.at("by"), ranges_from(one.at("bytes"))});
    }
    return uses;
  }

  const json& planned_;
  std::deque<RecordedBuffer> buffers_;
};

std::string first_difference(const json& was, const json& is) {
  for (size_t i = 0; i < was.size() && i < is.size(); ++i) {
    if (was[i] != is[i])
      return "task " + std::to_string(i + 1) + ": " + is[i].dump() + " instead of " + was[i].dump();
  }
  return was.size() == is.size()
             ? ""
             : std::to_string(is.size()) + " tasks instead of " + std::to_string(was.size());
}

}  // namespace

Result<Replayed> replay(const json& window) try {
  const json& planned = window.at("planned");
  Recorded recorded(planned);
  Result<Machine> machine = recorded.machine();
  if (!machine) return machine.status();
  const RecordedPolicy policy(planned, window);
  if (planned.at("machine").at("policy").is_string()) machine->policy = &policy;
  CutMemory cuts = cuts_from_json(planned.at("cuts"));
  const BufferOf buffer_of = &Recorded::buffer_of;
  const auto purpose = named(planned.at("purpose").get<std::string>(),
                             {Purpose::speed, Purpose::home_times, Purpose::repeats});
  Replayed replayed;
  try {
    Planner planner(*machine, buffer_of, cuts, purpose);
    for (const json& task : planned.at("tasks"))
      planner.add(recorded.task(task));
    replayed.plan = std::move(planner).make(planned.at("complete"));
  } catch (const std::out_of_range& asked) {
    replayed.difference = std::string("the planner asks for something else: ") + asked.what();
    return replayed;
  }
  replayed.difference = policy.difference();
  if (replayed.difference.empty())
    replayed.difference = first_difference(planned.at("plan"), to_json(replayed.plan));
  return replayed;
} catch (const std::exception& wrong) {
  return Status::internal(std::string("this is no record of a planned window: ") + wrong.what());
}

}  // namespace mkmd::planning
