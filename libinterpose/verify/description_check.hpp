// SPDX-License-Identifier: Apache-2.0
// DescriptionCheck: whether the pieces of a launch do what the compiler says of it. Before a piece runs,
// every byte that it is not described to need is poison. Afterwards only described bytes may have changed,
// and they must hold what the whole launch at home gives. Knows no driver: pieces run on stages.
#pragma once

#include "libinterpose/verify/distance.hpp"

#include <functional>
#include <map>
#include <vector>

namespace mkmd::verify {

class DescriptionCheck {
public:
  DescriptionCheck(const compiler::KernelInfo& info, const KernelArguments& arguments,
                   const LaunchFacts& facts, const Buffers& buffers, Stage& home, std::vector<Stage*> stages);

  // For launches that write at loaded indices, before all else: whether their contents show that work-groups
  // are apart. `go_on`: as for compiler::groups_apart. Then pieces write what contents say.
  bool look_into_contents(const std::function<bool()>& go_on);

  // Runs the launch whole, at home and where code generators differ: what pieces are compared with.
  cl_int run_whole();

  // Runs the pieces, each on one of the stages, and looks at what they have done. False: nothing has run.
  // Then the pieces are not independent of each other and of the rest of the launch, and the planner would
  // not split like that. `whole`: together they are the launch.
  bool check(const std::vector<compiler::GroupBox>& pieces, bool whole, Poison poison, size_t most_blocks);

  // What the whole launch changes and no piece of a whole split is described to write, if nothing else
  // differs.
  void look_for_rest();

  // Not zero: a driver refused something. The check is then void.
  cl_int status() const { return trials_.status(); }
  // The program itself writes beyond its buffers: whatever pieces do, there is nothing to compare.
  bool writes_beyond() const { return writes_beyond_; }
  // The same work-groups give other results when they run again: what differs without poison says nothing.
  bool varies() const { return varies_; }
  uint64_t pieces_run() const { return pieces_run_; }
  const std::vector<Difference>& differences() const { return differences_.all(); }
  const Distance& distance() const { return distance_; }

private:
  std::vector<BufferUses> uses_of(const std::vector<compiler::GroupBox>& boxes, size_t most_blocks) const;
  Description describe(size_t piece, const std::vector<BufferUses>& all) const;
  void run_beside(const std::vector<compiler::GroupBox>& pieces, size_t first,
                  const std::vector<Description>& descriptions, Poison poison);
  void merge_shared(Stage& stage, const Description& description);
  void look_at_merged();
  void note_other_result(const Stage& stage, size_t buffer, const ByteRanges& bytes);
  void measure_distance(Stage& stage);
  bool whole_varies();

  const DescribedLaunch launch_;
  Inspection shown_;
  const compiler::GroupBox whole_;
  Stage& home_;
  const std::vector<Stage*> stages_;
  Trials trials_;
  Differences differences_;
  std::map<int, Images> results_;  // of the whole launch, by code generator
  BytesOfBuffers written_;         // by the pieces of a whole split
  struct Merged {
    Images images;
    BytesOfBuffers bytes;
  } merged_;  // what pieces make together of what they share
  bool writes_beyond_ = false;
  bool varies_ = false;
  bool repeated_ = false;  // the whole launch, to find out
  uint64_t pieces_run_ = 0;
  Distance distance_;
};

}  // namespace mkmd::verify
