// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/description_check.hpp"

#include "compiler/merging.hpp"
#include "libinterpose/verify/diagnosis.hpp"

#include <algorithm>
#include <iterator>

namespace mkmd::verify {

namespace {

constexpr size_t kMostPlaces = 65536;  // that a piece writes at, as contents say

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

DescriptionCheck::DescriptionCheck(const compiler::KernelInfo& info, const KernelArguments& arguments,
                                   const LaunchFacts& facts, const Buffers& buffers, Stage& home,
                                   std::vector<Stage*> stages)
    : launch_{info, arguments, facts, buffers}, whole_(launch_.whole()), home_(home),
      stages_(std::move(stages)), trials_(buffers), differences_(launch_) {}

std::vector<BufferUses> DescriptionCheck::uses_of(const std::vector<compiler::GroupBox>& boxes,
                                                  size_t most_blocks) const {
  std::vector<BufferUses> uses;
  uses.reserve(boxes.size());
  for (const compiler::GroupBox& box : boxes) {
    uses.push_back(buffer_uses(launch_.arguments, launch_.facts.of(box, most_blocks).get()));
    tell_apart(uses.back(), shown_, box, kMostPlaces);
  }
  return uses;
}

bool DescriptionCheck::look_into_contents(const std::function<bool()>& go_on) {
  std::vector<compiler::Target> targets = targets_of(launch_.arguments);
  const std::vector<uint64_t> roots = compiler::scattered_roots(launch_.info, targets);
  const std::vector<int> to_read = compiler::index_arguments(launch_.info, targets, roots);
  for (const int argument : to_read) {
    const auto i = static_cast<size_t>(argument);
    const auto buffer =
        std::ranges::find(launch_.buffers, launch_.arguments[i].tracked()->root(), &Scratch::Buffer::root);
    targets[i].contents = {buffer->contents.data() + targets[i].origin + buffer->shift, targets[i].size};
  }
  std::vector<compiler::OwnedBytes> owned;
  if (to_read.empty() || compiler::groups_apart(launch_.info, launch_.facts.launch(), targets, roots, go_on,
                                                &owned) != compiler::Shown::apart)
    return false;
  if (!std::ranges::all_of(owned, &compiler::OwnedBytes::known)) return false;
  shown_.apart = roots_of(launch_.arguments, roots);
  shown_.owned = std::make_shared<const std::vector<compiler::OwnedBytes>>(std::move(owned));
  return true;
}

Description DescriptionCheck::describe(size_t piece, const std::vector<BufferUses>& all) const {
  const BufferUses& uses = all[piece];
  Description description(launch_.buffers.size());
  for (size_t b = 0; b < launch_.buffers.size(); ++b) {
    const auto use = std::ranges::find(uses, launch_.buffers[b].root, &BufferUse::root);
    if (use == uses.end()) continue;
    description[b] = {use->needed, use->writes, shared_with(*use, piece, all)};
    description[b].needed.shift(launch_.buffers[b].shift);
    description[b].writes.shift(launch_.buffers[b].shift);
    for (compiler::Updated& updated : description[b].shared)
      updated.bytes.shift(launch_.buffers[b].shift);
  }
  return description;
}

// Whether the launch itself gives the same results again, as the program wrote it.
bool DescriptionCheck::whole_varies() {
  if (repeated_) return varies_;
  repeated_ = true;
  const Images again = trials_.result_of(home_, whole_, true);
  if (trials_.ok()) varies_ |= again != results_[0];
  return varies_;
}

cl_int DescriptionCheck::run_whole() {
  auto& at_home = results_[0] = trials_.result_of(home_, whole_, true);
  for (size_t b = 0; b < launch_.buffers.size() && trials_.ok(); ++b) {
    ByteRanges slack = trials_.all(b);
    slack.subtract({launch_.buffers[b].bytes.lo, launch_.buffers[b].bytes.hi});
    writes_beyond_ |= !differing(at_home[b].data(), launch_.buffers[b].contents.data(), slack).empty();
  }
  for (Stage* stage : stages_) {
    if (!trials_.ok() || writes_beyond_) break;
    if (!results_.contains(stage->code_generator())) measure_distance(*stage);
  }
  return trials_.status();
}

// Of a device whose results need not be home's to the last bit.
void DescriptionCheck::measure_distance(Stage& stage) {
  Images result = trials_.result_of(stage, whole_, false);
  if (!trials_.ok()) return;
  const auto& at_home = results_[0];
  if (has_floats(launch_.info)) {
    distance_.take(distance_between(at_home, result, launch_));
  } else {
    for (size_t b = 0; b < launch_.buffers.size(); ++b) {
      const ByteRanges wrong = differing(result[b].data(), at_home[b].data(), trials_.all(b));
      if (!wrong.empty()) note_other_result(stage, b, wrong);
    }
  }
  results_[stage.code_generator()] = std::move(result);
}

void DescriptionCheck::look_for_rest() {
  if (written_.empty() || !trials_.ok() || !differences_.all().empty()) return;
  for (const auto& [code_generator, result] : results_) {
    const auto stage = std::ranges::find(stages_, code_generator, &Stage::code_generator);
    for (size_t b = 0; b < launch_.buffers.size(); ++b) {
      ByteRanges rest = trials_.all(b);
      rest.subtract(written_[b]);
      const ByteRanges changed = differing(result[b].data(), launch_.buffers[b].contents.data(), rest);
      if (changed.empty() || whole_varies()) continue;
      note_other_result(stage != stages_.end() ? **stage : home_, b, changed);
    }
  }
}

void DescriptionCheck::merge_shared(Stage& stage, const Description& description) {
  for (size_t b = 0; b < launch_.buffers.size(); ++b) {
    if (description[b].shared.empty()) continue;
    merged_.images.resize(launch_.buffers.size());
    merged_.bytes.resize(launch_.buffers.size());
    std::vector<unsigned char>& merged = merged_.images[b];
    if (merged.empty()) merged = launch_.buffers[b].contents;
    const unsigned char* const image = stage.open(b);
    if (image == nullptr) return trials_.fail(CL_MAP_FAILURE);
    for (const compiler::Updated& updated : description[b].shared) {
      merge(updated, launch_.buffers[b].contents.data(), image, merged.data());
      merged_.bytes[b].unite(updated.bytes);
    }
    stage.close(b);
  }
}

void DescriptionCheck::look_at_merged() {
  for (size_t b = 0; b < merged_.images.size(); ++b) {
    if (merged_.images[b].empty()) continue;
    const ByteRanges wrong = differing(merged_.images[b].data(), results_[0][b].data(), merged_.bytes[b]);
    if (!wrong.empty() && !whole_varies()) note_other_result(home_, b, wrong);
  }
}

void DescriptionCheck::note_other_result(const Stage& stage, size_t buffer, const ByteRanges& bytes) {
  Difference difference;
  difference.kind = Difference::Kind::other_result;
  difference.device = stage.name();
  difference.box = whole_;
  differences_.note(std::move(difference), buffer, bytes);
}

// Some of the pieces, one on each stage; looks at what they have done.
void DescriptionCheck::run_beside(const std::vector<compiler::GroupBox>& pieces, size_t first,
                                  const std::vector<Description>& descriptions, Poison poison) {
  const size_t count = descriptions.size();
  for (size_t i = 0; i < count; ++i)
    stages_[i]->announce(pieces[first + i]);
  size_t started = 0;
  for (; started < count && trials_.ok(); ++started)
    trials_.fail(stages_[started]->start(pieces[first + started], false));
  for (size_t i = 0; i < started; ++i)
    trials_.fail(stages_[i]->finish());
  for (size_t i = 0; i < count && trials_.ok(); ++i) {
    ++pieces_run_;
    Stage& stage = *stages_[i];
    const Images& expected = results_[stage.code_generator()];
    const Wrong wrong =
        trials_.look(stage, descriptions[i], trials_.poisoned_by(descriptions[i]), poison, expected);
    if (trials_.ok()) merge_shared(stage, descriptions[i]);
    if (!trials_.ok() || !wrong.any()) continue;
    trials_.forget(stage);
    Diagnosis(trials_, differences_, varies_, stage, pieces[first + i], descriptions[i], poison)
        .run(expected, [this] { return whole_varies(); });
  }
}

bool DescriptionCheck::check(const std::vector<compiler::GroupBox>& pieces, bool whole, Poison poison,
                             size_t most_blocks) {
  // They are compared with the whole launch: nothing of it that does not run may write their bytes.
  std::vector<BufferUses> uses = uses_of(pieces, most_blocks);
  std::ranges::move(uses_of(left_out(whole_, pieces), most_blocks), std::back_inserter(uses));
  if (!may_be_apart(uses, pieces.size())) return false;
  BytesOfBuffers written(launch_.buffers.size());
  merged_ = {};
  for (size_t next = 0; next < pieces.size() && trials_.ok(); next += stages_.size()) {
    const size_t count = std::min(stages_.size(), pieces.size() - next);
    std::vector<Description> descriptions;
    for (size_t i = 0; i < count && trials_.ok(); ++i) {
      descriptions.push_back(describe(next + i, uses));
      trials_.prepare(*stages_[i], descriptions[i], poison);
      for (size_t b = 0; b < written.size(); ++b)
        written[b].unite(descriptions[i][b].writes);
    }
    if (trials_.ok()) run_beside(pieces, next, descriptions, poison);
  }
  if (!whole || !trials_.ok()) return true;
  written_ = std::move(written);
  look_at_merged();
  return true;
}

}  // namespace mkmd::verify
