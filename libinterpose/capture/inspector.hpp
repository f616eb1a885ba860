// SPDX-License-Identifier: Apache-2.0
// The Inspector looks into buffers whose contents are indices. Some kernels write where a loaded number says,
// so that only those contents tell whether work-groups meet. It reads them while nothing may change them, and
// keeps what they have shown.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/capture/domains.hpp"
#include "libinterpose/capture/estimates.hpp"
#include "libinterpose/capture/native_work.hpp"
#include "libinterpose/commands/command.hpp"
#include "libinterpose/commands/contents.hpp"

#include <map>
#include <optional>

namespace mkmd {

class Inspector {
public:
  Inspector(const Context& context, Session& session, const Domains& domains, Estimates& estimates,
            NativeWork& native_work)
      : session_(session), domains_(domains), estimates_(estimates), native_work_(native_work),
        reader_(context, session.configuration.home.id) {}

  // Whether contents may show more of the launch than its description does.
  static bool may_help(const KernelLaunch& launch);

  // The executor's mutex is held, and no native turn lives, in the next three. Which bytes there are now.
  // None: no contents tell anything, since the launch may change them itself, or home does not have them.
  std::optional<Inspection> now(const KernelLaunch& launch) const;
  // What was shown of the launch, if nobody has been asked to write its index buffers since.
  std::shared_ptr<const Inspection> known(const KernelLaunch& launch, const Inspection& now) const;
  // The command is captured: forgets what it has shown if it no longer holds.
  void admit(Command& command) const;

  // False: looking has shown nothing, too lately, or the index buffers may not be read. Each call counts as a
  // launch.
  bool is_due(const KernelLaunch& launch);
  // `now`: of this launch, while nothing was captured and no work may have waited for the program. `before`:
  // behind native work that was under way then. It waits for that, and for its own reading, no longer than
  // the budget lasts. Null: finding out would cost too much.
  std::shared_ptr<const Inspection> inspect(const KernelLaunch& launch, Inspection now,
                                            const std::vector<NativeEnd>& before);

private:
  // A launch, and what its index buffers had in them when it was looked at.
  using AllContents = std::vector<std::vector<unsigned char>>;  // by argument; of those that were read
  struct Kept {
    std::weak_ptr<const LaunchFacts> facts;
    std::vector<uint64_t> places;  // of its arguments
    AllContents contents;
    std::shared_ptr<const Inspection> shown;
  };
  // Of a kernel.
  struct InVain {
    uint32_t times = 0;    // in a row
    uint32_t to_skip = 0;  // launches, before one is looked at again
  };

  Kept* find(const KernelLaunch& launch) const REQUIRES(mutex_);
  std::shared_ptr<const Inspection> keep(const KernelLaunch& launch, AllContents contents,
                                         std::shared_ptr<const Inspection> shown) REQUIRES(mutex_);
  void note_outcome(const KernelLaunch& launch, bool in_vain);
  timing::RegretBudget& budget();  // with the turn
  double seconds_left(double now);
  void spend(double seconds);
  std::optional<AllContents> read(const KernelLaunch& launch, double end);
  std::shared_ptr<const Inspection> shown_again(const KernelLaunch& launch, const Inspection& now,
                                                const AllContents& contents);
  std::shared_ptr<const Inspection> look(const KernelLaunch& launch, Inspection now, double end);

  Session& session_;
  const Domains& domains_;
  Estimates& estimates_;
  NativeWork& native_work_;
  ContentsReader reader_;
  mutable Mutex mutex_;                                    // a leaf
  mutable std::vector<Kept> kept_ GUARDED_BY(mutex_);      // the last ones at the end
  std::map<uint64_t, InVain> in_vain_ GUARDED_BY(mutex_);  // by the kernel's number
  uint64_t next_ GUARDED_BY(mutex_) = 1;
};

}  // namespace mkmd
