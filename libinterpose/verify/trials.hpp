// SPDX-License-Identifier: Apache-2.0
// Trials: pieces of one launch run on copies of its buffers, with poison in chosen bytes. Which bytes are not
// as they should be afterwards follows from what the pieces are described to do. Knows no driver: pieces run
// on stages.
#pragma once

#include "compiler/footprint.hpp"
#include "libinterpose/profiling/scratch.hpp"
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

using Buffers = std::vector<Scratch::Buffer>;
using Images = std::vector<std::vector<unsigned char>>;  // by buffer
using BytesOfBuffers = std::vector<ByteRanges>;          // likewise; offsets in the copies

// What a piece needs and writes of one buffer.
struct Described {
  ByteRanges needed, writes;
  std::vector<compiler::Updated> shared;  // numbers that other work-groups update, too
};
using Description = std::vector<Described>;  // by buffer

// Bytes that are not as they should be.
struct Wrong {
  BytesOfBuffers outside, inside;  // of the described writes
  bool any() const;
};

class Trials {
public:
  explicit Trials(const Buffers& buffers) : buffers_(buffers) {}

  // Not zero: a driver refused something. What comes of anything is void then.
  cl_int status() const { return status_; }
  bool ok() const { return status_ == CL_SUCCESS; }
  void fail(cl_int status);

  ByteRanges all(size_t buffer) const;
  // Whatever the piece is not described to need.
  BytesOfBuffers poisoned_by(const Description& description) const;

  // The stage's copies hold what the piece needs, and poison.
  void prepare(Stage& stage, const Description& description, Poison poison);
  void forget(const Stage& stage);  // what its copies hold
  // What a piece has done. `expected` is what its described writes are compared with.
  Wrong look(Stage& stage, const Description& description, const BytesOfBuffers& poisoned, Poison poison,
             const Images& expected);
  // Of a box alone, on what the buffers held, but for the poison.
  Wrong wrong_of(Stage& stage, const compiler::GroupBox& box, const Description& description,
                 const BytesOfBuffers& poisoned, Poison poison, const Images& expected);
  Images images_of(Stage& stage);
  // Of a box alone, without any poison; `original`: see Stage.
  Images result_of(Stage& stage, const compiler::GroupBox& box, bool original);

private:
  // What a stage's copies hold, so that only what changed has to be filled again.
  struct Filled {
    bool valid = false;
    Poison poison = Poison::small;
    BytesOfBuffers dirty;
  };

  void run_alone(Stage& stage, const compiler::GroupBox& box, bool original, const BytesOfBuffers& poisoned,
                 Poison poison);

  const Buffers& buffers_;
  std::map<const Stage*, Filled> filled_;
  cl_int status_ = CL_SUCCESS;
};

}  // namespace mkmd::verify
