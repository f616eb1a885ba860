// SPDX-License-Identifier: Apache-2.0
// The one owner of the question "is it worth it?" (Rule 15). Asked about a launch, it answers: to home, whole
// to a quicker device, into a window, or into a window as an experiment. Told what windows took and what the
// best single device would have taken, it learns which launches lose time. It knows values only and no clock:
// every time comes from the caller. Profitability, at the end, is where to start reading.
#pragma once

#include "libinterpose/timing/rivalry.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace mkmd::timing {

// All constants of what follows. Seconds, or ratios of them. It has more than 15 fields: each is a number
// with its reason, and whoever weighs one of them wants to see the others.
inline constexpr struct Limits {
  // A launch must be predicted to take so long beyond a device's fixed cost of any launch. Below, a second
  // piece costs more than it saves: preparing one takes a core 20 microseconds, which a device may need.
  double worth_splitting = 60e-6;
  // A launch runs whole on another device than home if that is predicted to save so long. Capturing it costs
  // the program about as much, until the times of windows show how much it is.
  double worth_moving_whole = 20e-6;
  // So many shapes of a kernel are launched whole to show what the best single device takes.
  int shapes_to_compare = 4;
  // An enqueue asks again about a launch like the last one after so many of them.
  unsigned launches_per_answer = 64;

  // The best of so many last windows counts: a busy machine makes windows longer, nothing makes them shorter.
  size_t windows = 4;
  // So many, all lost, are enough for doubt: the first one has what drivers do once, and one more may have
  // met a busy moment.
  size_t windows_to_doubt = 3;
  // A window has lost if it took this many times what was estimated for home,
  double lost_against_estimate = 1.1;
  // or this many times what was measured there.
  double lost_against_measurement = 1.04;
  // Home's time counts as measured if this share of it was.
  double measured_share = 0.9;

  // All exploring may cost so many seconds at once, and this share of the time (RegretBudget).
  double free_exploring = 20e-3;
  double regret = 0.02;
  // The same for a look into index buffers where the user named a policy, which may explore as it likes.
  double free_looking = 1;
  double looking = 0.1;
  // No launch is held up for longer by such a look, whoever pays for it.
  double longest_look = 1;
  // A kernel that has lost a second is not retried within 50 seconds (1 / regret). Each further loss halves
  // the share of time that its retries may cost, down to this share.
  double least_regret = 0.0001;
  // A retry counts as at least so many seconds lost.
  double least_loss = 10e-6;

  // What a kernel takes on a device where it was never measured may be this many times its prediction.
  double caution = 16;
  // A sample of a rival is at least so long.
  double shortest_sample = 300e-6;
  // So many samples, unless the rival takes this many times as long.
  int samples_of_rival = 3;
  double clearly_slower = 3;
  // Data moves to a rival that takes less than this share of the time.
  double worth_moving = 0.97;

  // A kernel that is new makes so many windows exploring ones. That is long enough to see whether capturing
  // gains; if it does not, launches can go to home after the last.
  int windows_for_new = 5;
  // A retry is one such window.
  int windows_for_retry = 1;
  // An exploring window has so many commands at most, so that little is planned before its outcome is known.
  // Nor does it go on once home would take free_exploring for it: a window that takes twice as long then
  // loses about what may be lost at once.
  size_t commands_to_explore = 16;
  // The program waits for an exploring window, but no longer than this: longer ones have taught enough.
  double longest_wait = 0.1;
  // A window may run at home, to be compared with, once no more than so many exploring ones are left. The
  // first ones show whether splitting seems to lose at all.
  int windows_before_home = 3;
} kLimits;

// What the answers depend on besides measurements.
struct Setting {
  // The policy wants kernels divided whatever that brings.
  bool regardless_of_gain = false;
  // Launches that lose go home. Not under a policy that the user named, which is obeyed, and not on an
  // emulated machine, where home runs at the real device's speed.
  bool may_leave_alone = true;
  // Home is all devices at once. What pieces took then says what home would take.
  bool home_is_sum = false;
  size_t devices = 1;
};

// The outcomes of windows with launches of one kernel and of about one length.
class Outcomes {
public:
  // For the program's next run, which begins where this one ends.
  struct Kept {
    std::array<double, kLimits.windows> ratios{};
    size_t noted = 0;
    double lost_from = kLimits.lost_against_estimate;
    double wait = 0;  // seconds until there may be a retry
    double regret = kLimits.regret;
    double last_loss = 0;
  };
  Outcomes() = default;
  Outcomes(const Kept& kept, double now);
  Kept keep(double now) const;

  // A window took `taken` seconds, home would have taken `at_home`, and `measured` of these were measured.
  // `first`: a kernel was new in it. Drivers did things then that they do once: how much was lost, is not
  // known.
  void note(double taken, double at_home, double measured, double now, bool first = false);
  // Until this retry's outcome is known, there is no other.
  void begin_retry(double at_home, double now);
  double last_loss() const { return last_loss_; }  // seconds
  // A window with such launches is under way until `*under_way` is false, or nobody holds it any more.
  void await(const std::shared_ptr<const bool>& under_way) { under_way_ = under_way; }

  bool lost() const;       // at the last windows
  bool only_lost() const;  // it has lost so far, at too few windows to say so: what it loses is paid for
  // And so often that it goes on only if that can be paid.
  bool in_doubt() const { return only_lost() && noted_ >= kLimits.windows_to_doubt; }
  // It has lost so far, and the next outcome is about to be known.
  bool is_awaited() const;
  // What the next window is expected to lose, in seconds.
  double expected_loss() const { return lost() || only_lost() ? last_loss_ : 0; }
  // Lost, and it is too early for a retry.
  bool discourages(double now) const { return lost() && now < again_; }

private:
  std::array<double, kLimits.windows> ratios_{};
  size_t noted_ = 0;
  double lost_from_ = kLimits.lost_against_estimate;
  double again_ = 0;
  double regret_ = kLimits.regret;
  double last_loss_ = 0;
  std::weak_ptr<const bool> under_way_;  // the last window that is or was
};

// By the length of launches: there is a class for every power of 16 of their seconds at home.
class OutcomesByLength {
public:
  using Kept = std::map<int, Outcomes::Kept>;
  Kept keep(double now) const;
  void recall(const Kept& kept, double now);  // of an earlier run

  // Of launches that take so long at home; null: there are none.
  const Outcomes* find(double at_home) const;
  Outcomes& of(double at_home);

private:
  std::map<int, Outcomes> by_length_;
};

// What is known of a kernel; all contexts of the process share it.
class KernelHistory {
public:
  // True the first time in this process.
  bool meet() { return !std::exchange(met_, true); }
  bool is_met() const { return met_; }
  bool is_new() const { return !met_ && !known_; }  // no run of the program has met it

  struct Kept {
    OutcomesByLength::Kept captured, moved, split;
  };
  Kept keep(double now) const { return {captured.keep(now), moved.keep(now), split.keep(now)}; }
  // Of earlier runs.
  void recall(const Kept& kept, double now) {
    known_ = true;
    captured.recall(kept.captured, now);
    moved.recall(kept.moved, now);
    split.recall(kept.split, now);
  }

  OutcomesByLength captured;  // what windows took against home, where the launch was split or stayed there
  OutcomesByLength moved;     // the same, where it ran whole on another device
  OutcomesByLength split;     // what windows took against another device that is quicker than home

private:
  bool met_ = false;
  bool known_ = false;
};

// What is predicted of a launch, in seconds.
struct Launch {
  double first_device = 0;  // whole, on the first device
  double fixed = 0;         // of these: the device's fixed cost of any launch
  double at_home = 0;       // not looked at if the launch is too short, and no other device is quicker
  // Whole, on the device that is the quickest of those, home and its parts apart, on which the kernel was
  // measured. Infinite: there is none.
  double elsewhere = std::numeric_limits<double>::infinity();
  // Whether the quicker of the two, home and that device, was measured with such launches, whole. No value:
  // where that is not asked, since no split was measured, or other things show it.
  std::optional<bool> best_was_measured = std::nullopt;
};

enum class Verdict {
  native,   // it goes to home, or stays whole there if it is captured
  move,     // it is captured, and runs whole on a device that is quicker than home
  capture,  // it may be split
  explore,  // the same, in a window that shows whether splitting gains
};

enum class Reason {
  gain_expected,
  too_short,
  lost_before,  // and it is too early for a retry
  new_kernel,
  explored_enough,  // too little is known of the kernel, and its next loss could not be paid, or is under way
  retry,
  comparison,  // it shows what the best single device takes
};
const char* to_string(Reason reason);  // a literal

struct Decision {
  Verdict verdict = Verdict::capture;
  Reason reason = Reason::gain_expected;
};

// What came of a window of commands, in the making: first what was planned, then what ran.
class Window {
public:
  Window(const Setting& setting, bool measures_home) : setting_(setting), measures_home_(measures_home) {}

  // Every kernel of the window is to run at home, so that it is known how long they take.
  bool measures_home() const { return measures_home_; }

  // What a command is, as far as home's time for it is concerned.
  enum class Kind {
    kernel,
    placed,  // a fill or copy that is made in whichever memories need it
    other,
  };
  // A launch that was decided on.
  void plan(std::shared_ptr<KernelHistory> kernel, const Launch& launch, Decision decision);
  // A placed command, which home would take so long for.
  void plan(double at_home) {
    at_home_ += at_home;
    elsewhere_ += at_home;
  }

  // A part of a command that ran.
  struct Ran {
    Kind kind = Kind::other;
    double seconds = 0;
    double share = 1;      // of the command
    bool at_home = false;  // of kernels: on all devices at once
    // Of kernels: what launches just like the whole one have taken at home; 0: none has run there.
    double known_at_home = 0;
  };
  void ran(const Ran& part);

  double at_home() const { return at_home_; }    // seconds that home alone would have taken
  double measured() const { return measured_; }  // of these: as launches like them have taken there
  // Seconds that the best single device would have taken, for all of the window.
  double at_best() const { return moves_ ? std::min(at_home_, elsewhere_) : at_home_; }
  bool has_retry() const { return retry_; }
  bool explores() const { return explores_; }

private:
  friend class Profitability;

  Setting setting_;
  bool measures_home_;
  double at_home_ = 0;
  double measured_ = 0;
  double elsewhere_ = 0;  // if launches ran where they are quicker than at home
  bool moves_ = false;    // there are such launches
  bool retry_ = false;
  bool explores_ = false;   // what it loses is paid from the budget
  bool is_first_ = false;   // a kernel is met in it
  double paid_before_ = 0;  // before its outcome is known
  double comparing_ = 0;    // what comparisons may cost
  std::shared_ptr<bool> under_way_ = std::make_shared<bool>(true);
  // Launches that did not have to be captured.
  struct Captured {
    std::shared_ptr<KernelHistory> kernel;
    double at_home = 0;
    bool may_be_split = false;
  };
  std::vector<Captured> captured_;
};

// One context's. Calls come one at a time, also those of other contexts, which share histories. is_long() and
// setting() may be called any time.
class Profitability {
public:
  // `budget`: the process's. `teams`: see Rivalry; empty: no device has rivals.
  Profitability(const Setting& setting, RegretBudget& budget, std::vector<int> teams = {})
      : setting_(setting), budget_(budget), rivalry_(std::move(teams), budget) {}

  const Setting& setting() const { return setting_; }
  // Whether something that takes so long beyond the fixed cost of a launch is worth splitting.
  bool is_long(double seconds) const {
    return setting_.regardless_of_gain || seconds >= kLimits.worth_splitting;
  }

  // Between drivers that share cores.
  Rivalry& rivalry() { return rivalry_; }
  const Rivalry& rivalry() const { return rivalry_; }

  // What becomes of a launch while nothing is captured. A retry makes the next window an exploring one.
  Decision decide(const KernelHistory& kernel, const Launch& launch, double now);
  // The same of a launch in a window.
  Decision judge(const KernelHistory& kernel, const Launch& launch, double now) const;

  // A command enters the window, which home would take so long for; null: it is no kernel, or none to
  // explore. True: the window is an exploring one.
  bool take_in(KernelHistory* kernel, double at_home, double now);
  // The window explores. It begins when the ones before it are over.
  bool explores() const { return exploring_ > 0; }
  // An exploring window of so many commands shows enough: it closes, and the program waits for it.
  bool shows_enough(size_t commands) const {
    return explores() && (commands >= kLimits.commands_to_explore || taken_in_ >= kLimits.free_exploring);
  }
  // The program waited for an exploring window for longest_wait, and it was not over.
  void waited_in_vain();
  // Nothing is captured any more.
  void captured_all_done() { waiting_helps_ = true; }

  // The window is about to be planned.
  Window open_window();
  // It has been, as far as it has been told. Null: it has not been opened.
  void close_window(Window* window, double now);
  // It is over. Times are of one clock; what is before the end of the last window is not of this one. Returns
  // the seconds it took.
  double observe(const Window& window, double began, double ended, double now);

  // The seconds to plan with of a launch on a device apart from home, on which its kernel was never measured.
  // They are more than `predicted` where a share in proportion to that could cost more than the budget has,
  // if the device takes kLimits.caution times as long.
  double cautious(double predicted, double at_home, double now) const;

  // Whether the launch would save time on another device than home, whole.
  bool pays_to_move(const Launch& launch) const {
    return setting_.may_leave_alone && !setting_.regardless_of_gain &&
           launch.elsewhere + kLimits.worth_moving_whole <= launch.at_home;
  }

private:
  static std::set<Outcomes*> captured_in(const Window& window);
  static std::set<Outcomes*> split_in(const Window& window);
  // What has lost is tried again, if the budget can pay for losing as much once more.
  bool may_retry(const Outcomes& lost, double now) const {
    return !lost.discourages(now) && budget_.left(now) >= lost.last_loss();
  }
  // Not while no gain is known, and the next loss is under way or could not be paid. Null: nothing is known.
  bool may_go_on(const Outcomes* known, double now) const {
    if (known == nullptr) return may_explore(now);
    if (known->is_awaited()) return false;
    return !known->only_lost() || may_explore(now, known->in_doubt() ? known->last_loss() : 0);
  }
  // Whether a new kernel may be tried; `loss`: seconds that trying it has lost the last time.
  bool may_explore(double now, double loss = 0) const {
    return !setting_.may_leave_alone || budget_.left(now) > loss;
  }

  const Setting setting_;
  RegretBudget& budget_;
  Rivalry rivalry_;
  int exploring_ = 0;             // windows to come
  double taken_in_ = 0;           // seconds that home would take for the next window
  bool met_one_ = false;          // the next window has a kernel that no run had met
  bool retry_decided_ = false;    // the next window explores
  bool waiting_helps_ = true;     // since something is captured, no wait was in vain
  bool home_window_due_ = false;  // an exploring window, or a later one, is to measure home
  bool seems_to_lose_ = false;    // the last window took longer than home is thought to take
  double last_end_ = 0;
};

}  // namespace mkmd::timing
