// SPDX-License-Identifier: Apache-2.0
// DescriptionCheck: whether what the compiler says of a launch is what its pieces do. Before a piece runs,
// every byte it is not described to need is poison; afterwards only described bytes may have changed, and
// they must hold what the whole launch at home gives. Knows no driver: pieces run on stages.
#pragma once

#include "libinterpose/memory/argument_uses.hpp"
#include "libinterpose/profiling/scratch.hpp"
#include "libinterpose/timing/launch_facts.hpp"
#include "libinterpose/verify/poison.hpp"

#include <map>
#include <string>
#include <vector>

namespace mkmd::verify {

// A device with a set of copies of the launch's buffers.
class Stage {
public:
  virtual ~Stage() = default;
  virtual std::string name() const = 0;
  // Devices with the same number give the same bits (Rule 11); home's is 0.
  virtual int code_generator() const = 0;
  // All bytes of a copy, to be read and written until close(). Null: the driver refuses.
  virtual unsigned char* open(size_t buffer) = 0;
  virtual void close(size_t buffer) = 0;
  // A piece is about to be started, with others beside it.
  virtual void announce(const compiler::GroupBox& /*box*/) {}
  // Starts a piece; `original` is the whole launch as the program wrote it.
  virtual cl_int start(const compiler::GroupBox& box, bool original) = 0;
  virtual cl_int finish() = 0;  // waits for it
};

struct Difference {
  enum class Kind {
    undescribed_read,   // the results depend on bytes that are not described as read
    undescribed_write,  // bytes changed that are not described as written
    missing_write,      // bytes did not change that are described as surely written
    other_result,       // the pieces' results are not those of the whole launch, poison or not
  };
  Kind kind = Kind::other_result;
  int argument = -1;  // whose bytes these are; -1: not known
  ByteRange bytes;    // from the argument's first byte
  int line = 0;       // of the program's source: of an access to the argument there, or near; 0: not known
  std::string device;
  compiler::GroupBox box;  // of the piece
  Poison poison = Poison::small;
};
const char* to_string(Difference::Kind kind);

// How far devices with another code generator are from home, in units in the last place of floats.
struct Distance {
  uint64_t ulps = 0;   // the most, of any number
  uint64_t nans = 0;   // numbers that are NaN on one device only
  uint64_t bytes = 0;  // that differ and belong to no float
};

class DescriptionCheck {
public:
  using Buffers = std::vector<Scratch::Buffer>;

  DescriptionCheck(const compiler::KernelInfo& info, const KernelArguments& arguments,
                   const LaunchFacts& facts, const Buffers& buffers, Stage& home, std::vector<Stage*> stages);

  // Runs the launch whole, at home and where code generators differ: what pieces are compared with.
  cl_int run_whole();

  // Runs the pieces, each on one of the stages, and looks at what they have done. False: they are not
  // independent of each other and of the rest of the launch, so that the planner would not split like that;
  // nothing has run. `whole`: together they are the launch.
  bool check(const std::vector<compiler::GroupBox>& pieces, bool whole, Poison poison, size_t most_blocks);

  // What the whole launch changes and no piece of a whole split is described to write, if nothing else
  // differs.
  void look_for_rest();

  // Not zero: a driver refused something. The check is then void.
  cl_int status() const { return status_; }
  // The program itself writes beyond its buffers: whatever pieces do, there is nothing to compare.
  bool writes_beyond() const { return writes_beyond_; }
  // The same work-groups give other results when they run again: what differs without poison says nothing.
  bool varies() const { return varies_; }
  uint64_t pieces_run() const { return pieces_run_; }
  const std::vector<Difference>& differences() const { return differences_; }
  const Distance& distance() const { return distance_; }

private:
  // What a piece needs and writes of one buffer; offsets in the copy.
  struct Described {
    ByteRanges needed, writes;
    std::vector<compiler::Updated> shared;  // numbers that other work-groups update, too
  };
  using Description = std::vector<Described>;  // as buffers_
  using Images = std::vector<std::vector<unsigned char>>;
  // What a stage's copies hold, so that only what changed has to be filled again.
  struct Filled {
    bool valid = false;
    Poison poison = Poison::small;
    std::vector<ByteRanges> dirty;
  };
  // Bytes that are not as they should be, by buffer.
  struct Wrong {
    std::vector<ByteRanges> outside, inside;  // of the described writes
    bool any() const;
  };

  std::vector<BufferUses> uses_of(const std::vector<compiler::GroupBox>& boxes, size_t most_blocks) const;
  Description describe(size_t piece, const std::vector<BufferUses>& all) const;
  void merge_shared(Stage& stage, const Description& description);
  void look_at_merged();
  ByteRanges all(size_t buffer) const;
  void fail(cl_int status);
  void prepare(Stage& stage, const Description& description, Poison poison);
  void prepare_only(Stage& stage, const std::vector<ByteRanges>& poisoned, Poison poison);
  // `expected` is what the described writes are compared with.
  Wrong look(Stage& stage, const Description& description, const std::vector<ByteRanges>& poisoned,
             Poison poison, const Images& expected);
  Images images_of(Stage& stage);
  std::vector<ByteRanges> poisoned_by(const Description& description) const;
  Images result_of(Stage& stage, bool original);
  void measure_distance(Stage& stage);
  bool whole_varies();

  // distance.cpp
  Distance distance_between(const Images& a, const Images& b) const;
  bool has_floats() const;

  // diagnosis.cpp
  Wrong run_with(Stage& stage, const compiler::GroupBox& box, const Description& description,
                 const std::vector<ByteRanges>& poisoned, Poison poison, const Images& expected);
  void diagnose(Stage& stage, const compiler::GroupBox& box, const Description& description, Poison poison);
  // What the piece does without poison.
  struct Clean {
    Wrong wrong;
    Images images;
  };
  bool piece_varies(Stage& stage, const compiler::GroupBox& box, const Clean& clean);
  void find_read(Stage& stage, const Description& description, const Clean& clean,
                 std::vector<ByteRanges> poisoned, Difference difference);
  void note(Difference difference, size_t buffer, const ByteRanges& bytes);
  int line_of(const Difference& difference) const;

  const compiler::KernelInfo& info_;
  const KernelArguments& arguments_;
  const LaunchFacts& facts_;
  const Buffers& buffers_;
  Stage& home_;
  const std::vector<Stage*> stages_;
  compiler::GroupBox whole_;
  std::map<int, Images> results_;  // by code generator, then as buffers_
  std::map<const Stage*, Filled> filled_;
  std::vector<ByteRanges> written_;  // by the pieces of a whole split
  struct Merged {
    Images images;
    std::vector<ByteRanges> bytes;
  } merged_;  // what pieces make together of what they share
  cl_int status_ = CL_SUCCESS;
  bool writes_beyond_ = false;
  bool varies_ = false;
  bool repeated_ = false;  // the whole launch, to find out
  uint64_t pieces_run_ = 0;
  std::vector<Difference> differences_;
  Distance distance_;
};

}  // namespace mkmd::verify
