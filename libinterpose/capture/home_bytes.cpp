// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/home_bytes.hpp"

#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "libinterpose/capture/trace_plan.hpp"
#include "libinterpose/commands/careful.hpp"
#include "libinterpose/commands/submit.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace mkmd {

namespace {

// Of the root buffer. All of it if they are not in order: drivers may take the command, and touch bytes
// beside.
ByteRanges bytes_of(const Touched& t) {
  if (!t.only || !t.memory->is_buffer || !t.memory->has(t.only->offset, t.only->size))
    return ByteRanges(0, t.memory->root()->size);
  const auto [offset, size] = *t.only;
  return ByteRanges(t.memory->origin + offset, t.memory->origin + offset + size);
}

}  // namespace

bool HomeBytes::are_valid(const Touched& bytes) {
  Storage& storage = *bytes.memory->root()->storage;
  if (storage.at_home.load(std::memory_order_acquire)) return true;
  const Lock lock(executor_.mutex());
  return storage.regions.missing(0, bytes_of(bytes)).empty();
}

bool HomeBytes::are_remembered(const Touched& bytes) {
  const auto& history = bytes.memory->root()->storage->history;
  return history && history->deeds.load(std::memory_order_relaxed) > 0;
}

cl_int HomeBytes::make_valid(std::span<const Touched> touched) {
  if (!domains_.separate() && losses_ == nullptr) return CL_SUCCESS;
  cl_int status = CL_SUCCESS;
  std::vector<std::pair<const Touched*, bool>> written;  // and whether all of it was at home alone
  for (const Touched& t : touched) {
    if (t.memory == nullptr) continue;
    Memory* root = t.memory->root();
    // What is of another context the vendor refuses.
    if (!root->storage || root->context.get() != &context_) continue;
    const auto& ready = t.written ? root->storage->home_only : root->storage->at_home;
    const bool is_ready = ready.load(std::memory_order_acquire);
    if (!is_ready) status = std::min(status, bring(t));
    if (t.written && losses_ != nullptr) written.emplace_back(&t, is_ready);
  }
  for (size_t i = 0; i < written.size() && status >= 0; ++i)
    note_written(*written[i].first, written[i].second);
  return status;
}

// One thread at a time: another's copy could undo what the program's command after this one writes.
cl_int HomeBytes::bring(const Touched& bytes) {
  Lock lock(executor_.mutex());
  while (copying_) {
    lock.unlock();
    executor_.wait_until([&]() REQUIRES(executor_.mutex()) { return !copying_; });
    lock.lock();
  }
  if (executor_.failed() < 0) return executor_.failed();
  Memory& root = *bytes.memory->root();
  Storage& storage = *root.storage;
  const ByteRanges touched = bytes_of(bytes);
  if (losses_ != nullptr) losses_->tell(root);
  // A kernel that may write bytes may also read them.
  const bool overwrites =
      bytes.written && bytes.only && bytes.memory->has(bytes.only->offset, bytes.only->size);
  if (!overwrites && !storage.regions.nowhere(touched).empty()) return CL_OUT_OF_RESOURCES;
  const ByteRanges missing = storage.regions.missing(0, touched);
  const auto sources = storage.regions.sources(missing);
  const ByteRanges originals = losses_ != nullptr ? losses_->will_overwrite(root, missing) : ByteRanges();
  copying_ = true;
  lock.unlock();
  bool begun = false;  // to overwrite
  cl_int status = CL_SUCCESS;
  if (!originals.empty())
    status =
        keep_originals(executor_.devices(), storage, *domains_[0].transfer, root.native.get(), originals);
  for (const RegionMap::Source& source : sources) {
    if (status == CL_SUCCESS) status = copy(root, source, begun);
  }
  lock.lock();
  copying_ = false;
  executor_.posts().wake_waiters();
  for (const RegionMap::Source& source : sources) {
    if (!storage.history) continue;
    History& history = *storage.history;
    if (status == CL_SUCCESS) {
      history.held[0].copy(source.ranges, history.held[source.domain]);
    } else if (begun) {
      history.held[0].set(source.ranges, Versions::kNone);  // some of it may have been overwritten
      storage.regions.remove_valid(0, source.ranges);
    }
  }
  if (status != CL_SUCCESS) return status;
  storage.regions.add_valid(0, touched);
  if (bytes.written) storage.regions.set_only_valid(0, touched);
  note_places(storage);
  return CL_SUCCESS;
}

// Bytes that are valid there, so there is an object for them.
cl_int HomeBytes::copy(Memory& root, const RegionMap::Source& source, bool& begun) {
  Storage& storage = *root.storage;
  const Lane& from = *domains_[source.domain].transfer;
  const Lane& to = *domains_[0].transfer;
  const cl_mem from_memory = storage.in_domain(root, source.domain, from.native_context);
  const cl_ulong began = session_.trace.on() ? host_nanoseconds() : 0;
  const cl_int status = copy_between(executor_.devices(), storage, from, from_memory, to, root.native.get(),
                                     source.ranges, begun);
  if (session_.trace.on()) {
    const int64_t ahead = executor_.lanes().home().clock_offset;
    session_.trace.add(transfer_line({std::nullopt, storage.number, source.ranges.total(), source.domain, 0,
                                      began + ahead, host_nanoseconds() + ahead}));
  }
  if (status == CL_SUCCESS) {
    session_.summary.add_bytes_moved(source.ranges.total());
  } else {
    executor_.devices().look_after(from);
    const bool lost = executor_.devices().is_lost(from.domain);
    log(lost ? LogLevel::info : LogLevel::error,
        "copying a buffer to the home device failed (" + std::to_string(status) + ")");
  }
  return status;
}

void HomeBytes::note_places(Storage& storage) const {
  const bool at_home = storage.regions.all_valid(0);
  bool elsewhere = false;
  for (size_t d = 1; d < domains_.count(); ++d)
    elsewhere |=
        !storage.regions.is_home(static_cast<int>(d)) && storage.regions.any_valid(static_cast<int>(d));
  storage.at_home.store(at_home, std::memory_order_release);
  storage.home_only.store(at_home && !elsewhere, std::memory_order_release);
}

void HomeBytes::note_written(const Touched& bytes, bool was_home_only) {
  Memory& root = *bytes.memory->root();
  if (was_home_only && root.storage->history->deeds.load(std::memory_order_relaxed) == 0)
    return;                // no recovery needs the bytes from before
  Journal::Deeds dropped;  // after the lock
  const Lock lock(executor_.mutex());
  losses_->note_native_write(root, bytes_of(bytes));
  dropped = losses_->trim();
}

}  // namespace mkmd
