// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/code_builder.hpp"

#include "common/host_clock.hpp"
#include "common/signals_blocked.hpp"

#include <chrono>
#include <system_error>

namespace mkmd {

CodeBuilder::~CodeBuilder() {
  stop();
  std::thread thread;
  {
    const Lock lock(mutex_);
    thread.swap(thread_);
  }
  if (thread.joinable()) thread.join();
}

void CodeBuilder::make(SubKernels& sub_kernels, const CodePlaces& places) {
  double seconds = 0;  // that drivers took
  make_piece_code(sub_kernels, places, [&](const SubKernels& of, const CodePlace& place) {
    const double began = host_seconds();
    BuiltCode built = build_(of, place);
    if (built.program) seconds += host_seconds() - began;
    if (built_ != nullptr) built_();
    return built;
  });
  if (seconds > 0) seconds_.store(seconds, std::memory_order_relaxed);
  say_refusals(sub_kernels, places);
}

void CodeBuilder::make_beside(std::shared_ptr<SubKernels> sub_kernels, const CodePlaces& places,
                              vendor::Owned<cl_event> after) {
  {
    const Lock lock(sub_kernels->mutex);
    if (std::exchange(sub_kernels->wanted, true)) return;
  }
  Job job{std::move(sub_kernels), places, {}, std::move(after)};
  for (const CodePlace& place : places.all) {
    if (place.context == nullptr) continue;
    job.contexts.push_back(vendor::retained(place.context));
  }
  {
    const Lock lock(mutex_);
    if (stopped_) return;
    if (start_thread()) {
      jobs_.push_back(std::move(job));
      changed_.notify_all();
      return;
    }
  }
  make(*job.sub_kernels, places);
}

bool CodeBuilder::start_thread() {
  if (thread_.joinable()) return true;
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void CodeBuilder::run() {
  Job job;  // before the lock: a driver is called when it is let go of
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock.to_wait(), [&]() REQUIRES(mutex_) { return stopped_ || !jobs_.empty(); });
    if (stopped_) return;
    job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    wait_for(job);
    lock.lock();
    changed_.wait(lock.to_wait(), [&]() REQUIRES(mutex_) { return stopped_ || paused_ == 0; });
    if (stopped_) return;
    building_ = true;
    lock.unlock();
    if (job.sub_kernels.use_count() > 1) make(*job.sub_kernels, job.places);  // else the program has gone
    job = {};
    lock.lock();
    building_ = false;
    changed_.notify_all();
  }
}

// A command that never ends must not keep other programs from their code.
void CodeBuilder::wait_for(const Job& job) {
  constexpr std::chrono::milliseconds kStep{1};
  constexpr int kMost = 1000;  // steps
  Lock lock(mutex_);
  for (int i = 0; i < kMost && job.after && !stopped_; ++i) {
    lock.unlock();
    const bool over = vendor::execution_status(job.after.get()) <= CL_COMPLETE;
    lock.lock();
    if (over) return;
    changed_.wait_for(lock.to_wait(), kStep, [&]() REQUIRES(mutex_) { return stopped_; });
  }
}

// A driver may fork while it builds, on this thread or on one of its own that holds up the build.
bool CodeBuilder::pause() {
  constexpr std::chrono::seconds kLongest{2};
  Lock lock(mutex_);
  ++paused_;
  if (std::this_thread::get_id() == thread_.get_id()) return true;
  return changed_.wait_for(lock.to_wait(), kLongest, [&]() REQUIRES(mutex_) { return !building_; });
}

void CodeBuilder::resume() {
  const Lock lock(mutex_);
  if (paused_ > 0) --paused_;
  changed_.notify_all();
}

void CodeBuilder::stop() {
  Lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
  changed_.wait(lock.to_wait(), [&]() REQUIRES(mutex_) { return !building_; });
}

void CodeBuilder::say_refusals(SubKernels& sub_kernels, const CodePlaces& places) {
  const char* const then = can_be_divided(sub_kernels, places) == HasCode::yes
                               ? "; the other devices go on"
                               : "; its kernels run whole on the home device";
  for (size_t place = 0; place < places.all.size(); ++place) {
    std::string why;
    {
      const Lock lock(sub_kernels.mutex);
      why = sub_kernels.code[place].why;
    }
    if (why.empty()) continue;
    const std::string& devices = places.all[place].devices;
    bool is_new = false;
    {
      const Lock lock(mutex_);
      is_new = refusing_.insert(devices).second;
    }
    std::string line = devices;
    line.append(" gets no pieces of ").append(name_of(sub_kernels)).append(": ").append(why).append(then);
    log(is_new ? refusals_ : LogLevel::info, line);
  }
}

}  // namespace mkmd
