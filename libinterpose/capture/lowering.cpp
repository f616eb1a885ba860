// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/lowering.hpp"

#include "libinterpose/capture/window_planning.hpp"
#include "libinterpose/commands/careful.hpp"
#include "libinterpose/commands/submit.hpp"
#include "libinterpose/planning/updates.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace mkmd {

namespace {

// Empty: the domain has no room.
std::vector<cl_mem> memories_in(int domain, const Domains& domains, const KernelLaunch& launch) {
  std::vector<cl_mem> memories(launch.arguments->size(), nullptr);
  for (size_t i = 0; i < memories.size(); ++i) {
    Memory* const memory = (*launch.arguments)[i].tracked();
    if (memory == nullptr) continue;
    memories[i] = memory->root()->storage->in_domain(*memory, domain, domains[domain].context);
    if (memories[i] == nullptr) return {};
  }
  return memories;
}

// Shares of a matrix that is read in columns are shares of every row.
ByteRanges share_of(const Memory& root, uint64_t row, double lo, double hi) {
  const auto at = [&](double share) {
    const double units = static_cast<double>(row) / static_cast<double>(root.unit());
    return static_cast<uint64_t>(std::llround(share * units)) * root.unit();
  };
  if (at(lo) >= at(hi)) return {};
  if (at(hi) - at(lo) == row) return {0, root.size};
  const ByteRows columns = ByteRows{0, row, row, root.size / row}.columns(at(lo), at(hi));
  return ByteRanges(columns.rows(0, columns.count));
}

}  // namespace

Lowering::Lowering(Session& session, const Domains& domains, Estimates& estimates, Executor& executor,
                   Losses* losses, Epoch& epoch, const planning::Machine& machine, planning::Plan& plan,
                   const std::vector<Ref<Command>>& window)
    : session_(session), domains_(domains), estimates_(estimates), executor_(executor), losses_(losses),
      epoch_(epoch), machine_(machine), plan_(plan), window_(window),
      first_order_(epoch.take_places(plan.orders)) {}

void Lowering::emit(const std::function<void(const std::vector<Ref<Action>>&)>& some) {
  constexpr size_t kSome = 8;  // commands
  executor_.mutex().is_held();
  const size_t count = plan_.tasks.size();
  std::vector<double> first_of_rest(count + 1, kAllEmitted);  // from each task on
  for (size_t i = count; i-- > 0;)
    first_of_rest[i] = std::min(first_of_rest[i + 1], order_of(plan_.tasks[i].first_order()));
  struct Emitting {  // whatever happens, lanes must not wait for ever
    ~Emitting() {
      executor.mutex().is_held();
      executor.gate().hold_from(kAllEmitted);
    }
    Executor& executor;
  } emitting{executor_};
  executor_.gate().hold_from(first_of_rest.front());
  for (size_t i = 0; i < count; ++i) {
    emit(i);
    if ((i + 1) % kSome != 0 && i + 1 < count) continue;
    executor_.gate().hold_from(first_of_rest[i + 1]);
    some(std::exchange(made_, {}));
  }
}

Ref<Action> Lowering::new_action(Lane& lane, Command* command, Action::Work work) {
  Ref<Action> action(new Action(lane, command, std::move(work)));
  action->order = order_;
  if (command != nullptr) {
    ++command->pending;
    action->origin.what = to_string(command->kind());
    action->origin.of_queue = &command->queue->unposted;
  }
  made_.push_back(action);
  epoch_.order(action, plan_.one_at_a_time);
  return action;
}

// The policy knows whose port is busy: its source is taken where that has the bytes by now.
std::vector<RegionMap::Source> Lowering::sources(int domain, Memory& root, const ByteRanges& missing) const {
  const RegionMap& regions = root.storage->regions;
  std::vector<RegionMap::Source> result;
  const auto add = [&](int from, const ByteRanges& ranges) {
    for (RegionMap::Source& known : result) {
      if (known.domain == from) return known.ranges.unite(ranges);
    }
    result.push_back({from, ranges});
  };
  ByteRanges left = missing;
  if (const auto planned = plan_.sources.find({buffer_number(session_.numbers, root), domain});
      planned != plan_.sources.end()) {
    const uint64_t row = missing.begin()->count > 1 ? missing.begin()->pitch : root.size;
    for (const planning::PlannedSource& source : planned->second) {
      ByteRanges here = left.intersection(share_of(root, row, source.lo, source.hi));
      here.subtract(regions.missing(source.domain, here));
      if (here.empty()) continue;
      add(source.domain, here);
      left.subtract(here);
    }
  }
  for (const RegionMap::Source& source : regions.sources(left))
    add(source.domain, source.ranges);
  return result;
}

void Lowering::make_valid(int domain, Memory& root, const ByteRanges& ranges) {
  RegionMap& regions = root.storage->regions;
  const ByteRanges missing = regions.missing(domain, ranges);
  if (missing.empty()) return;
  Lane& to = *domains_[domain].transfer;
  const cl_mem to_memory = root.storage->in_domain(root, domain, to.native_context);
  if (regions.is_home(domain)) overwrite_home(root, missing);
  for (const RegionMap::Source& source : sources(domain, root, missing)) {
    const Lane& from = *domains_[source.domain].transfer;
    const cl_mem from_memory = root.storage->in_domain(root, source.domain, from.native_context);
    auto moves = [&devices = executor_.devices(), &storage = *root.storage, &from, from_memory, &to,
                  to_memory](const ByteRanges& some) {
      return transfer(devices, storage, from, from_memory, to, to_memory, some);
    };
    const Ref<Action> action = new_action(to, nullptr, moves(source.ranges));
    action->transfer.memory = Ref<Memory>(&root);
    action->transfer.some = std::move(moves);
    action->transfer.ranges = source.ranges;
    action->transfer.bytes = source.ranges.total();
    action->transfer.from_domain = source.domain;
    action->transfer.buffer = buffer_number(session_.numbers, root);
    action->transfer.consumer = emitting_;
    if (losses_) action->transfer.history = root.storage->history.get();
    regions.read(source.domain, source.ranges, *action);
    regions.write(domain, source.ranges, *action);
    regions.add_valid(domain, source.ranges);
    executor_.push(action);
  }
}

void Lowering::order_uses(int domain, const BufferUses& uses, Action& action) {
  for (const BufferUse& use : uses) {
    use.root->storage->regions.order_read(domain, use.reads, action);
    use.root->storage->regions.order_write(domain, use.writes, action);
  }
}

void Lowering::record_uses(int domain, const BufferUses& uses, Action& action) {
  for (const BufferUse& use : uses) {
    RegionMap& regions = use.root->storage->regions;
    regions.record_read(domain, use.reads, action);
    regions.record_write(domain, use.writes, action);
    if (domains_.separate() || losses_) regions.set_only_valid(domain, use.writes);
  }
}

RemoteMemory Lowering::remote(int domain, const BufferUses& uses) const {
  const Domains::Domain& of = domains_[domain];
  RemoteMemory where{&executor_.devices(), of.transfer, {}};
  for (const BufferUse& use : uses)
    where.memories.push_back(use.root->storage->in_domain(*use.root, domain, of.context));
  return where;
}

void Lowering::emit(planning::PlannedTask&, Command& c, const MarkerCommand&) {
  // Complete when what it waits for is. Of native commands before it the entry alone knows, and of their
  // errors the drivers, who are asked when an action ends.
  if (!epoch_.waits_for_entry() && !c.waits_for_native()) return;
  Lane& home = executor_.lanes().home();
  const Ref<Action> action = new_action(home, &c, marker_behind(home));
  action->elsewhere.redo = marker_behind;
  executor_.push(action);
}

void Lowering::emit(size_t i) {
  Command& c = *window_[i];
  planning::PlannedTask& of = plan_.tasks[i];
  c.planned = true;
  emitting_ = c.number;
  for (const BufferUse& use : of.whole)
    epoch_.join(*use.root);
  if (!may_begin(of, c)) return;
  order_ = order_of(of.order);
  std::visit([&](auto& what) REQUIRES(executor_.mutex()) { emit(of, c, what); }, c.what);
}

// Where each piece runs, by argument the memories there. Home's memory has room by definition. So a piece
// whose memory is full runs where another piece uses home's memory, or else at home: some drivers bear only
// so many queues that run a program's code (code_places.hpp).
std::vector<std::vector<cl_mem>> Lowering::places_of(planning::PlannedTask& of, const KernelLaunch& launch) {
  const Configuration& configuration = session_.configuration;
  std::vector<std::vector<cl_mem>> memories;
  for (planning::Piece& piece : of.pieces) {
    memories.push_back(memories_in(configuration.lane_domain(piece.device), domains_, launch));
    if (memories.back().size() != launch.arguments->size()) {
      const auto at_home = std::ranges::find_if(of.pieces, [&](const planning::Piece& other) {
        return configuration.lane_domain(other.device) == 0;
      });
      piece.device = at_home != of.pieces.end() ? at_home->device : configuration.home_index();
      planning::join(piece);
      memories.back() = memories_in(0, domains_, launch);
      plan_.may_keep = false;  // there may be room the next time
    }
    order_ = order_of(piece.order);
    for (const BufferUse& use : piece.uses)
      make_valid(configuration.lane_domain(piece.device), *use.root, use.needed);
  }
  return memories;
}

Ref<Action> Lowering::new_piece(const planning::PlannedTask& of, const planning::Piece& piece, Command& c,
                                const KernelCommand& kernel, std::vector<cl_mem> memories) {
  const bool boxed = of.task.kernel.understood;
  const int domain = session_.configuration.lane_domain(piece.device);
  Lane& lane = *executor_.lanes().compute()[piece.device];
  order_ = order_of(piece.order);
  // What runs whole at home is the program's own code: a vendor's compiler may make something else of ours.
  const bool own = &lane == &executor_.lanes().home() && piece.box == kernel.launch.whole() && !of.as_before;
  const auto work_on = [&kernel, box = piece.box, memories = std::move(memories), boxed = boxed && !own](
                           Lane& some) { return kernel_piece(some, kernel, box, memories, boxed); };
  Ref<Action> action = new_action(lane, &c, work_on(lane));
  const double share =
      static_cast<double>(piece.box.group_count()) / static_cast<double>(kernel.launch.group_count());
  if (piece.seconds > 0) {
    action->piece.seconds = piece.seconds;
    action->elsewhere.moved = work_on;
    action->elsewhere.seconds_on =
        [share, exact = session_.configuration.settings.exact, &times = estimates_.times(),
         &model = estimates_.model_of(*kernel.launch.kernel), &kernel, from = piece.device,
         together = of.updates_together, &machine = machine_](const Lane& other) {
          // The planner chose among devices of one code generator, if it had to (Rule 11), or among those
          // that may update the same bytes.
          const bool may = (!exact || times.rates(from).kind == times.rates(other.device).kind) &&
                           (!together || machine.may_update_together(other.device));
          return may ? times.seconds(model, kernel.cost, other.device) * share : scheduler::kNever;
        };
  }
  if (domain == 0) {
    action->elsewhere.redo = work_on;
  } else {
    action->elsewhere.redo = [&kernel, box = piece.box, uses = piece.uses,
                              where = remote(domain, piece.uses)](Lane& home) {
      return piece_from_afar(home, kernel, box, uses, where);
    };
  }
  action->uses = piece.uses;
  action->piece.device = piece.device;
  action->piece.ours = boxed && !own;
  action->piece.lo = piece.box.lo;
  action->piece.hi = piece.box.hi;
  action->piece.groups = piece.box.group_count();
  action->piece.share = share;
  action->piece.bytes = of.bytes * share;
  return action;
}

void Lowering::emit(planning::PlannedTask& of, Command& c, const KernelCommand& kernel) {
  const Configuration& configuration = session_.configuration;
  std::vector<std::vector<cl_mem>> memories = places_of(of, kernel.launch);
  std::map<int, std::set<int>> sharing;  // devices that run pieces, by domain
  for (const planning::Piece& piece : of.pieces)
    sharing[configuration.lane_domain(piece.device)].insert(piece.device);
  const bool alone = sharing.size() == 1 && sharing.begin()->second.size() == 1 && kernel.redo.empty();
  will_use(of.pieces);
  AllApart apart = begin_apart(of, c);
  std::vector<Ref<Action>> actions;
  for (size_t i = 0; i < of.pieces.size(); ++i) {
    const planning::Piece& piece = of.pieces[i];
    const int domain = configuration.lane_domain(piece.device);
    const Ref<Action> action = new_piece(of, piece, c, kernel, std::move(memories[i]));
    action->piece.sharing = static_cast<int>(sharing[domain].size());
    action->piece.alone = alone;
    if (losses_) losses_->plan(*action, piece.uses, piece.box);
    order_uses(domain, piece.uses, *action);
    if (!piece.apart.empty()) apart.at(domain).add(piece, *action);
    actions.push_back(action);
  }
  for (size_t i = 0; i < actions.size(); ++i) {
    record_uses(configuration.lane_domain(of.pieces[i].device), of.pieces[i].uses, *actions[i]);
    executor_.push(actions[i]);
  }
  merge(apart, kernel, c, actions);
}

void Lowering::emit(planning::PlannedTask& of, Command& c, const ReadCommand& read) {
  // Each part of the read writes its own bytes of the program's memory.
  const uint64_t from = read.source.in_root();
  const auto to = reinterpret_cast<uintptr_t>(read.host);
  const BufferUse& use = of.whole.front();
  RegionMap& regions = use.root->storage->regions;
  auto record = [&](const Ref<Action>& action, int domain, const ByteRanges& ranges)
                    REQUIRES(executor_.mutex()) {
                      regions.read(domain, ranges, *action);
                      ByteRanges host = ranges;
                      host.shift(to - from);
                      epoch_.host_memory().write(0, host, *action);
                      if (losses_) losses_->plan(*action, {{{ranges, {}, ranges}, use.root}}, {});
                      executor_.push(action);
                    };
  if (read.redo.empty() && regions.missing(0, use.reads).empty()) {
    Lane& home = executor_.lanes().home();
    const Ref<Action> action = new_action(home, &c, read_at_home(executor_.devices(), home, read));
    action->elsewhere.redo = [&devices = executor_.devices(), &read](Lane& lane) {
      return read_at_home(devices, lane, read);
    };
    action->uses = {{{use.reads, {}, use.reads}, use.root}, {{{}, {to, to + read.size}, {}}, nullptr}};
    record(action, 0, use.reads);
    return;
  }
  for (RegionMap::Source& source : regions.sources(use.reads)) {
    Lane& lane = reader(domains_, executor_, source.domain);
    const cl_mem memory = use.root->storage->in_domain(*use.root, source.domain, lane.native_context);
    const Ref<Action> action =
        new_action(lane, &c, read_elsewhere(executor_.devices(), lane, read, memory, source.ranges));
    if (source.domain != 0) action->transfer.bytes = source.ranges.total();
    action->transfer.from_domain = source.domain;
    action->transfer.buffer = buffer_number(session_.numbers, *use.root);
    action->transfer.consumer = c.number;
    record(action, source.domain, source.ranges);
  }
}

void Lowering::emit(planning::PlannedTask& of, Command& c, WriteCommand& write) {
  Lane& home = executor_.lanes().home();
  if (losses_ && !write.kept) write.kept = std::make_shared<WriteCommand::Kept>();
  overwrite_home(write.destination.root(), of.whole.front().writes);
  const Ref<Action> action = new_action(home, &c, write_at_home(executor_.devices(), home, write));
  if (losses_) losses_->plan(*action, of.whole, {});
  order_uses(0, of.whole, *action);
  record_uses(0, of.whole, *action);
  const auto from = reinterpret_cast<uintptr_t>(write.host);
  const ByteRanges given(from, from + write.size);
  action->elsewhere.redo = [&devices = executor_.devices(), &write](Lane& lane) {
    return write_at_home(devices, lane, write);
  };
  action->uses = of.whole;
  action->uses.push_back({{given, {}, given}, nullptr});
  // The bytes to keep are taken from the program's memory when the write is submitted.
  action->edges.begins_when_submitted = write.kept != nullptr;
  epoch_.host_memory().read(0, given, *action);
  action->edges.begins_when_submitted = false;
  executor_.push(action);
}

}  // namespace mkmd
