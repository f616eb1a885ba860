// SPDX-License-Identifier: Apache-2.0
// What is wrong with a piece that has not done what is described, and where: it is run again, with poison in
// chosen bytes only.
#pragma once

#include "libinterpose/verify/differences.hpp"

#include <functional>

namespace mkmd::verify {

class Diagnosis {
public:
  // `varies`: the launch gives other results when it runs again, as far as is known; noted here, too.
  Diagnosis(Trials& trials, Differences& differences, bool& varies, Stage& stage,
            const compiler::GroupBox& box, const Description& description, Poison poison);

  // `expected`: the result of the whole launch. `whole_varies`: finds out whether that is another one each
  // time.
  void run(const Images& expected, const std::function<bool()>& whole_varies);

private:
  void run_without_poison(const Images& expected, const std::function<bool()>& whole_varies);
  BytesOfBuffers run_with_all_poison();
  bool find_writes(const BytesOfBuffers& written);
  bool piece_varies();
  void find_read();
  Wrong run_with(const BytesOfBuffers& poisoned);
  bool shows(size_t buffer, uint64_t lo, uint64_t hi);
  ByteRange shown_in(size_t buffer);
  Difference difference(Difference::Kind kind) const;
  void note(Difference::Kind kind, size_t buffer, const ByteRanges& bytes);

  Trials& trials_;
  Differences& differences_;
  bool& varies_;
  Stage& stage_;
  const compiler::GroupBox& box_;
  const Description& description_;
  const Poison poison_;
  // What the piece does without poison.
  Wrong clean_;
  Images clean_images_;
  BytesOfBuffers poisoned_;  // and not yet known to be described wrongly
  Wrong wrong_;              // with all poison, as far as not yet explained
};

}  // namespace mkmd::verify
