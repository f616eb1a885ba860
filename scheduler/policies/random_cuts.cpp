// SPDX-License-Identifier: Apache-2.0
// random-cuts: every divisible task is cut at random places, and its pieces go to random devices, to at least
// two. It gains nothing; tests use it to run every division of a launch that the runtime would ever make.
#include "scheduler/placement.hpp"
#include "scheduler/policies/factories.hpp"

#include <algorithm>
#include <bit>
#include <random>

namespace mkmd::scheduler {
namespace {

struct CutParameters {
  int seed = 1;
  int pieces = 5;  // at most, of a task
};

class RandomCuts : public Policy {
public:
  explicit RandomCuts(const CutParameters& parameters) : parameters_(parameters) {}

  Result<Schedule> schedule(const Problem& problem, const Options&) const override {
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    if (!index) return index.status();
    // The same problem gets the same cuts; measured times differ from window to window.
    const std::vector<uint32_t> words = seed_of(*index);
    std::seed_seq seeds(words.begin(), words.end());
    std::mt19937 random(seeds);
    Placement placement(*index);
    for (int t : index->order()) {
      std::vector<int> eligible;
      for (int d = 0; d < index->device_count(); ++d)
        if (index->eligible(t, d)) eligible.push_back(d);
      const auto any_device = [&] { return eligible[random() % eligible.size()]; };
      if (!index->task(t).divisible || index->mean_time(t) <= 0) {
        placement.place(t, any_device());
        continue;
      }
      const std::vector<double> ends = cuts(*index, t, random);
      std::vector<size_t> chosen(ends.size());
      for (size_t& c : chosen)
        c = random() % eligible.size();
      // All pieces on one device would be no division.
      if (std::ranges::count(chosen, chosen.front()) == std::ssize(chosen))
        chosen.back() = (chosen.back() + 1) % eligible.size();
      double lo = 0;
      for (size_t i = 0; i < ends.size(); ++i) {
        placement.place(t, eligible[chosen[i]], lo, ends[i]);
        lo = ends[i];
      }
    }
    return placement.schedule("random-cuts");
  }

  bool regardless_of_gain() const override { return true; }

private:
  std::vector<uint32_t> seed_of(const ProblemIndex& index) const {
    std::vector<uint32_t> words{static_cast<uint32_t>(parameters_.seed)};
    for (int t : index.order()) {
      const auto bits = std::bit_cast<uint64_t>(index.mean_time(t));
      words.push_back(static_cast<uint32_t>(bits));
      words.push_back(static_cast<uint32_t>(bits >> 32));
    }
    return words;
  }

  // The ends of the pieces, in order; the last is 1. A task of two units or more gets two pieces or more.
  std::vector<double> cuts(const ProblemIndex& index, int task, std::mt19937& random) const {
    std::vector<double> ends{1};
    const int units = index.task(task).units > 0 ? index.task(task).units : 4096;
    if (units == 1) return ends;
    const auto wanted = static_cast<int>(2 + random() % static_cast<unsigned>(parameters_.pieces - 1));
    for (int i = 1; i < wanted; ++i)
      ends.push_back(static_cast<double>(1 + random() % static_cast<unsigned>(units - 1)) / units);
    std::ranges::sort(ends);
    ends.erase(std::ranges::unique(ends).begin(), ends.end());
    return ends;
  }

  CutParameters parameters_;
};

}  // namespace

MadePolicy make_random_cuts(ParameterReader& reader) {
  CutParameters parameters;
  reader.integer("seed", parameters.seed, 0, 1 << 30);
  reader.integer("pieces", parameters.pieces, 2, 1000);
  if (Status s = reader.finish(); !s) return s;
  return made<RandomCuts>(parameters);
}

}  // namespace mkmd::scheduler
