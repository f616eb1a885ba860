// SPDX-License-Identifier: Apache-2.0
// What is wrong with a piece that has not done what is described, and where: it is run again, with poison in
// chosen bytes only.
#include "libinterpose/verify/description_check.hpp"

#include <algorithm>

namespace mkmd::verify {

namespace {

using Kind = Difference::Kind;

constexpr size_t kEnough = 4;  // differences of one launch

uint64_t gap(ByteRange a, ByteRange b) {
  return a.hi <= b.lo ? b.lo - a.hi + 1 : b.hi <= a.lo ? a.lo - b.hi + 1 : 0;
}

uint64_t gap(const ByteRanges& ranges, ByteRange to) {
  uint64_t least = UINT64_MAX;
  ranges.each_range([&](ByteRange r) { least = std::min(least, gap(r, to)); });
  return least;
}

}  // namespace

// Which of an argument's accesses comes closest to the bytes.
int DescriptionCheck::line_of(const Difference& difference) const {
  const bool read = difference.kind == Kind::undescribed_read;
  int line = 0;
  uint64_t least = UINT64_MAX;
  for (const bool same_kind : {true, false}) {
    for (const compiler::Access& access : info_.accesses) {
      const bool fits =
          read ? access.kind != compiler::Access::Kind::write : access.kind != compiler::Access::Kind::read;
      if (access.argument != difference.argument || access.line == 0 || fits != same_kind) continue;
      compiler::KernelInfo only = info_;
      only.accesses = {access};
      const auto footprints = compiler::LaunchFootprints(only, facts_.launch()).of(difference.box);
      uint64_t far = UINT64_MAX - 1;
      for (const compiler::Footprint& f : footprints) {
        const bool unknown = f.reads_unknown || f.writes_unknown;
        far = unknown ? 0 : std::min(gap(f.reads, difference.bytes), gap(f.may_writes, difference.bytes));
      }
      if (far >= least) continue;
      least = far;
      line = access.line;
    }
    if (line != 0) break;
  }
  return line;
}

void DescriptionCheck::note(Difference difference, size_t buffer, const ByteRanges& bytes) {
  const Scratch::Buffer& copy = buffers_[buffer];
  const bool written = difference.kind != Kind::undescribed_read;
  const ByteRange hull = bytes.hull();
  // Of several arguments that name these bytes, one that the kernel is known to use that way.
  int best = -1;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const Ref<Memory>& memory = arguments_[i].memory;
    if (arguments_[i].kind != KernelArgument::Kind::memory || !memory || memory->root() != copy.root)
      continue;
    const uint64_t begin = memory->origin + copy.shift;
    if (hull.hi <= begin || begin + memory->size <= hull.lo) continue;
    const bool known_for_it = std::ranges::any_of(info_.accesses, [&](const compiler::Access& a) {
      return a.argument == static_cast<int>(i) && (a.kind != compiler::Access::Kind::read) == written;
    });
    if (best < 0 || known_for_it) {
      best = static_cast<int>(i);
      difference.bytes = {std::max(hull.lo, begin) - begin, std::min(hull.hi, begin + memory->size) - begin};
    }
    if (known_for_it) break;
  }
  difference.argument = best;
  difference.line = line_of(difference);
  differences_.push_back(std::move(difference));
}

DescriptionCheck::Wrong DescriptionCheck::run_with(Stage& stage, const compiler::GroupBox& box,
                                                   const Description& description,
                                                   const std::vector<ByteRanges>& poisoned, Poison poison,
                                                   const Images& expected) {
  prepare_only(stage, poisoned, poison);
  if (status_ == CL_SUCCESS) fail(stage.start(box, false));
  if (status_ == CL_SUCCESS) fail(stage.finish());
  if (status_ != CL_SUCCESS) return {};
  return look(stage, description, poisoned, poison, expected);
}

void DescriptionCheck::diagnose(Stage& stage, const compiler::GroupBox& box, const Description& description,
                                Poison poison) {
  if (differences_.size() >= kEnough) return;
  Difference here;
  here.device = stage.name();
  here.box = box;
  here.poison = poison;
  const auto noted = [&](Kind kind, size_t buffer, const ByteRanges& bytes) {
    if (bytes.empty()) return;
    Difference difference = here;
    difference.kind = kind;
    note(std::move(difference), buffer, bytes);
  };
  const size_t buffers = buffers_.size();

  // Without poison: what is wrong then does not come from bytes that were not described.
  Clean clean;
  clean.wrong = run_with(stage, box, description, {}, poison, results_[stage.code_generator()]);
  clean.images = images_of(stage);
  if (status_ != CL_SUCCESS) return;
  const auto some = [](const ByteRanges& bytes) { return !bytes.empty(); };
  const bool comparable = std::ranges::none_of(clean.wrong.inside, some) || !whole_varies();
  for (size_t b = 0; b < buffers && comparable; ++b)
    noted(Kind::other_result, b, clean.wrong.inside[b]);

  // With all poison: what depends on it.
  std::vector<ByteRanges> poisoned = poisoned_by(description);
  Wrong wrong = run_with(stage, box, description, poisoned, poison, clean.images);
  if (status_ != CL_SUCCESS) return;
  std::vector<ByteRanges> written(buffers);
  for (size_t b = 0; b < buffers; ++b) {
    wrong.outside[b].subtract(clean.wrong.outside[b]);
    written[b] = wrong.outside[b];
    written[b].unite(wrong.inside[b]);
    written[b] = written[b].intersection(poisoned[b]);
  }

  // With poison in the bytes alone that have changed, or should have: whether they change does not depend on
  // others.
  const Wrong still = run_with(stage, box, description, written, poison, clean.images);
  if (status_ != CL_SUCCESS) return;
  bool read = false;
  for (size_t b = 0; b < buffers; ++b) {
    ByteRanges changed = wrong.outside[b].intersection(still.outside[b]);
    changed.unite(clean.wrong.outside[b]);
    noted(Kind::undescribed_write, b, changed);
    wrong.outside[b].subtract(changed);
    const unsigned char* const image = stage.open(b);
    if (image == nullptr) return fail(CL_MAP_FAILURE);
    const ByteRanges unwritten =
        still_poison(poison, image, wrong.inside[b].intersection(still.inside[b]).intersection(written[b]));
    stage.close(b);
    noted(Kind::missing_write, b, unwritten);
    wrong.inside[b].subtract(unwritten);
    poisoned[b].subtract(unwritten);
    poisoned[b].subtract(changed);
    read |= !wrong.outside[b].empty() || !wrong.inside[b].empty();
  }
  if (read && !piece_varies(stage, box, clean)) {
    Difference difference = here;
    difference.kind = Kind::undescribed_read;
    find_read(stage, description, clean, std::move(poisoned), std::move(difference));
  }
  // Nothing of it was seen again.
  if (differences_.empty()) varies_ = true;
}

bool DescriptionCheck::piece_varies(Stage& stage, const compiler::GroupBox& box, const Clean& clean) {
  prepare_only(stage, {}, Poison::small);
  if (status_ == CL_SUCCESS) fail(stage.start(box, false));
  if (status_ == CL_SUCCESS) fail(stage.finish());
  const Images again = images_of(stage);
  if (status_ == CL_SUCCESS) varies_ |= again != clean.images;
  return varies_;
}

// The first and the last byte whose poison the piece shows.
void DescriptionCheck::find_read(Stage& stage, const Description& description, const Clean& clean,
                                 std::vector<ByteRanges> poisoned, Difference difference) {
  const auto shows = [&](size_t buffer, uint64_t lo, uint64_t hi) {
    std::vector<ByteRanges> only(buffers_.size());
    only[buffer] = poisoned[buffer];
    only[buffer].clip(lo, hi);
    Wrong found = run_with(stage, difference.box, description, only, difference.poison, clean.images);
    if (status_ != CL_SUCCESS) return false;
    for (size_t b = 0; b < buffers_.size(); ++b)
      found.outside[b].subtract(clean.wrong.outside[b]);
    return found.any();
  };
  Wrong all = run_with(stage, difference.box, description, poisoned, difference.poison, clean.images);
  for (size_t b = 0; b < buffers_.size() && status_ == CL_SUCCESS; ++b)
    all.outside[b].subtract(clean.wrong.outside[b]);
  if (status_ != CL_SUCCESS || !all.any()) return;
  for (size_t b = 0; b < buffers_.size(); ++b) {
    if (poisoned[b].empty()) continue;
    const ByteRange hull = poisoned[b].hull();
    if (!shows(b, hull.lo, hull.hi)) continue;
    uint64_t lo = hull.lo;  // poison before it does not show; before `hi` it does
    uint64_t hi = hull.hi;
    while (hi - lo > 1 && status_ == CL_SUCCESS) {
      const uint64_t middle = lo + (hi - lo) / 2;
      (shows(b, hull.lo, middle) ? hi : lo) = middle;
    }
    const uint64_t first = hi - 1;
    lo = first;  // poison from it on shows; from `hi` on it does not
    hi = hull.hi;
    while (hi - lo > 1 && status_ == CL_SUCCESS) {
      const uint64_t middle = lo + (hi - lo) / 2;
      (shows(b, middle, hull.hi) ? lo : hi) = middle;
    }
    if (status_ == CL_SUCCESS) note(difference, b, ByteRanges(first, lo + 1));
    return;
  }
  difference.line = 0;
  differences_.push_back(std::move(difference));  // of several buffers together
}

}  // namespace mkmd::verify
