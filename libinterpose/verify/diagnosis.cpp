// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/diagnosis.hpp"

#include <algorithm>

namespace mkmd::verify {

namespace {

using Kind = Difference::Kind;

constexpr size_t kEnough = 4;  // differences of one launch

bool some(const ByteRanges& bytes) {
  return !bytes.empty();
}

}  // namespace

Diagnosis::Diagnosis(Trials& trials, Differences& differences, bool& varies, Stage& stage,
                     const compiler::GroupBox& box, const Description& description, Poison poison)
    : trials_(trials), differences_(differences), varies_(varies), stage_(stage), box_(box),
      description_(description), poison_(poison) {}

void Diagnosis::run(const Images& expected, const std::function<bool()>& whole_varies) {
  if (differences_.all().size() >= kEnough) return;
  run_without_poison(expected, whole_varies);
  if (!trials_.ok()) return;
  const BytesOfBuffers written = run_with_all_poison();
  if (!trials_.ok()) return;
  const bool reads = find_writes(written);
  if (!trials_.ok()) return;
  if (reads && !piece_varies()) find_read();
  // Nothing of it was seen again.
  if (differences_.all().empty()) varies_ = true;
}

Difference Diagnosis::difference(Kind kind) const {
  Difference here;
  here.kind = kind;
  here.device = stage_.name();
  here.box = box_;
  here.poison = poison_;
  return here;
}

void Diagnosis::note(Kind kind, size_t buffer, const ByteRanges& bytes) {
  if (!bytes.empty()) differences_.note(difference(kind), buffer, bytes);
}

Wrong Diagnosis::run_with(const BytesOfBuffers& poisoned) {
  return trials_.wrong_of(stage_, box_, description_, poisoned, poison_, clean_images_);
}

// What is wrong then does not come from bytes that were not described.
void Diagnosis::run_without_poison(const Images& expected, const std::function<bool()>& whole_varies) {
  clean_ = trials_.wrong_of(stage_, box_, description_, {}, poison_, expected);
  clean_images_ = trials_.images_of(stage_);
  if (!trials_.ok()) return;
  if (std::ranges::any_of(clean_.inside, some) && whole_varies()) return;
  for (size_t b = 0; b < clean_.inside.size(); ++b)
    note(Kind::other_result, b, clean_.inside[b]);
}

// What depends on poison. Returns those of its bytes that have changed, or should have.
BytesOfBuffers Diagnosis::run_with_all_poison() {
  poisoned_ = trials_.poisoned_by(description_);
  wrong_ = run_with(poisoned_);
  BytesOfBuffers written(poisoned_.size());
  for (size_t b = 0; b < written.size() && trials_.ok(); ++b) {
    wrong_.outside[b].subtract(clean_.outside[b]);
    written[b] = wrong_.outside[b];
    written[b].unite(wrong_.inside[b]);
    written[b] = written[b].intersection(poisoned_[b]);
  }
  return written;
}

// With poison in those bytes alone: whether they change does not depend on others. True: something is still
// wrong that reads must explain.
bool Diagnosis::find_writes(const BytesOfBuffers& written) {
  const Wrong still = run_with(written);
  bool reads = false;
  for (size_t b = 0; b < written.size() && trials_.ok(); ++b) {
    ByteRanges changed = wrong_.outside[b].intersection(still.outside[b]);
    changed.unite(clean_.outside[b]);
    note(Kind::undescribed_write, b, changed);
    wrong_.outside[b].subtract(changed);
    const unsigned char* const image = stage_.open(b);
    if (image == nullptr) {
      trials_.fail(CL_MAP_FAILURE);
      break;
    }
    const ByteRanges unwritten =
        still_poison(poison_, image, wrong_.inside[b].intersection(still.inside[b]).intersection(written[b]));
    stage_.close(b);
    note(Kind::missing_write, b, unwritten);
    wrong_.inside[b].subtract(unwritten);
    poisoned_[b].subtract(unwritten);
    poisoned_[b].subtract(changed);
    reads |= some(wrong_.outside[b]) || some(wrong_.inside[b]);
  }
  return reads;
}

bool Diagnosis::piece_varies() {
  const Images again = trials_.result_of(stage_, box_, false);
  if (trials_.ok()) varies_ |= again != clean_images_;
  return varies_;
}

// Whether the piece shows poison in these bytes of a buffer alone.
bool Diagnosis::shows(size_t buffer, uint64_t lo, uint64_t hi) {
  BytesOfBuffers only(poisoned_.size());
  only[buffer] = poisoned_[buffer];
  only[buffer].clip(lo, hi);
  Wrong found = run_with(only);
  if (!trials_.ok()) return false;
  for (size_t b = 0; b < found.outside.size(); ++b)
    found.outside[b].subtract(clean_.outside[b]);
  return found.any();
}

// From the first to the last byte of a buffer whose poison the piece shows.
ByteRange Diagnosis::shown_in(size_t buffer) {
  const ByteRange hull = poisoned_[buffer].hull();
  uint64_t lo = hull.lo;  // poison before it does not show; before `hi` it does
  uint64_t hi = hull.hi;
  while (hi - lo > 1 && trials_.ok()) {
    const uint64_t middle = lo + (hi - lo) / 2;
    (shows(buffer, hull.lo, middle) ? hi : lo) = middle;
  }
  const uint64_t first = hi - 1;
  lo = first;  // poison from it on shows; from `hi` on it does not
  hi = hull.hi;
  while (hi - lo > 1 && trials_.ok()) {
    const uint64_t middle = lo + (hi - lo) / 2;
    (shows(buffer, middle, hull.hi) ? lo : hi) = middle;
  }
  return {first, lo + 1};
}

void Diagnosis::find_read() {
  Wrong all = run_with(poisoned_);
  for (size_t b = 0; b < poisoned_.size() && trials_.ok(); ++b)
    all.outside[b].subtract(clean_.outside[b]);
  if (!trials_.ok() || !all.any()) return;
  for (size_t b = 0; b < poisoned_.size(); ++b) {
    if (poisoned_[b].empty()) continue;
    const ByteRange hull = poisoned_[b].hull();
    if (!shows(b, hull.lo, hull.hi)) continue;
    const ByteRange shown = shown_in(b);
    if (trials_.ok()) note(Kind::undescribed_read, b, {shown.lo, shown.hi});
    return;
  }
  differences_.note_of_several_buffers(difference(Kind::undescribed_read));
}

}  // namespace mkmd::verify
