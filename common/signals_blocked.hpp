// SPDX-License-Identifier: Apache-2.0
// While it lives, this thread takes no signals. Threads that it starts take none for as long as they run.
// The program's signals are for the program's own threads.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace mkmd {

class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
  sigset_t before_;
};

}  // namespace mkmd
