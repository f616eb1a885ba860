// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/trials.hpp"

#include <algorithm>

namespace mkmd::verify {

bool Wrong::any() const {
  const auto some = [](const ByteRanges& ranges) { return !ranges.empty(); };
  return std::ranges::any_of(outside, some) || std::ranges::any_of(inside, some);
}

void Trials::fail(cl_int status) {
  if (status_ == CL_SUCCESS) status_ = status;
}

ByteRanges Trials::all(size_t buffer) const {
  return {0, buffers_[buffer].contents.size()};
}

// Slack is never poison: what a program reads there, its own launch reads too.
BytesOfBuffers Trials::poisoned_by(const Description& description) const {
  BytesOfBuffers poisoned;
  for (size_t b = 0; b < buffers_.size(); ++b) {
    poisoned.emplace_back(buffers_[b].bytes.lo, buffers_[b].bytes.hi);
    poisoned.back().subtract(description[b].needed);
  }
  return poisoned;
}

void Trials::prepare(Stage& stage, const Description& description, Poison poison) {
  Filled& filled = filled_[&stage];
  const bool refill = !filled.valid || filled.poison != poison;
  filled.dirty.resize(buffers_.size());
  for (size_t b = 0; b < buffers_.size(); ++b) {
    const Scratch::Buffer& buffer = buffers_[b];
    unsigned char* const image = stage.open(b);
    if (image == nullptr) return fail(CL_MAP_FAILURE);
    const ByteRanges bytes(buffer.bytes.lo, buffer.bytes.hi);
    if (refill) {
      ByteRanges slack = all(b);
      slack.subtract(bytes);
      copy(buffer.contents.data(), image, slack);
    }
    fill(poison, image, refill ? bytes : filled.dirty[b]);
    copy(buffer.contents.data(), image, description[b].needed);
    filled.dirty[b] = description[b].needed;
    filled.dirty[b].unite(description[b].writes);
    stage.close(b);
  }
  filled.valid = true;
  filled.poison = poison;
}

void Trials::forget(const Stage& stage) {
  filled_[&stage].valid = false;
}

void Trials::run_alone(Stage& stage, const compiler::GroupBox& box, bool original,
                       const BytesOfBuffers& poisoned, Poison poison) {
  filled_.clear();  // of other stages, too: home's copies are also those of a device
  for (size_t b = 0; b < buffers_.size(); ++b) {
    unsigned char* const image = stage.open(b);
    if (image == nullptr) return fail(CL_MAP_FAILURE);
    copy(buffers_[b].contents.data(), image, all(b));
    if (!poisoned.empty()) fill(poison, image, poisoned[b]);
    stage.close(b);
  }
  if (ok()) fail(stage.start(box, original));
  if (ok()) fail(stage.finish());
}

Wrong Trials::look(Stage& stage, const Description& description, const BytesOfBuffers& poisoned,
                   Poison poison, const Images& expected) {
  Wrong wrong;
  for (size_t b = 0; b < buffers_.size(); ++b) {
    const unsigned char* const image = stage.open(b);
    if (image == nullptr) {
      fail(CL_MAP_FAILURE);
      return {};
    }
    ByteRanges poison_left;
    if (!poisoned.empty()) poison_left = poisoned[b];
    poison_left.subtract(description[b].writes);
    ByteRanges rest = all(b);
    rest.subtract(description[b].writes);
    rest.subtract(poison_left);
    ByteRanges outside = not_poison(poison, image, poison_left);
    outside.unite(differing(image, buffers_[b].contents.data(), rest));
    wrong.outside.push_back(std::move(outside));
    ByteRanges inside = description[b].writes;  // of what is shared, others make some
    for (const compiler::Updated& updated : description[b].shared)
      inside.subtract(updated.bytes);
    wrong.inside.push_back(differing(image, expected[b].data(), inside));
    stage.close(b);
  }
  return wrong;
}

Wrong Trials::wrong_of(Stage& stage, const compiler::GroupBox& box, const Description& description,
                       const BytesOfBuffers& poisoned, Poison poison, const Images& expected) {
  run_alone(stage, box, false, poisoned, poison);
  if (!ok()) return {};
  return look(stage, description, poisoned, poison, expected);
}

Images Trials::images_of(Stage& stage) {
  Images images;
  for (size_t b = 0; b < buffers_.size() && ok(); ++b) {
    const unsigned char* const image = stage.open(b);
    if (image == nullptr) {
      fail(CL_MAP_FAILURE);
      break;
    }
    images.emplace_back(image, image + buffers_[b].contents.size());
    stage.close(b);
  }
  return images;
}

Images Trials::result_of(Stage& stage, const compiler::GroupBox& box, bool original) {
  run_alone(stage, box, original, {}, Poison::small);
  return images_of(stage);
}

}  // namespace mkmd::verify
