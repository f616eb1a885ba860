// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/execution/transfer_order.hpp"

#include "common/process_exiting.hpp"
#include "libinterpose/objects/objects.hpp"

#include <algorithm>

namespace mkmd {

namespace {

// A transfer that overtakes an earlier one moves so many bytes at a time. The fixed cost of a copy is less
// than a tenth of their time.
constexpr uint64_t kSlice = 1 << 20;

bool same_port(const Action& a, const Action& b, const Lanes& lanes) {
  return a.lane == b.lane ||
         (takes_ports(a, lanes) && takes_ports(b, lanes) && a.transfer.from_domain == b.transfer.from_domain);
}

bool is_before(const Action& a, const Action& b, const Lanes& lanes) {
  return a.order < b.order && same_port(a, b, lanes);
}

template <typename Predicate>
bool any_under_way(const Action& action, const Lanes& lanes, Predicate predicate) {
  return std::any_of(lanes.all().begin(), lanes.all().end(), [&](const std::unique_ptr<Lane>& lane) {
    return lane->sending && same_port(*lane->sending, action, lanes) && predicate(*lane->sending);
  });
}

// Its ports are free, or soon will be.
bool is_next(const Action& action, const Lanes& lanes) {
  return !any_under_way(action, lanes, [](const Action& other) { return other.transfer.bytes > kSlice; });
}

// Whether its ports are free, and no earlier ready transfer is about to take one of them. Otherwise the
// earlier one might never find both of its ports free.
bool has_ports(const Action& action, const Lanes& lanes) {
  if (any_under_way(action, lanes, [](const Action&) { return true; })) return false;
  return std::none_of(lanes.all().begin(), lanes.all().end(), [&](const std::unique_ptr<Lane>& lane) {
    return lane->transfers() &&
           std::any_of(lane->ready.begin(), lane->ready.end(), [&](const Ref<Action>& other) {
             return is_before(*other, action, lanes) && is_next(*other, lanes);
           });
  });
}

std::multiset<Ref<Action>, Lane::Earlier>::const_iterator next_of(const Lane& lane, const Lanes& lanes,
                                                                  double until) {
  const bool any_order = !lane.transfers() || process_exiting.load();
  const auto next = std::find_if(lane.ready.begin(), lane.ready.end(), [&](const Ref<Action>& action) {
    return any_order || action->order >= until || !takes_ports(*action, lanes) || has_ports(*action, lanes);
  });
  return next != lane.ready.end() && (*next)->order < until ? next : lane.ready.end();
}

bool overtakes(const Action& action, const Lanes& lanes) {
  const auto is_overtaken = [&](const auto& other) { return is_before(*other, action, lanes); };
  return std::any_of(lanes.all().begin(), lanes.all().end(), [&](const std::unique_ptr<Lane>& lane) {
    return lane->transfers() && (std::any_of(lane->to_come.begin(), lane->to_come.end(), is_overtaken) ||
                                 std::any_of(lane->ready.begin(), lane->ready.end(), is_overtaken));
  });
}

// Whole rows while they fit.
ByteRanges first_bytes(const ByteRanges& ranges, uint64_t bytes) {
  ByteRanges first;
  for (const ByteRows& block : ranges) {
    if (const uint64_t rows = std::min(block.count, bytes / block.length); rows > 0) {
      first.add(block.rows(0, rows));
      bytes -= rows * block.length;
      if (rows == block.count) continue;
    }
    if (first.empty()) first.add(block.lo, block.lo + bytes);  // of a very long row
    break;
  }
  return first;
}

// The rest waits for the slice. The transfer's successors wait for the rest.
Ref<Action> cut_slice(Action& rest) {
  Ref<Action> slice(new Action(*rest.lane, nullptr, nullptr));
  slice->order = rest.order;
  slice->transfer = rest.transfer;
  slice->transfer.some = nullptr;
  const uint64_t unit = rest.transfer.memory ? rest.transfer.memory->unit() : 1;
  slice->transfer.ranges = first_bytes(rest.transfer.ranges, kSlice - kSlice % unit);
  slice->transfer.bytes = slice->transfer.ranges.total();
  slice->work = rest.transfer.some(slice->transfer.ranges);
  slice->times.ready = rest.times.ready;
  rest.transfer.ranges.subtract(slice->transfer.ranges);
  rest.transfer.bytes -= slice->transfer.bytes;
  rest.work = rest.transfer.some(rest.transfer.ranges);
  rest.state = Action::State::waiting;
  ++rest.edges.blockers;
  slice->edges.on_complete.emplace_back(&rest);
  return slice;
}

}  // namespace

bool takes_ports(const Action& action, const Lanes& lanes) {
  return lanes.has_exclusive_ports() && action.transfer.bytes > 0;
}

bool may_start(const Lane& lane, const Lanes& lanes, double until) {
  return next_of(lane, lanes, until) != lane.ready.end();
}

Ref<Action> take_next(Lane& lane, const Lanes& lanes, double until) {
  Ref<Action> action = std::move(lane.ready.extract(next_of(lane, lanes, until)).value());
  if (!action->transfer.some || action->transfer.bytes <= kSlice || !overtakes(*action, lanes)) return action;
  lane.to_come.push_back(action.get());
  return cut_slice(*action);
}

}  // namespace mkmd
