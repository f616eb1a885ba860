// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/code_builder.hpp"

#include "common/host_clock.hpp"
#include "libinterpose/life/roomy_stack.hpp"

#include <chrono>

namespace mkmd {

namespace {

thread_local int own_calls = 0;  // of this thread

}  // namespace

CodeBuilder::Call::Call(CodeBuilder& builder) : builder_(builder) {
  Lock lock(builder_.mutex_);
  builder_.changed_.wait(lock.to_wait(), [&]() REQUIRES(builder_.mutex_) {
    return builder_.paused_ == 0 || builder_.stopped_ || own_calls > 0;
  });
  ++builder_.calls_;
  ++own_calls;
  allowed_ = !builder_.stopped_;
}

CodeBuilder::Call::~Call() {
  const Lock lock(builder_.mutex_);
  --builder_.calls_;
  --own_calls;
  builder_.changed_.notify_all();
}

void CodeBuilder::make(SubKernels& sub_kernels, const CodePlaces& places) {
  call_with_room([&] { make_here(sub_kernels, places); });
}

void CodeBuilder::make_here(SubKernels& sub_kernels, const CodePlaces& places) {
  const Call call(*this);
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
  const auto job = std::make_shared<Job>(Job{std::move(sub_kernels), places, {}, std::move(after)});
  for (const CodePlace& place : places.all)
    if (place.context != nullptr) job->contexts.push_back(vendor::retained(place.context));
  if (thread_.add([this, job] { work_on(*job); })) return;
  const Call call(*this);
  if (call.is_allowed()) make(*job->sub_kernels, places);
}

void CodeBuilder::work_on(Job& job) {
  wait_for(job);
  const Call call(*this);  // outlives the job, whose release calls drivers
  const Job last = std::move(job);
  if (!call.is_allowed()) return;
  if (last.sub_kernels.use_count() > 1) make(*last.sub_kernels, last.places);  // else the program has gone
}

// A command that never ends must not keep other programs from their code.
void CodeBuilder::wait_for(const Job& job) {
  constexpr std::chrono::milliseconds kStep{1};
  constexpr int kMost = 1000;  // steps
  for (int i = 0; i < kMost && job.after; ++i) {
    {
      const Call call(*this);
      if (vendor::execution_status(job.after.get()) <= CL_COMPLETE) return;
    }
    Lock lock(mutex_);
    if (changed_.wait_for(lock.to_wait(), kStep, [&]() REQUIRES(mutex_) { return stopped_; })) return;
  }
}

// A driver may fork while it builds, on this thread or on one of its own that holds up the build.
bool CodeBuilder::pause() {
  constexpr std::chrono::seconds kLongest{10};
  Lock lock(mutex_);
  ++paused_;
  return changed_.wait_for(lock.to_wait(), kLongest, [&]() REQUIRES(mutex_) { return calls_ <= own_calls; });
}

void CodeBuilder::resume() {
  const Lock lock(mutex_);
  if (paused_ > 0) --paused_;
  changed_.notify_all();
}

void CodeBuilder::stop() {
  {
    const Lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  thread_.stop();
  Lock lock(mutex_);
  changed_.wait(lock.to_wait(), [&]() REQUIRES(mutex_) { return calls_ <= own_calls; });
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
