// SPDX-License-Identifier: Apache-2.0
// Runs the helper as a guest of the user's process. The program's waitpid(-1) and SIGCHLD handler never see
// it. The program's signal handlers, environment and files do not reach it. Nothing of it is left when
// run_helper returns.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "common/status.hpp"
#include "common/thread_annotations.hpp"

namespace mkmd::compiler {

// Codes of run_helper's Status that mean: the next time will be no better.
inline constexpr int kHelperCannotStart = -9998, kHelperTooLate = -9997;

// Helpers that run beside the program, which shall not be the slower for them: at a low priority. Where the
// program keeps all cores busy they get a tenth of one, and may take ten times as long. Thread-safe.
class Beside {
public:
  // For good: those that run are ended, and later ones do not begin. run_helper() returns soon.
  void cancel();

  // A run of a helper, whose keeper may be told to end it. See run_helper().
  class Run {
  public:
    // `beside`: null: nobody tells it. `cancelled`: where the keeper looks.
    Run(Beside* beside, pid_t keeper, std::atomic<uint32_t>& cancelled);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // False: it has not ended. `is_done`: it has said that it is about to.
    bool reap(bool is_done);

  private:
    friend class Beside;
    void cancel() const;

    Beside* const beside_;
    const pid_t keeper_;
    std::atomic<uint32_t>& cancelled_;
  };
  bool is_cancelled() const;

private:
  mutable Mutex mutex_;
  bool cancelled_ GUARDED_BY(mutex_) = false;
  std::vector<Run*> runs_ GUARDED_BY(mutex_);
};

// Sends `input` to the helper's standard input and gives back what it writes to its standard output. A helper
// that fails, crashes, is killed or takes longer than `seconds` is a Status. `beside`: null if somebody
// waits.
Result<std::string> run_helper(const std::string& path, std::string_view input, int seconds,
                               Beside* beside = nullptr);

}  // namespace mkmd::compiler
