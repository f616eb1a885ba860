// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/verify.hpp"

#include "common/hash.hpp"
#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/capture/window_planning.hpp"
#include "libinterpose/verify/crash_guard.hpp"
#include "libinterpose/verify/lane_stage.hpp"
#include "libinterpose/verify/splits.hpp"

namespace mkmd::verify {

namespace {

constexpr double kShare = 1.0;  // seconds for checking, for each that the program takes itself
constexpr double kFree = 0.1;   // seconds for checking that are always there
constexpr double kLook = 10;    // seconds, to look into the index buffers of a launch
constexpr const char* kMeet = "its pieces touch the same bytes";
constexpr size_t kShapesKept = 4096;
constexpr std::chrono::seconds kAtExit{5};    // for a thread that is checking meanwhile
constexpr uint64_t kFaultsShown = 3;          // launches with differences; then a kernel is known to be wrong
constexpr size_t kSlack = size_t{64} * 4096;  // bytes: an index that is a little wrong stays in it
constexpr uint64_t kKinds = 4;                // of splits, tried in turn

KernelName name_of(const Kernel& kernel) {
  return {kernel.name, kernel.info() != nullptr ? content_of(kernel) : std::string()};
}

// Of launches that are described alike: the same numbers, and arguments that share buffers in the same way.
uint64_t shape_of(const KernelLaunch& launch) {
  uint64_t hash = launch.facts->shape();
  for (const uint64_t offset : launch.shape.offset)
    hash = mix(hash, offset);
  std::vector<const Memory*> roots;
  for (const KernelArgument& a : *launch.arguments) {
    if (a.kind != KernelArgument::Kind::memory) continue;
    const Memory* root = a.memory ? a.memory->root() : nullptr;
    const auto known = std::ranges::find(roots, root);
    hash = mix(hash, static_cast<uint64_t>(known - roots.begin()));
    if (known == roots.end()) roots.push_back(root);
    if (a.memory) {
      hash = mix(hash, a.memory->origin);
      hash = mix(hash, a.memory->size);
    }
  }
  return hash;
}

}  // namespace

struct Verifier::State {
  explicit State(const Configuration& of) : configuration(of), report(of.settings.verify) {}

  const Configuration& configuration;
  // One launch is checked at a time: drivers are called with it held. Guards what follows.
  std::timed_mutex mutex;
  Report report;
  struct Seen {
    uint64_t launches = 0, checked = 0;
    bool meets = false;  // its work-groups do, as its index buffers said when it was last checked
  };
  std::map<std::pair<KernelName, uint64_t>, Seen> shapes;
  std::map<KernelName, Seen> kernels;
  double began = 0;  // seconds: when it was first used
  double spent = 0;  // seconds, for checking
};

class LaunchVerifier {
public:
  LaunchVerifier(Verifier::State& state, Runtime& runtime, const KernelLaunch& launch)
      : state_(state), configuration_(state.configuration), launch_(launch), kernel_(*launch.kernel),
        name_(name_of(kernel_)), rehearsal_(runtime, launch, kSlack) {}

  void run() {
    Verifier::State& s = state_;
    std::lock_guard lock(s.mutex);
    if (s.began == 0) s.began = host_seconds();
    Totals& totals = s.report.totals(name_);
    ++totals.launches;
    if (!may_be_split(totals)) return count_only(totals);
    ++totals.splittable;
    if (!is_due(totals)) {
      if (seen_->meets) note_meeting(totals);
      return count_only(totals);
    }
    rehearsal_.finish_native();
    const double began = host_seconds();
    s.report.write_totals(name_);  // it may be the last that the program does
    check(totals);
    s.spent += host_seconds() - began;
    s.report.write_totals(name_);
  }

private:
  // Whether the planner would split it, if anything is gained.
  bool may_be_split(Totals& totals) {
    compiler::Reason why;
    if (!kernel_.info()->split_allowed) {
      const auto& reasons = kernel_.info()->reasons;
      why = reasons.empty() ? compiler::Reason{"its code may not be split"} : reasons.front();
    } else if (!rehearsal_.has_pieces()) {
      why.text = "no code for its pieces could be had";
    } else if (launch_.group_count() < 2) {
      why.text = "it has one work-group";
    } else {
      const auto uses_of = [this](const compiler::GroupBox& box, size_t most_blocks) {
        return buffer_uses(*launch_.arguments, launch_.facts->of(box, most_blocks).get());
      };
      dimension_ = planning::best_cut(launch_.groups, uses_of, commute).dimension;
      by_contents_ = dimension_ < 0 && compiler::writes_at_loaded(*kernel_.info());
      if (by_contents_)
        dimension_ = static_cast<int>(std::ranges::max_element(launch_.groups) - launch_.groups.begin());
      if (dimension_ >= 0) return true;
      why.text = kMeet;
    }
    totals.why_not = why.text;
    totals.why_line = why.line;
    return false;
  }

  // As its index buffers say.
  void note_meeting(Totals& totals) {
    seen_->meets = true;
    --totals.splittable;
    totals.why_not = kMeet;
    totals.why_line = 0;
  }

  void count_only(const Totals& totals) { state_.report.count(name_, totals); }

  // The first launches of a shape are, and then ever fewer.
  bool is_due(const Totals& totals) {
    Verifier::State& s = state_;
    if (s.shapes.size() > kShapesKept) s.shapes.clear();
    Verifier::State::Seen& kernel = s.kernels[name_];
    Verifier::State::Seen& shape = s.shapes[{name_, shape_of(launch_)}];
    seen_ = &shape;
    if (totals.differences >= kFaultsShown) return false;
    ++shape.launches;
    first_ = kernel.checked == 0;
    if (!configuration_.settings.verify_all && !first_ &&
        (shape.launches < (uint64_t{1} << shape.checked) || !affordable(0)))
      return false;
    turn_ = shape.checked++;
    ++kernel.checked;
    return true;
  }

  bool affordable(double seconds) const {
    if (configuration_.settings.verify_all) return true;
    const Verifier::State& s = state_;
    const double now = host_seconds();
    const double spent = s.spent + (began_ > 0 ? now - began_ : 0);
    return spent + seconds <= kShare * (now - s.began - spent + whole_seconds_) + kFree;
  }

  void check(Totals& totals) {
    began_ = host_seconds();
    std::vector<Scratch::Place> places;
    std::vector<std::unique_ptr<LaneStage>> stages;
    std::vector<Stage*> all;
    const auto devices = static_cast<int>(configuration_.devices.size());
    for (int d = 0; d < devices; ++d) {
      const vendor::Device& device = configuration_.devices[static_cast<size_t>(d)];
      const bool same_code = shares_code_generator(device, configuration_.home);
      if (configuration_.settings.exact && !same_code) continue;
      stages.push_back(std::make_unique<LaneStage>(configuration_, state_.report, rehearsal_, name_, running_,
                                                   d, places.size(), same_code ? 0 : d + 1, whole_seconds_));
      all.push_back(stages.back().get());
      places.push_back(rehearsal_.place_of(d));
    }
    // Home's memory is that of the first device.
    LaneStage home(configuration_, state_.report, rehearsal_, name_, running_, configuration_.home_index(), 0,
                   0, whole_seconds_);
    if (const Status copied = rehearsal_.copy(places); !copied) {
      fail(totals, copied.message());
      return;
    }
    const CrashGuard guard(state_.report.file());
    DescriptionCheck check(*kernel_.info(), *launch_.arguments, *launch_.facts,
                           rehearsal_.scratch().buffers(), home, std::move(all));
    if (by_contents_) {
      const double end = host_seconds() + kLook;
      if (!check.look_into_contents([end] { return host_seconds() < end; })) return note_meeting(totals);
      seen_->meets = false;
    }
    const double before = host_seconds();
    if (check.run_whole() == CL_SUCCESS) {
      whole_seconds_ = host_seconds() - before;
      if (!check.writes_beyond()) run_steps(check, totals);
      check.look_for_rest();
    }
    CrashGuard::set_line("");
    take(check, totals);
  }

  void run_steps(DescriptionCheck& check, Totals& totals) {
    const compiler::GroupBox whole = launch_.whole();
    const uint64_t seed = launch_.facts->shape() + turn_;
    double longest = 0;  // of what was done so far
    const auto step = [&](const Pieces& pieces, bool all, Poison poison, size_t most_blocks, bool surely) {
      if (!check.differences().empty() || check.status() != CL_SUCCESS) return false;
      if (!surely && !affordable(std::max(longest, whole_seconds_))) {
        too_long_ = true;
        return false;
      }
      const double began = host_seconds();
      const bool independent = check.check(pieces, all, poison, most_blocks);
      longest = std::max(longest, host_seconds() - began);
      return independent;
    };
    // As the planner: with sets of few blocks, if these are enough. The other poison lies between blocks,
    // too.
    const auto whole_split = [&](const Pieces& pieces, Poison poison, bool surely) {
      const bool done =
          (poison == Poison::small && step(pieces, true, poison, planning::kFewBlocks, surely)) ||
          step(pieces, true, poison, compiler::kMostBlocks, surely);
      if (done) ++totals.splits;
    };
    const auto single = slabs(whole, dimension_, seed);
    whole_split(split(whole, dimension_, turn_ % kKinds, seed), Poison::small, first_);
    step(single, false, Poison::small, compiler::kMostBlocks, first_);
    step(single, false, Poison::mixed, compiler::kMostBlocks, first_);
    whole_split(split(whole, dimension_, turn_ % kKinds, seed), Poison::mixed, first_);
    if (!configuration_.settings.verify_all && turn_ > 0) return;
    for (uint64_t kind = turn_ % kKinds + 1; kind < kKinds; ++kind) {
      for (const Poison poison : {Poison::small, Poison::mixed})
        whole_split(split(whole, dimension_, kind, seed), poison, false);
    }
  }

  void take(const DescriptionCheck& check, Totals& totals) {
    const bool different = !check.differences().empty();
    if (check.writes_beyond()) {
      fail(totals, "the launch itself writes beyond the end of a buffer");
    } else if (check.status() != CL_SUCCESS) {
      fail(totals, "a device refused a piece (" + std::to_string(check.status()) + ")");
    } else if (check.pieces_run() == 0 && !different) {
      if (!too_long_) fail(totals, "no pieces of it could be shown independent");
    } else {
      ++totals.checked;
    }
    totals.varying += check.varies() ? 1 : 0;
    totals.pieces += check.pieces_run();
    totals.differences += different ? 1 : 0;
    totals.distance.take(check.distance());
    for (const Difference& d : check.differences())
      state_.report.write_difference(name_, *kernel_.info(), d);
  }

  static void fail(Totals& totals, std::string why) {
    ++totals.failed;
    totals.why_failed = std::move(why);
  }

  Verifier::State& state_;
  const Configuration& configuration_;
  const KernelLaunch& launch_;
  Kernel& kernel_;
  const KernelName name_;
  Running running_{name_};
  Rehearsal rehearsal_;
  int dimension_ = -1;
  bool by_contents_ = false;               // only its index buffers' contents can tell its pieces apart
  Verifier::State::Seen* seen_ = nullptr;  // of its shape
  bool first_ = false;                     // of its kernel
  bool too_long_ = false;
  uint64_t turn_ = 0;  // how often its shape was checked before
  double began_ = 0;   // seconds
  double whole_seconds_ = 0;
};

Verifier::Verifier(const Configuration& configuration) : state_(std::make_unique<State>(configuration)) {}

Verifier::~Verifier() = default;

void Verifier::check(Runtime& runtime, const KernelLaunch& launch) {
  LaunchVerifier(*state_, runtime, launch).run();
}

void Verifier::note_unverified(const Kernel& kernel, const std::string& why) {
  const std::lock_guard lock(state_->mutex);
  if (state_->began == 0) state_->began = host_seconds();
  const KernelName name = name_of(kernel);
  Totals& totals = state_->report.totals(name);
  ++totals.launches;
  totals.why_not = why;
  totals.why_line = 0;
  state_->report.count(name, totals);
}

void Verifier::write_verdict() {
  const std::unique_lock lock(state_->mutex, kAtExit);  // a thread may be checking for ever after
  if (lock) state_->report.write_all();
}

}  // namespace mkmd::verify
