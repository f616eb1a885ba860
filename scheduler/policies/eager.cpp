// SPDX-License-Identifier: Apache-2.0
// eager: one queue in the order tasks become ready; a device that is idle takes the first it may run.
// StarPU's simplest scheduler: it keeps everybody busy and knows nothing of times or data.
#include "scheduler/policies/online_adapter.hpp"

#include <algorithm>

namespace mkmd::scheduler {
namespace {

struct NoParameters {};

class Eager : public OnlinePolicy {
public:
  explicit Eager(const NoParameters&) {}
  std::string_view name() const override { return "eager"; }
  void begin(const OnlineState&) override { queue_.clear(); }
  void ready(int task, const OnlineState&) override { queue_.push_back(task); }

  std::optional<Work> next(const OnlineState& state) override {
    for (int d = 0; d < state.index->device_count(); ++d) {
      if (!state.idle(d)) continue;
      const auto t =
          std::find_if(queue_.begin(), queue_.end(), [&](int task) { return state.may_run(task, d); });
      if (t == queue_.end()) continue;
      const Work work{*t, d};
      queue_.erase(t);
      return work;
    }
    return std::nullopt;
  }

private:
  std::deque<int> queue_;
};

}  // namespace

MadePolicy make_eager(ParameterReader& reader) {
  if (Status s = reader.finish(); !s) return s;
  return made_online<Eager>(NoParameters{});
}

}  // namespace mkmd::scheduler
