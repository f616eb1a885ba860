// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/differences.hpp"

#include <algorithm>

namespace mkmd::verify {

namespace {

uint64_t gap(ByteRange a, ByteRange b) {
  return a.hi <= b.lo ? b.lo - a.hi + 1 : b.hi <= a.lo ? a.lo - b.hi + 1 : 0;
}

uint64_t gap(const ByteRanges& ranges, ByteRange to) {
  uint64_t least = UINT64_MAX;
  ranges.each_range([&](ByteRange r) { least = std::min(least, gap(r, to)); });
  return least;
}

}  // namespace

const char* to_string(Difference::Kind kind) {
  switch (kind) {
  case Difference::Kind::undescribed_read:
    return "undescribed read";
  case Difference::Kind::undescribed_write:
    return "undescribed write";
  case Difference::Kind::missing_write:
    return "missing write";
  case Difference::Kind::other_result:
    return "other result";
  }
  return "";
}

compiler::GroupBox DescribedLaunch::whole() const {
  const compiler::Launch& launch = facts.launch();
  compiler::GroupBox box;
  for (size_t d = 0; d < 3; ++d)
    box.hi[d] = launch.global[d] / launch.local[d];
  return box;
}

// Which of an argument's accesses comes closest to the bytes.
int Differences::line_of(const Difference& difference) const {
  const bool read = difference.kind == Difference::Kind::undescribed_read;
  int line = 0;
  uint64_t least = UINT64_MAX;
  for (const bool same_kind : {true, false}) {
    for (const compiler::Access& access : launch_.info.accesses) {
      const bool fits =
          read ? access.kind != compiler::Access::Kind::write : access.kind != compiler::Access::Kind::read;
      if (access.argument != difference.argument || access.line == 0 || fits != same_kind) continue;
      compiler::KernelInfo only = launch_.info;
      only.accesses = {access};
      const auto footprints = compiler::LaunchFootprints(only, launch_.facts.launch()).of(difference.box);
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

void Differences::note(Difference difference, size_t buffer, const ByteRanges& bytes) {
  const Scratch::Buffer& copy = launch_.buffers[buffer];
  const bool written = difference.kind != Difference::Kind::undescribed_read;
  const ByteRange hull = bytes.hull();
  // Of several arguments that name these bytes, one that the kernel is known to use that way.
  int best = -1;
  for (size_t i = 0; i < launch_.arguments.size(); ++i) {
    const Ref<Memory>& memory = launch_.arguments[i].memory;
    if (launch_.arguments[i].kind != KernelArgument::Kind::memory || !memory || memory->root() != copy.root)
      continue;
    const uint64_t begin = memory->origin + copy.shift;
    if (hull.hi <= begin || begin + memory->size <= hull.lo) continue;
    const bool known_for_it = std::ranges::any_of(launch_.info.accesses, [&](const compiler::Access& a) {
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
  all_.push_back(std::move(difference));
}

}  // namespace mkmd::verify
