// SPDX-License-Identifier: Apache-2.0
// The Runtime's two regimes, and how one gives way to the other.
#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/capture/trace_plan.hpp"
#include "libinterpose/commands/submit.hpp"

#include <algorithm>

namespace mkmd {

namespace {

// Of the root buffer. None if they are not in order: the vendor will refuse the command.
ByteRanges bytes_of(const Runtime::Touched& t) {
  if (!t.only) return ByteRanges(0, t.memory->root()->size);
  const auto [offset, size] = *t.only;
  if (!t.memory->is_buffer || !t.memory->has(offset, size)) return {};
  return ByteRanges(t.memory->origin + offset, t.memory->origin + offset + size);
}

}  // namespace

Runtime::NativeTurn::NativeTurn(Runtime& runtime, std::span<const Touched> touched) {
  for (;;) {
    if (runtime.losses_) runtime.notice_losses();
    lock_ = std::shared_lock(runtime.regime_);
    if (!runtime.capturing()) break;
    lock_.unlock();
    runtime.finish_all();
  }
  status_ = runtime.failed();
  if (!runtime.domains_.separate() && !runtime.losses_) return;
  for (const Touched& t : touched) {
    if (t.memory == nullptr) continue;
    Memory* root = t.memory->root();
    // What is of another context the vendor refuses.
    if (!root->storage || root->context.get() != &runtime.context_) continue;
    const auto& ready = t.written ? root->storage->home_only : root->storage->at_home;
    if (!ready.load(std::memory_order_acquire)) status_ = std::min(status_, runtime.bring_home(t));
    if (t.written && runtime.losses_) runtime.note_native_write(*root);
  }
}

bool Runtime::is_at_home(const Touched& bytes) {
  Storage& storage = *bytes.memory->root()->storage;
  if (storage.at_home.load(std::memory_order_acquire)) return true;
  const Lock lock(executor_.mutex());
  return storage.regions.missing(0, bytes_of(bytes)).empty();
}

// Nothing is captured meanwhile. One thread at a time: another's copy could undo what the program's command
// after this one writes.
cl_int Runtime::bring_home(const Touched& bytes) {
  Lock lock(executor_.mutex());
  while (coming_home_) {
    lock.unlock();
    executor_.wait_until([&]() REQUIRES(executor_.mutex()) { return !coming_home_; });
    lock.lock();
  }
  if (failed() < 0) return failed();
  Memory& root = *bytes.memory->root();
  Storage& storage = *root.storage;
  // The journal knows native writes of whole buffers only.
  const ByteRanges touched = losses_ ? ByteRanges(0, root.size) : bytes_of(bytes);
  if (losses_) losses_->tell(root);
  if (!storage.regions.nowhere(touched).empty() && !bytes.written) return CL_OUT_OF_RESOURCES;
  const auto sources = storage.regions.sources(storage.regions.missing(0, touched));
  coming_home_ = true;
  lock.unlock();
  cl_int status = CL_SUCCESS;
  for (const RegionMap::Source& source : sources) {
    if (status == CL_SUCCESS) status = copy_home(root, source);
  }
  lock.lock();
  coming_home_ = false;
  executor_.wake_waiters();
  if (status != CL_SUCCESS) return status;
  for (const RegionMap::Source& source : sources) {
    if (storage.history) storage.history->held[0].copy(source.ranges, storage.history->held[source.domain]);
  }
  storage.regions.add_valid(0, touched);
  if (bytes.written) storage.regions.set_only_valid(0, touched);
  note_places(storage);
  return CL_SUCCESS;
}

// Bytes that are valid there, so there is an object for them.
cl_int Runtime::copy_home(Memory& root, const RegionMap::Source& source) {
  Storage& storage = *root.storage;
  const Lane& from = *domains_[source.domain].transfer;
  const Lane& to = *domains_[0].transfer;
  const cl_mem from_memory = storage.in_domain(root, source.domain, from.native_context);
  const cl_ulong began = session_.trace.on() ? host_nanoseconds() : 0;
  const cl_int status =
      copy_between(executor_.devices(), storage, from, from_memory, to, root.native.get(), source.ranges);
  if (session_.trace.on()) {
    const int64_t ahead = executor_.home().clock_offset;
    session_.trace.add(transfer_line({std::nullopt, storage.number, source.ranges.total(), source.domain, 0,
                                      began + ahead, host_nanoseconds() + ahead}));
  }
  if (status == CL_SUCCESS) {
    session_.summary.add_bytes_moved(source.ranges.total());
  } else {
    log(LogLevel::error, "bringing a buffer home failed (" + std::to_string(status) + ")");
  }
  return status;
}

void Runtime::note_native_write(Memory& root) {
  Journal::Deeds dropped;  // after the lock
  const Lock lock(executor_.mutex());
  losses_->note_native_write(root);
  dropped = losses_->trim();
}

void Runtime::note_places(Storage& storage) const {
  const bool at_home = storage.regions.all_valid(0);
  bool elsewhere = false;
  for (size_t d = 1; d < domains_.count(); ++d)
    elsewhere |= storage.regions.any_valid(static_cast<int>(d));
  storage.at_home.store(at_home, std::memory_order_release);
  storage.home_only.store(at_home && !elsewhere, std::memory_order_release);
}

void Runtime::enter_captured_regime() {
  std::vector<NativeEnd> markers = native_work_.take();
  const Lock lock(executor_.mutex());
  if (markers.empty()) return epoch_.begin(nullptr);
  const auto on_program_lane = [&](Action::Work work) REQUIRES(executor_.mutex()) {
    Ref<Action> action(new Action(executor_.program(), nullptr, std::move(work)));
    action->order = epoch_.take_places(1);
    return action;
  };
  const Ref<Action> entry = on_program_lane([](const auto&) { return Action::Outcome{}; });
  for (NativeEnd& marker : markers) {
    const Ref<Action> end = on_program_lane(end_of_native(std::move(marker)));
    entry->wait_for(*end);
    executor_.push(end);
  }
  executor_.push(entry);
  epoch_.begin(entry);
}

void Runtime::leave_captured_regime() {
  epoch_.end();
  outcomes_.all_done();
}

}  // namespace mkmd
