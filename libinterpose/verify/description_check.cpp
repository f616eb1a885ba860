// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/description_check.hpp"

#include "libinterpose/verify/merging.hpp"

#include <algorithm>
#include <iterator>

namespace mkmd::verify {

namespace {

// The boxes of the launch that lie before, between and behind pieces that are cut along one dimension.
std::vector<compiler::GroupBox> left_out(const compiler::GroupBox& whole,
                                         std::vector<compiler::GroupBox> pieces) {
  std::vector<compiler::GroupBox> boxes;
  for (size_t d = 0; d < 3; ++d) {
    if (std::ranges::all_of(pieces, [&](const compiler::GroupBox& piece) {
          return piece.lo[d] == whole.lo[d] && piece.hi[d] == whole.hi[d];
        }))
      continue;
    std::ranges::sort(pieces, {}, [&](const compiler::GroupBox& piece) { return piece.lo[d]; });
    compiler::GroupBox box = whole;
    const auto add_until = [&](uint64_t end) {
      box.hi[d] = end;
      if (box.lo[d] < end) boxes.push_back(box);
    };
    for (const compiler::GroupBox& piece : pieces) {
      add_until(piece.lo[d]);
      box.lo[d] = piece.hi[d];
    }
    add_until(whole.hi[d]);
  }
  return boxes;
}

// What the piece and others update alike.
std::vector<compiler::Updated> shared_with(const BufferUse& use, size_t piece,
                                           const std::vector<BufferUses>& all) {
  std::vector<compiler::Updated> shared;
  for (const compiler::Updated& own : use.updates) {
    ByteRanges bytes;
    for (size_t i = 0; i < all.size(); ++i) {
      const auto same = std::ranges::find(all[i], use.root, &BufferUse::root);
      if (i != piece && same != all[i].end()) bytes.unite(compiler::commuting({own}, same->updates));
    }
    if (!bytes.empty()) shared.push_back({own.by, std::move(bytes)});
  }
  return shared;
}

// The first `pieces` of them run.
bool may_be_apart(const std::vector<BufferUses>& all, size_t pieces) {
  for (size_t a = 0; a < pieces; ++a) {
    for (size_t b = a + 1; b < all.size(); ++b) {
      if (!commute(all[a], all[b])) return false;
    }
  }
  return true;
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

bool DescriptionCheck::Wrong::any() const {
  const auto some = [](const ByteRanges& ranges) { return !ranges.empty(); };
  return std::ranges::any_of(outside, some) || std::ranges::any_of(inside, some);
}

DescriptionCheck::DescriptionCheck(const compiler::KernelInfo& info, const KernelArguments& arguments,
                                   const LaunchFacts& facts, const Buffers& buffers, Stage& home,
                                   std::vector<Stage*> stages)
    : info_(info), arguments_(arguments), facts_(facts), buffers_(buffers), home_(home),
      stages_(std::move(stages)) {
  const compiler::Launch& launch = facts.launch();
  for (size_t d = 0; d < 3; ++d)
    whole_.hi[d] = launch.global[d] / launch.local[d];
}

void DescriptionCheck::fail(cl_int status) {
  if (status_ == CL_SUCCESS) status_ = status;
}

ByteRanges DescriptionCheck::all(size_t buffer) const {
  return {0, buffers_[buffer].contents.size()};
}

std::vector<BufferUses> DescriptionCheck::uses_of(const std::vector<compiler::GroupBox>& boxes,
                                                  size_t most_blocks) const {
  std::vector<BufferUses> uses;
  uses.reserve(boxes.size());
  for (const compiler::GroupBox& box : boxes)
    uses.push_back(buffer_uses(arguments_, facts_.of(box, most_blocks).get()));
  return uses;
}

DescriptionCheck::Description DescriptionCheck::describe(size_t piece,
                                                         const std::vector<BufferUses>& all) const {
  const BufferUses& uses = all[piece];
  Description description(buffers_.size());
  for (size_t b = 0; b < buffers_.size(); ++b) {
    const auto use = std::ranges::find(uses, buffers_[b].root, &BufferUse::root);
    if (use == uses.end()) continue;
    description[b] = {use->needed, use->writes, shared_with(*use, piece, all)};
    description[b].needed.shift(buffers_[b].shift);
    description[b].writes.shift(buffers_[b].shift);
    for (compiler::Updated& updated : description[b].shared)
      updated.bytes.shift(buffers_[b].shift);
  }
  return description;
}

// Slack is never poison: what a program reads there, its own launch reads too.
std::vector<ByteRanges> DescriptionCheck::poisoned_by(const Description& description) const {
  std::vector<ByteRanges> poisoned;
  for (size_t b = 0; b < buffers_.size(); ++b) {
    poisoned.emplace_back(buffers_[b].bytes.lo, buffers_[b].bytes.hi);
    poisoned.back().subtract(description[b].needed);
  }
  return poisoned;
}

void DescriptionCheck::prepare(Stage& stage, const Description& description, Poison poison) {
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

void DescriptionCheck::prepare_only(Stage& stage, const std::vector<ByteRanges>& poisoned, Poison poison) {
  filled_.clear();  // of other stages, too: home's copies are also those of a device
  for (size_t b = 0; b < buffers_.size(); ++b) {
    unsigned char* const image = stage.open(b);
    if (image == nullptr) return fail(CL_MAP_FAILURE);
    copy(buffers_[b].contents.data(), image, all(b));
    if (!poisoned.empty()) fill(poison, image, poisoned[b]);
    stage.close(b);
  }
}

DescriptionCheck::Wrong DescriptionCheck::look(Stage& stage, const Description& description,
                                               const std::vector<ByteRanges>& poisoned, Poison poison,
                                               const Images& expected) {
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

DescriptionCheck::Images DescriptionCheck::images_of(Stage& stage) {
  Images images;
  for (size_t b = 0; b < buffers_.size() && status_ == CL_SUCCESS; ++b) {
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

DescriptionCheck::Images DescriptionCheck::result_of(Stage& stage, bool original) {
  prepare_only(stage, {}, Poison::small);
  if (status_ == CL_SUCCESS) fail(stage.start(whole_, original));
  if (status_ == CL_SUCCESS) fail(stage.finish());
  return images_of(stage);
}

// Whether the launch itself gives the same results again, as the program wrote it.
bool DescriptionCheck::whole_varies() {
  if (repeated_) return varies_;
  repeated_ = true;
  const Images again = result_of(home_, true);
  if (status_ == CL_SUCCESS) varies_ |= again != results_[0];
  return varies_;
}

cl_int DescriptionCheck::run_whole() {
  auto& at_home = results_[0] = result_of(home_, true);
  for (size_t b = 0; b < buffers_.size() && status_ == CL_SUCCESS; ++b) {
    ByteRanges slack = all(b);
    slack.subtract({buffers_[b].bytes.lo, buffers_[b].bytes.hi});
    writes_beyond_ |= !differing(at_home[b].data(), buffers_[b].contents.data(), slack).empty();
  }
  for (Stage* stage : stages_) {
    if (status_ != CL_SUCCESS || writes_beyond_) break;
    if (!results_.contains(stage->code_generator())) measure_distance(*stage);
  }
  return status_;
}

// Of a device whose results need not be home's to the last bit.
void DescriptionCheck::measure_distance(Stage& stage) {
  auto result = result_of(stage, false);
  if (status_ != CL_SUCCESS) return;
  const auto& at_home = results_[0];
  if (has_floats()) {
    const Distance found = distance_between(at_home, result);
    distance_.ulps = std::max(distance_.ulps, found.ulps);
    distance_.nans = std::max(distance_.nans, found.nans);
    distance_.bytes = std::max(distance_.bytes, found.bytes);
  } else {
    for (size_t b = 0; b < buffers_.size(); ++b) {
      const ByteRanges wrong = differing(result[b].data(), at_home[b].data(), all(b));
      if (wrong.empty()) continue;
      Difference difference;  // of the kind other_result
      difference.device = stage.name();
      difference.box = whole_;
      note(std::move(difference), b, wrong);
    }
  }
  results_[stage.code_generator()] = std::move(result);
}

void DescriptionCheck::look_for_rest() {
  if (written_.empty() || status_ != CL_SUCCESS || !differences_.empty()) return;
  for (const auto& [code_generator, result] : results_) {
    const auto stage = std::ranges::find(stages_, code_generator, &Stage::code_generator);
    for (size_t b = 0; b < buffers_.size(); ++b) {
      ByteRanges rest = all(b);
      rest.subtract(written_[b]);
      const ByteRanges changed = differing(result[b].data(), buffers_[b].contents.data(), rest);
      if (changed.empty() || whole_varies()) continue;
      Difference difference;  // of the kind other_result
      difference.device = stage != stages_.end() ? (*stage)->name() : home_.name();
      difference.box = whole_;
      note(std::move(difference), b, changed);
    }
  }
}

void DescriptionCheck::merge_shared(Stage& stage, const Description& description) {
  for (size_t b = 0; b < buffers_.size(); ++b) {
    if (description[b].shared.empty()) continue;
    merged_.images.resize(buffers_.size());
    merged_.bytes.resize(buffers_.size());
    std::vector<unsigned char>& merged = merged_.images[b];
    if (merged.empty()) merged = buffers_[b].contents;
    const unsigned char* const image = stage.open(b);
    if (image == nullptr) return fail(CL_MAP_FAILURE);
    for (const compiler::Updated& updated : description[b].shared) {
      merge(updated, buffers_[b].contents.data(), image, merged.data());
      merged_.bytes[b].unite(updated.bytes);
    }
    stage.close(b);
  }
}

void DescriptionCheck::look_at_merged() {
  for (size_t b = 0; b < merged_.images.size(); ++b) {
    if (merged_.images[b].empty()) continue;
    const ByteRanges wrong = differing(merged_.images[b].data(), results_[0][b].data(), merged_.bytes[b]);
    if (wrong.empty() || whole_varies()) continue;
    Difference difference;  // of the kind other_result
    difference.device = home_.name();
    difference.box = whole_;
    note(std::move(difference), b, wrong);
  }
}

bool DescriptionCheck::check(const std::vector<compiler::GroupBox>& pieces, bool whole, Poison poison,
                             size_t most_blocks) {
  // They are compared with the whole launch: nothing of it that does not run may write their bytes.
  std::vector<BufferUses> uses = uses_of(pieces, most_blocks);
  std::ranges::move(uses_of(left_out(whole_, pieces), most_blocks), std::back_inserter(uses));
  if (!may_be_apart(uses, pieces.size())) return false;
  std::vector<ByteRanges> written(buffers_.size());
  merged_ = {};
  for (size_t next = 0; next < pieces.size() && status_ == CL_SUCCESS; next += stages_.size()) {
    const size_t count = std::min(stages_.size(), pieces.size() - next);
    std::vector<Description> descriptions;
    for (size_t i = 0; i < count && status_ == CL_SUCCESS; ++i) {
      descriptions.push_back(describe(next + i, uses));
      prepare(*stages_[i], descriptions[i], poison);
      for (size_t b = 0; b < buffers_.size(); ++b)
        written[b].unite(descriptions[i][b].writes);
    }
    if (status_ != CL_SUCCESS) break;
    for (size_t i = 0; i < count; ++i)
      stages_[i]->announce(pieces[next + i]);
    size_t started = 0;
    for (; started < count && status_ == CL_SUCCESS; ++started)
      fail(stages_[started]->start(pieces[next + started], false));
    for (size_t i = 0; i < started; ++i)
      fail(stages_[i]->finish());
    for (size_t i = 0; i < count && status_ == CL_SUCCESS; ++i) {
      ++pieces_run_;
      Stage& stage = *stages_[i];
      const Wrong wrong = look(stage, descriptions[i], poisoned_by(descriptions[i]), poison,
                               results_[stage.code_generator()]);
      if (status_ == CL_SUCCESS) merge_shared(stage, descriptions[i]);
      if (status_ != CL_SUCCESS || !wrong.any()) continue;
      filled_[&stage].valid = false;
      diagnose(stage, pieces[next + i], descriptions[i], poison);
    }
  }
  if (!whole || status_ != CL_SUCCESS) return true;
  written_ = std::move(written);
  look_at_merged();
  return true;
}

}  // namespace mkmd::verify
