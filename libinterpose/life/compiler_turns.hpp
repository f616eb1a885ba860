// SPDX-License-Identifier: Apache-2.0
// Turns at a driver's compiler, which does one thing at a time. Builds of the program may be under way
// together. A question of ours has its turn alone, so that it does not wait inside the driver. Thread-safe.
#pragma once

#include "common/thread_annotations.hpp"

#include <condition_variable>

namespace mkmd {

class CompilerTurns {
public:
  // While it lives, the driver may compile for the program. Waits for a question that is under way.
  class Build {
  public:
    explicit Build(CompilerTurns& turns) : turns_(turns) {
      Lock lock(turns_.mutex_);
      turns_.changed_.wait(lock.to_wait(), [&]() REQUIRES(turns_.mutex_) { return !turns_.asks_; });
      ++turns_.builds_;
    }
    ~Build() {
      const Lock lock(turns_.mutex_);
      --turns_.builds_;
    }
    Build(const Build&) = delete;
    Build& operator=(const Build&) = delete;

  private:
    CompilerTurns& turns_;
  };

  // While it lives and has its turn, no build of the program begins.
  class Question {
  public:
    explicit Question(CompilerTurns& turns) : turns_(turns) {
      const Lock lock(turns_.mutex_);
      has_turn_ = turns_.builds_ == 0 && !turns_.asks_;
      turns_.asks_ |= has_turn_;
    }
    ~Question() {
      if (!has_turn_) return;
      const Lock lock(turns_.mutex_);
      turns_.asks_ = false;
      turns_.changed_.notify_all();
    }
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

    bool has_turn() const { return has_turn_; }  // false: the driver is compiling

  private:
    CompilerTurns& turns_;
    bool has_turn_ = false;
  };

private:
  Mutex mutex_;
  std::condition_variable changed_;
  int builds_ GUARDED_BY(mutex_) = 0;
  bool asks_ GUARDED_BY(mutex_) = false;
};

}  // namespace mkmd
