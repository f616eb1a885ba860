// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/profitability.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd::timing {

namespace {

int length_class(double seconds) {
  return std::ilogb(seconds) >> 2;
}

// More than the launch takes split over devices that all are as quick as the best one.
double comparing_costs(const Launch& launch, const Setting& setting) {
  return std::min(launch.at_home, launch.elsewhere) * (1 - 1 / static_cast<double>(setting.devices));
}

}  // namespace

const char* to_string(Reason reason) {
  switch (reason) {
  case Reason::gain_expected:
    return "splitting it is expected to gain";
  case Reason::too_short:
    return "too short to split";
  case Reason::lost_before:
    return "planning and splitting such launches took more time than they saved";
  case Reason::new_kernel:
    return "the kernel is new";
  case Reason::explored_enough:
    return "it is not known whether splitting it gains, and finding out may not cost more for now";
  case Reason::retry:
    return "splitting such launches lost time, and is tried again";
  case Reason::comparison:
    return "this launch was to show how long the best single device takes";
  }
  return "";
}

Outcomes::Outcomes(const Kept& kept, double now)
    : ratios_(kept.ratios), noted_(kept.noted), lost_from_(kept.lost_from), again_(now + kept.wait),
      regret_(kept.regret), last_loss_(kept.last_loss) {}

Outcomes::Kept Outcomes::keep(double now) const {
  const size_t noted = noted_ < kLimits.windows ? noted_ : kLimits.windows + noted_ % kLimits.windows;
  return {ratios_, noted, lost_from_, std::max(again_ - now, 0.0), regret_, last_loss_};
}

void Outcomes::note(double taken, double at_home, double measured, double now, bool first) {
  if (taken <= 0 || at_home <= 0) return;
  ratios_[noted_++ % kLimits.windows] = taken / at_home;
  if (measured >= kLimits.measured_share * at_home) lost_from_ = kLimits.lost_against_measurement;
  last_loss_ = first ? 0 : std::max(taken - at_home, kLimits.least_loss);
  if (!lost()) {
    regret_ = kLimits.regret;
    return;
  }
  again_ = now + std::max(last_loss_, kLimits.least_loss) / regret_;
  regret_ = std::max(regret_ / 2, kLimits.least_regret);
}

void Outcomes::begin_retry(double at_home, double now) {
  if (lost()) again_ = std::max(again_, now + std::max(at_home, kLimits.least_loss) / regret_);
}

bool Outcomes::lost() const {
  return noted_ >= kLimits.windows && *std::min_element(ratios_.begin(), ratios_.end()) > lost_from_;
}

bool Outcomes::only_lost() const {
  if (noted_ == 0 || noted_ >= kLimits.windows) return false;
  return *std::min_element(ratios_.begin(), ratios_.begin() + noted_) > lost_from_;
}

bool Outcomes::is_awaited() const {
  const std::shared_ptr<const bool> under_way = under_way_.lock();
  return only_lost() && under_way != nullptr && *under_way;
}

const Outcomes* OutcomesByLength::find(double at_home) const {
  const auto found = by_length_.find(length_class(at_home));
  return found != by_length_.end() ? &found->second : nullptr;
}

Outcomes& OutcomesByLength::of(double at_home) {
  return by_length_[length_class(at_home)];
}

OutcomesByLength::Kept OutcomesByLength::keep(double now) const {
  Kept kept;
  for (const auto& [length, outcomes] : by_length_)
    kept.emplace(length, outcomes.keep(now));
  return kept;
}

void OutcomesByLength::recall(const Kept& kept, double now) {
  for (const auto& [length, outcomes] : kept)
    by_length_.insert_or_assign(length, Outcomes(outcomes, now));
}

void Window::plan(std::shared_ptr<KernelHistory> kernel, const Launch& launch, Decision decision) {
  if (measures_home_) return;
  retry_ |= decision.reason == Reason::retry;
  if (!setting_.home_is_sum) at_home_ += launch.at_home;
  const bool may_leave_home = decision.verdict != Verdict::native && std::isfinite(launch.elsewhere);
  elsewhere_ += may_leave_home ? launch.elsewhere : launch.at_home;
  moves_ |= may_leave_home && launch.elsewhere < launch.at_home;
  if (decision.reason == Reason::comparison) comparing_ += comparing_costs(launch, setting_);
  if (launch.best_was_measured.value_or(false) && launch.at_home <= launch.elsewhere)
    measured_ += launch.at_home;
  if (decision.verdict != Verdict::native)
    captured_.push_back({std::move(kernel), launch.at_home, decision.verdict != Verdict::move});
}

// Adds the seconds that the part would take at home. Where home is all devices at once, these are what such
// launches have taken there. Without such times they are what the kernels took here, all devices together.
// Elsewhere the plan has said how long.
void Window::ran(const Ran& part) {
  if (part.kind == Kind::placed || (part.kind == Kind::kernel && !setting_.home_is_sum)) return;
  double seconds = part.seconds;
  bool measured = setting_.home_is_sum;
  if (part.kind == Kind::kernel && !part.at_home) {
    seconds /= static_cast<double>(setting_.devices);
    measured = part.known_at_home > 0;
    // The devices' threads share a launch at least as well as pieces do: what took longer was disturbed.
    if (measured) seconds = std::min(seconds, part.known_at_home * part.share);
  }
  at_home_ += seconds;
  if (part.kind == Kind::other) elsewhere_ += seconds;
  if (measured) measured_ += seconds;
}

// Where a launch goes that is not split is a question of its own: whole to another device, or to home.
// Whether it is split, is decided against that device, or against home.
Decision Profitability::judge(const KernelHistory& kernel, const Launch& launch, double now) const {
  const bool is_short = !is_long(launch.first_device - launch.fixed);
  bool may_move = pays_to_move(launch);
  if (may_move) {
    const Outcomes* const moved = kernel.moved.find(launch.at_home);
    const bool lost = moved != nullptr && moved->lost();
    if (lost && may_retry(*moved, now)) return {Verdict::move, Reason::retry};
    may_move = !lost && may_go_on(moved, now);
  }
  const bool is_too_new = kernel.is_new() && !may_explore(now);
  if (is_short) {
    if (!may_move || is_too_new) return {Verdict::native, Reason::too_short};
    return {Verdict::move, kernel.is_new() ? Reason::new_kernel : Reason::too_short};
  }
  const Verdict whole = may_move ? Verdict::move : Verdict::native;
  const OutcomesByLength& outcomes = may_move ? kernel.split : kernel.captured;
  const Outcomes* const known = setting_.may_leave_alone ? outcomes.find(launch.at_home) : nullptr;
  if (known != nullptr && known->lost()) {
    if (may_retry(*known, now)) return {Verdict::explore, Reason::retry};
    return {whole, Reason::lost_before};
  }
  if (is_too_new || !may_go_on(known, now)) return {whole, Reason::explored_enough};
  if (kernel.is_new()) return {Verdict::explore, Reason::new_kernel};
  // Pieces do not show what splits are compared with: they ran beside others.
  const bool compares = setting_.may_leave_alone && !launch.best_was_measured.value_or(true);
  if (compares && may_explore(now, comparing_costs(launch, setting_))) return {whole, Reason::comparison};
  return {};
}

Decision Profitability::decide(const KernelHistory& kernel, const Launch& launch, double now) {
  const Decision decision = judge(kernel, launch, now);
  retry_decided_ |= decision.reason == Reason::retry;
  return decision;
}

// The window may take as long as home alone, and what is left of the budget. A share s that takes caution
// times its prediction is over by then, if s * caution * predicted is no more. Two devices that end together,
// after a and b seconds each alone, have the shares b : a.
double Profitability::cautious(double predicted, double at_home, double now) const {
  if (!setting_.may_leave_alone || setting_.regardless_of_gain) return predicted;
  const double most = at_home + std::max(budget_.left(now), 0.0);
  const double share = most / (kLimits.caution * predicted);
  return share > 0 && share < 1 ? std::max(predicted, at_home * (1 / share - 1)) : predicted;
}

bool Profitability::take_in(KernelHistory* kernel, double at_home, double now) {
  taken_in_ += at_home;
  if (std::exchange(retry_decided_, false)) exploring_ = std::max(exploring_, kLimits.windows_for_retry);
  if (kernel == nullptr || kernel->is_met()) return exploring_ > 0;
  const bool is_new = kernel->is_new();
  if ((!is_new || may_explore(now)) && kernel->meet() && waiting_helps_) {
    if (!is_new) return exploring_ > 0;  // what drivers do once they do in every run: it is a cost as any
    met_one_ = true;
    exploring_ = kLimits.windows_for_new;
    home_window_due_ = setting_.home_is_sum && setting_.may_leave_alone;
  }
  return exploring_ > 0;
}

void Profitability::waited_in_vain() {
  exploring_ = 0;
  waiting_helps_ = false;
}

Window Profitability::open_window() {
  const bool at_home = home_window_due_ && exploring_ <= kLimits.windows_before_home && seems_to_lose_;
  if (at_home) home_window_due_ = false;
  taken_in_ = 0;
  Window window{setting_, at_home};
  window.explores_ = exploring_ > 0;
  window.is_first_ = std::exchange(met_one_, false);
  return window;
}

// Each once, however many such launches the window has.
std::set<Outcomes*> Profitability::captured_in(const Window& window) {
  std::set<Outcomes*> found;
  for (const Window::Captured& of : window.captured_)
    found.insert(&(of.may_be_split ? of.kernel->captured : of.kernel->moved).of(of.at_home));
  return found;
}

// Only where another device is quicker than home: else home is what a split is compared with.
std::set<Outcomes*> Profitability::split_in(const Window& window) {
  std::set<Outcomes*> found;
  for (const Window::Captured& of : window.captured_) {
    if (window.at_best() < window.at_home() && of.may_be_split)
      found.insert(&of.kernel->split.of(of.at_home));
  }
  return found;
}

void Profitability::close_window(Window* window, double now) {
  exploring_ = std::max(0, exploring_ - 1);
  if (window == nullptr) {
    taken_in_ = 0;
    return;
  }
  window->explores_ |= window->retry_;
  double at_home = 0;
  for (const Window::Captured& of : window->captured_)
    at_home += of.at_home;
  const auto begin = [&](const std::set<Outcomes*>& all, double at_best) {
    for (Outcomes* outcomes : all) {
      if (window->retry_) outcomes->begin_retry(at_best, now);
      outcomes->await(window->under_way_);
      window->paid_before_ = std::max(window->paid_before_, outcomes->expected_loss());
    }
  };
  begin(captured_in(*window), at_home);
  begin(split_in(*window), window->at_best());
  budget_.spend(window->comparing_);
  budget_.spend(window->paid_before_);  // until it is known what it cost
}

double Profitability::observe(const Window& window, double began, double ended, double now) {
  *window.under_way_ = false;
  const double taken = ended - std::max(began, last_end_);
  last_end_ = std::max(last_end_, ended);
  if (taken <= 0) {
    budget_.spend(-window.paid_before_);
    return 0;
  }
  const std::set<Outcomes*> captured = captured_in(window), split = split_in(window);
  if (!captured.empty()) seems_to_lose_ = taken > kLimits.lost_against_measurement * window.at_home_;
  for (Outcomes* outcomes : captured)
    outcomes->note(taken, window.at_home_, window.measured_, now, window.is_first_);
  for (Outcomes* outcomes : split)
    outcomes->note(taken, window.at_best(), window.at_best(), now, window.is_first_);
  const auto loses = [](const Outcomes* of) { return of->lost() || of->only_lost(); };
  const bool pays = std::ranges::any_of(captured, loses) || std::ranges::any_of(split, loses);
  if ((window.explores_ || pays || window.paid_before_ > 0) && !captured.empty()) {
    const double lost = window.is_first_ ? 0.0 : std::max(0.0, taken - window.at_best());
    budget_.spend(lost - window.paid_before_);
  }
  return taken;
}

}  // namespace mkmd::timing
