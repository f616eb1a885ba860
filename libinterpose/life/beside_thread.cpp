// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/life/beside_thread.hpp"

#include "common/signals_blocked.hpp"

#include <system_error>
#include <utility>

namespace mkmd {

BesideThread::~BesideThread() {
  stop();
  std::thread thread;
  {
    const Lock lock(mutex_);
    thread.swap(thread_);
  }
  if (thread.joinable()) thread.join();
}

bool BesideThread::add(std::function<void()> work) {
  const Lock lock(mutex_);
  if (stopped_) return false;
  if (!thread_.joinable()) {
    const SignalsBlocked blocked;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      return false;
    }
  }
  waiting_.push_back(std::move(work));
  changed_.notify_all();
  return true;
}

void BesideThread::stop() {
  Lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
  if (thread_.get_id() == std::this_thread::get_id()) return;
  changed_.wait(lock.to_wait(), [&]() REQUIRES(mutex_) { return !at_work_; });
}

void BesideThread::run() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock.to_wait(), [&]() REQUIRES(mutex_) { return stopped_ || !waiting_.empty(); });
    if (stopped_) return;
    at_work_ = true;
    {
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      work();
    }  // what it holds is released without the mutex
    lock.lock();
    at_work_ = false;
    changed_.notify_all();
  }
}

}  // namespace mkmd
