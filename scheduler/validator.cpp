// SPDX-License-Identifier: Apache-2.0
#include "scheduler/validator.hpp"

#include "scheduler/problem_index.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mkmd::scheduler {
namespace {

constexpr double kShare = 1e-9;  // of a task or buffer

struct Stretch {
  double start = 0, end = 0;
  std::string what;
};

class Validator {
public:
  Validator(const ProblemIndex& index, const Schedule& schedule)
      : index_(index), schedule_(schedule), slices_(index.item_count()), pieces_(index.task_count()) {
    tolerance_ = 1e-9 * std::max(schedule.makespan(), 1e-6);
  }

  Status run() {
    if (Status s = check_numbers(); !s) return s;
    for (size_t i = 0; i < schedule_.entries.size(); ++i)
      pieces_[schedule_.entries[i].task].push_back(static_cast<int>(i));
    for (int t = 0; t < index_.task_count(); ++t)
      if (Status s = check_pieces(t); !s) return s;
    if (Status s = check_devices(); !s) return s;
    if (Status s = check_ports(); !s) return s;
    if (Status s = check_order(); !s) return s;
    if (Status s = replay_transfers(); !s) return s;
    for (size_t i = 0; i < schedule_.entries.size(); ++i) {
      const Entry& e = schedule_.entries[i];
      if (Status s = check_inputs("entries", i, e.task, e.device, e.start, e.lo, e.hi); !s) return s;
    }
    for (size_t i = 0; i < schedule_.aborted.size(); ++i) {
      const Occupation& a = schedule_.aborted[i];
      if (Status s = check_inputs("aborted", i, a.task, a.device, a.start, 0, 1); !s) return s;
    }
    return {};
  }

private:
  Status wrong(const char* list, size_t i, const std::string& what) const {
    return Status::internal("schedule." + std::string(list) + "[" + std::to_string(i) + "]: " + what);
  }

  std::string name(int t) const { return "task " + std::to_string(index_.task(t).id); }

  bool knows(int task, int device) const {
    return task >= 0 && task < index_.task_count() && device >= 0 && device < index_.device_count();
  }

  static bool good_times(double start, double end) {
    return std::isfinite(start) && std::isfinite(end) && start >= 0 && end >= start;
  }

  static bool good_range(double lo, double hi) { return lo >= 0 && lo < hi && hi <= 1 + kShare; }

  Status check_numbers() const {
    for (size_t i = 0; i < schedule_.entries.size(); ++i) {
      const Entry& e = schedule_.entries[i];
      if (!knows(e.task, e.device)) return wrong("entries", i, "no such task or device");
      if (!good_times(e.start, e.end)) return wrong("entries", i, "needs 0 <= start <= end");
      if (!good_range(e.lo, e.hi)) return wrong("entries", i, "needs 0 <= lo < hi <= 1");
    }
    for (const auto* list : {&schedule_.aborted, &schedule_.merges})
      for (size_t i = 0; i < list->size(); ++i) {
        const Occupation& o = (*list)[i];
        const char* which = list == &schedule_.aborted ? "aborted" : "merges";
        if (!knows(o.task, o.device)) return wrong(which, i, "no such task or device");
        if (!good_times(o.start, o.end)) return wrong(which, i, "needs 0 <= start <= end");
      }
    for (size_t i = 0; i < schedule_.transfers.size(); ++i) {
      const Transfer& t = schedule_.transfers[i];
      if (find_item(t) < 0) return wrong("transfers", i, "no task produces buffer \"" + t.buffer + "\"");
      if (index_.memory_index(t.src_mem) < 0 || index_.memory_index(t.dst_mem) < 0)
        return wrong("transfers", i, "no such memory");
      if (t.src_mem == t.dst_mem) return wrong("transfers", i, "from a memory to itself");
      if (!good_times(t.start, t.end)) return wrong("transfers", i, "needs 0 <= start <= end");
      if (!good_range(t.lo, t.hi)) return wrong("transfers", i, "needs 0 <= lo < hi <= 1");
    }
    return {};
  }

  int find_item(const Transfer& t) const {
    if (t.producer < 0 || t.producer >= index_.task_count()) return -1;
    for (int item : index_.produced(t.producer))
      if (*index_.item(item).buffer == t.buffer) return item;
    return -1;
  }

  Status check_pieces(int t) {
    std::vector<int>& pieces = pieces_[t];
    if (pieces.empty()) return Status::internal("schedule.entries: " + name(t) + " is never run");
    const auto& entries = schedule_.entries;
    std::sort(pieces.begin(), pieces.end(), [&](int a, int b) { return entries[a].lo < entries[b].lo; });
    if (pieces.size() > 1 && !index_.task(t).divisible)
      return wrong("entries", pieces[1], name(t) + " is not divisible");
    double reached = 0;
    for (int i : pieces) {
      const Entry& e = entries[i];
      if (std::abs(e.lo - reached) > kShare)
        return wrong("entries", i,
                     name(t) +
                         (e.lo > reached ? " has a gap before this piece" : " has pieces that overlap here"));
      reached = e.hi;
      if (!index_.eligible(t, e.device)) return wrong("entries", i, name(t) + " may not run on this device");
      if (std::abs(index_.snap(t, e.lo) - e.lo) > kShare || std::abs(index_.snap(t, e.hi) - e.hi) > kShare)
        return wrong("entries", i, "is not a whole number of units");
      const double expected = index_.duration(t, e.device, e.hi - e.lo);
      const double longer = e.end - e.start - expected;
      const bool may_wait = index_.bandwidth_limit(t, e.device) > 0;
      if ((may_wait ? -longer : std::abs(longer)) > tolerance_ + kShare * expected)
        return wrong("entries", i,
                     "lasts " + std::to_string(e.end - e.start) + " s, not " + std::to_string(expected));
    }
    if (std::abs(reached - 1) > kShare)
      return wrong("entries", pieces.back(), name(t) + " is not run to its end");
    return pieces.size() > 1 && index_.shares_bandwidth() ? check_bandwidth(t) : Status{};
  }

  // Between any two moments the pieces of the task must have moved no more bytes of a memory than it
  // allows. A piece moves between them what it cannot have moved outside at full speed.
  Status check_bandwidth(int t) const {
    for (int p : pieces_[t])
      for (int q : pieces_[t]) {
        const Entry &first = schedule_.entries[p], &last = schedule_.entries[q];
        const double limit = index_.bandwidth_limit(t, first.device);
        if (limit == 0) break;
        if (index_.memory_of(first.device) != index_.memory_of(last.device)) continue;
        for (double from : {first.start, first.end})
          for (double to : {last.start, last.end}) {
            if (to <= from) continue;
            const double moved =
                index_.task(t).bytes * least_share(t, index_.memory_of(last.device), from, to);
            if (moved > limit * (to - from + tolerance_ + kShare * index_.time(t, last.device)))
              return wrong("entries", q,
                           "pieces of " + name(t) + " move more bytes until here than memory " +
                               std::to_string(index_.memory_id(index_.memory_of(last.device))) + " can give");
          }
      }
    return {};
  }

  double least_share(int t, int mem, double from, double to) const {
    double share = 0;
    for (int i : pieces_[t]) {
      const Entry& e = schedule_.entries[i];
      if (index_.memory_of(e.device) != mem) continue;
      const double inside = std::max(0.0, std::min(e.end, to) - std::max(e.start, from));
      const double elsewhere = (e.end - e.start - inside) / index_.duration(t, e.device, e.hi - e.lo);
      share += (e.hi - e.lo) * std::max(0.0, 1 - elsewhere);
    }
    return share;
  }

  Status no_overlap(std::vector<Stretch>& list, const std::string& where) const {
    std::sort(list.begin(), list.end(), [](const Stretch& a, const Stretch& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
    const Stretch* last = nullptr;
    for (const Stretch& s : list) {
      if (s.end <= s.start) continue;  // takes no time, so it is in nobody's way
      if (last && s.start < last->end - tolerance_)
        return Status::internal("schedule." + s.what + ": overlaps " + last->what + " on " + where);
      if (!last || s.end > last->end) last = &s;
    }
    return {};
  }

  Status check_devices() const {
    std::vector<std::vector<Stretch>> busy(index_.device_count());
    for (size_t i = 0; i < schedule_.entries.size(); ++i) {
      const Entry& e = schedule_.entries[i];
      busy[e.device].push_back({e.start, e.end, "entries[" + std::to_string(i) + "]"});
    }
    for (size_t i = 0; i < schedule_.aborted.size(); ++i) {
      const Occupation& a = schedule_.aborted[i];
      if (!index_.eligible(a.task, a.device)) return wrong("aborted", i, "may not run on this device");
      if (a.end - a.start > index_.duration(a.task, a.device, 1) + tolerance_ &&
          index_.bandwidth_limit(a.task, a.device) == 0)
        return wrong("aborted", i, "lasts longer than the task");
      busy[a.device].push_back({a.start, a.end, "aborted[" + std::to_string(i) + "]"});
    }
    for (size_t i = 0; i < schedule_.merges.size(); ++i) {
      const Occupation& m = schedule_.merges[i];
      busy[m.device].push_back({m.start, m.end, "merges[" + std::to_string(i) + "]"});
    }
    for (int d = 0; d < index_.device_count(); ++d)
      if (Status s = no_overlap(busy[d], "device " + std::to_string(d)); !s) return s;
    return {};
  }

  Status check_ports() const {
    std::vector<std::vector<Stretch>> out(index_.memory_count()), in(index_.memory_count());
    for (size_t i = 0; i < schedule_.transfers.size(); ++i) {
      const Transfer& t = schedule_.transfers[i];
      const Stretch s{t.start, t.end, "transfers[" + std::to_string(i) + "]"};
      out[index_.memory_index(t.src_mem)].push_back(s);
      in[index_.memory_index(t.dst_mem)].push_back(s);
    }
    for (int m = 0; m < index_.memory_count(); ++m) {
      const std::string memory = "memory " + std::to_string(index_.memory_id(m));
      if (Status s = no_overlap(out[m], "the out-port of " + memory); !s) return s;
      if (Status s = no_overlap(in[m], "the in-port of " + memory); !s) return s;
    }
    return {};
  }

  Status check_order() const {
    if (!schedule_.in_order) return {};
    std::vector<Stretch> all;
    const auto add = [&](const auto& list, const std::string& name) {
      for (size_t i = 0; i < list.size(); ++i)
        all.push_back({list[i].start, list[i].end, name + "[" + std::to_string(i) + "]"});
    };
    add(schedule_.entries, "entries");
    add(schedule_.transfers, "transfers");
    add(schedule_.aborted, "aborted");
    add(schedule_.merges, "merges");
    return no_overlap(all, "the only queue there is in order");
  }

  // Whether [lo, hi) of the item is in `mem` at `time`.
  bool present(int item, int mem, double lo, double hi, double time) const {
    double x = lo;
    while (hi - x > kShare) {
      double reach = x;
      for (const Slice& s : slices_[item])
        if (s.mem == mem && s.at <= time + tolerance_ && s.lo <= x + kShare) reach = std::max(reach, s.hi);
      if (reach <= x + kShare) return false;
      x = reach;
    }
    return true;
  }

  const Occupation* merge_of(int task, int mem) const {
    for (const Occupation& m : schedule_.merges)
      if (m.task == task && index_.memory_of(m.device) == mem) return &m;
    return nullptr;
  }

  Status replay_transfers() {
    for (int i = 0; i < index_.item_count(); ++i) {
      const auto resident = index_.resident(i);
      slices_[i].assign(resident.begin(), resident.end());
      for (int p : pieces_[index_.item(i).producer]) {
        const Entry& e = schedule_.entries[p];
        slices_[i].push_back({index_.memory_of(e.device), e.lo, e.hi, e.end});
      }
    }
    std::vector<int> order(schedule_.transfers.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      const Transfer &x = schedule_.transfers[a], &y = schedule_.transfers[b];
      return x.end != y.end ? x.end < y.end : x.start < y.start;
    });
    for (int i : order)
      if (Status s = replay(i); !s) return s;
    for (size_t i = 0; i < schedule_.merges.size(); ++i) {
      const Occupation& m = schedule_.merges[i];
      for (int p : pieces_[m.task])
        if (schedule_.entries[p].end > m.start + tolerance_)
          return wrong("merges", i, "starts before all pieces of " + name(m.task) + " have ended");
      for (const auto& [task, end] : arrivals_at_merge_)
        if (task == static_cast<int>(i) && end > m.start + tolerance_)
          return wrong("merges", i, "starts before the results of " + name(m.task) + " have arrived");
      for (int item : index_.produced(m.task))
        if (index_.item(item).bytes > 0 && !present(item, index_.memory_of(m.device), 0, 1, m.end))
          return wrong("merges", i, "not all results of " + name(m.task) + " are there");
    }
    return {};
  }

  Status replay(int i) {
    const Transfer& t = schedule_.transfers[i];
    const int item = find_item(t), src = index_.memory_index(t.src_mem), dst = index_.memory_index(t.dst_mem);
    const double bytes = (t.hi - t.lo) * index_.item(item).bytes;
    const double expected = index_.transfer_time(src, dst, bytes);
    if (std::abs(t.bytes - bytes) > 1e-6 * index_.item(item).bytes + 1e-6)
      return wrong("transfers", i,
                   "moves " + std::to_string(t.bytes) + " bytes, not " + std::to_string(bytes));
    if (t.end - t.start < expected - tolerance_)
      return wrong("transfers", i, "is shorter than the link allows");
    if (!present(item, src, t.lo, t.hi, t.start))
      return wrong("transfers", i, "\"" + t.buffer + "\" is not in its source memory at the start");
    double usable = t.end;
    if (const Occupation* merge = merge_of(index_.item(item).producer, dst)) {
      // Partial results become results when they are merged; what arrives later is a plain copy.
      if (t.end <= merge->end + tolerance_) {
        arrivals_at_merge_.push_back({static_cast<int>(merge - schedule_.merges.data()), t.end});
        usable = merge->end;
      }
    }
    slices_[item].push_back({dst, t.lo, t.hi, usable});
    return {};
  }

  Status check_inputs(const char* list, size_t i, int task, int device, double start, double lo,
                      double hi) const {
    const int mem = index_.memory_of(device);
    for (const Input& in : index_.inputs(task)) {
      const double from = in.row ? lo : 0, to = in.row ? hi : 1;
      if (index_.item(in.item).bytes > 0) {
        if (!present(in.item, mem, from, to, start))
          return wrong(list, i,
                       name(task) + " starts before \"" + *index_.item(in.item).buffer +
                           "\" is in its memory");
        continue;
      }
      for (int p : pieces_[in.src]) {
        const Entry& e = schedule_.entries[p];
        if (e.lo < to - kShare && e.hi > from + kShare && e.end > start + tolerance_)
          return wrong(list, i, name(task) + " starts before " + name(in.src) + " has ended");
      }
    }
    return {};
  }

  const ProblemIndex& index_;
  const Schedule& schedule_;
  double tolerance_ = 0;
  std::vector<std::vector<Slice>> slices_;  // by item
  std::vector<std::vector<int>> pieces_;    // by task: indices of entries
  std::vector<std::pair<int, double>> arrivals_at_merge_;
};

}  // namespace

Status validate(const Problem& problem, const Schedule& schedule) {
  Result<ProblemIndex> index = ProblemIndex::make(problem);
  if (!index) return index.status();
  return Validator(*index, schedule).run();
}

}  // namespace mkmd::scheduler
