// SPDX-License-Identifier: Apache-2.0
// What the contents of index buffers show about work-groups, for the kernels of kernels/scatter.cl.
#include "compiler/groups_apart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

template <typename T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const uint8_t*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

template <typename T>
std::vector<T> counted(size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{0});
  return values;
}

template <typename T>
std::vector<T> permutation(size_t count) {
  std::vector<T> values = counted<T>(count);
  std::shuffle(values.begin(), values.end(), std::mt19937(5));
  return values;
}

class GroupsApart : public testing::Test {
protected:
  static const KernelFile& file() {
    static const std::vector<KernelFile> files = kernel_files();
    return *std::ranges::find(files, "scatter", &KernelFile::name);
  }
  static const Module& module() {
    static const Module made = [] {
      Client client(MKMD_KC, "");
      Result<Module> m = client.compile(request_for(file().source, ""));
      EXPECT_TRUE(m.ok()) << m.status().message();
      return m.ok() ? *m : Module{};
    }();
    return made;
  }

  // The kernel's launch. Its arguments lead to buffers of their own, as large as the file says.
  void take(const std::string& kernel) {
    info_ = find_kernel(module(), kernel);
    ASSERT_NE(info_, nullptr);
    const auto line = std::ranges::find(file().launches, kernel, &LaunchLine::kernel);
    launch_ = line->with_scalars(*info_);
    targets_.assign(info_->arguments.size(), {});
    bytes_.assign(info_->arguments.size(), {});
    for (size_t i = 0; i < targets_.size(); ++i) {
      if (line->arguments[i].kind != ArgumentValue::Kind::buffer) continue;
      const uint64_t size = line->arguments[i].bytes.size();
      targets_[i] = {i + 1, 0, size, size};
    }
  }
  template <typename T>
  void hold(size_t argument, const std::vector<T>& values) {
    bytes_[argument] = bytes_of(values);
  }

  Shown shown() {
    const std::vector<uint64_t> roots = scattered_roots(*info_, targets_);
    const std::vector<int> read = index_arguments(*info_, targets_, roots);
    if (read.empty()) return Shown::nothing;
    std::vector<Target> targets = targets_;
    for (const int argument : read) {
      const auto i = static_cast<size_t>(argument);
      targets[i].contents = {bytes_[i].data(), bytes_[i].size()};
    }
    return groups_apart(*info_, launch_, targets, roots, [this] { return steps_-- > 0; });
  }
  template <typename T>
  Shown shown(const std::string& kernel, const std::vector<T>& index) {
    take(kernel);
    hold(0, index);
    return shown();
  }

  const KernelInfo* info_ = nullptr;
  Launch launch_;
  std::vector<Target> targets_;
  std::vector<std::vector<uint8_t>> bytes_;
  int64_t steps_ = 1 << 20;
};

TEST_F(GroupsApart, APermutationKeepsThemApart) {
  EXPECT_EQ(shown("permuted", permutation<int32_t>(64)), Shown::apart);
  EXPECT_EQ(shown("permuted_in_place", permutation<int32_t>(64)), Shown::apart);
  EXPECT_EQ(shown("permuted_unsigned", permutation<uint32_t>(64)), Shown::apart);
  EXPECT_EQ(shown("permuted_long", permutation<int64_t>(64)), Shown::apart);
  EXPECT_EQ(shown("in_two_dimensions", permutation<int32_t>(64)), Shown::apart);
}

TEST_F(GroupsApart, UnsignedNumbersOfAFewBitsAreReadAsTheyAre) {
  std::vector<uint8_t> index = permutation<uint8_t>(256);
  EXPECT_EQ(shown("permuted_bytes", index), Shown::apart);
  index[255] = index[0];
  EXPECT_EQ(shown("permuted_bytes", index), Shown::nothing);
}

TEST_F(GroupsApart, OneNumberTwiceBringsTwoGroupsTogether) {
  for (const char* const kernel :
       {"permuted", "permuted_in_place", "permuted_unsigned", "in_two_dimensions"}) {
    std::vector<int32_t> index = permutation<int32_t>(64);
    index[63] = index[0];
    EXPECT_EQ(shown(kernel, index), Shown::nothing) << kernel;
  }
  std::vector<int32_t> within_a_group = permutation<int32_t>(64);
  within_a_group[7] = within_a_group[0];
  EXPECT_EQ(shown("permuted", within_a_group), Shown::apart);
}

TEST_F(GroupsApart, AnIndexOutsideTheBufferIsNotBelieved) {
  for (const int32_t wrong : {-1, 64, INT32_MIN, INT32_MAX}) {
    std::vector<int32_t> index = permutation<int32_t>(64);
    index[std::ranges::find(index, 63) - index.begin()] = wrong;
    EXPECT_EQ(shown("permuted", index), Shown::nothing) << wrong;
    EXPECT_EQ(shown("permuted_unsigned", index), Shown::nothing) << wrong;
  }
  // 4 · 2^62 is 0 in the program's arithmetic.
  std::vector<int64_t> wrapping = permutation<int64_t>(64);
  wrapping[0] += int64_t{1} << 62;
  EXPECT_EQ(shown("permuted_long", wrapping), Shown::nothing);
}

TEST_F(GroupsApart, AnIndexBeyondTheEndOfItsBufferIsUnknown) {
  EXPECT_EQ(shown("permuted", permutation<int32_t>(63)), Shown::nothing);
  EXPECT_EQ(shown("permuted", std::vector<int32_t>{}), Shown::nothing);
}

TEST_F(GroupsApart, OnlyWorkItemsThatGetThereCount) {
  std::vector<int32_t> index = permutation<int32_t>(64);
  for (size_t i = 50; i < 64; ++i)
    index[i] = index[0];
  EXPECT_EQ(shown("guarded", index), Shown::apart);
  index[49] = index[0];
  EXPECT_EQ(shown("guarded", index), Shown::nothing);
  std::vector<int32_t> holes = permutation<int32_t>(64);
  holes[3] = holes[40] = holes[63] = -1;
  EXPECT_EQ(shown("some_only", holes), Shown::apart);
  holes[3] = holes[41];
  EXPECT_EQ(shown("some_only", holes), Shown::nothing);
}

TEST_F(GroupsApart, AnIndexMayBeLoadedAtALoadedIndex) {
  take("index_of_index");
  hold(0, permutation<int32_t>(64));
  hold(1, permutation<int32_t>(64));
  EXPECT_EQ(shown(), Shown::apart);
  std::vector<int32_t> twice = permutation<int32_t>(64);
  twice[10] = twice[30];
  hold(1, twice);
  EXPECT_EQ(shown(), Shown::nothing);
  std::vector<int32_t> beyond = permutation<int32_t>(64);
  beyond[10] = 64;
  hold(0, beyond);
  EXPECT_EQ(shown(), Shown::nothing);
}

TEST_F(GroupsApart, AComponentOfAVectorIsAnIndex) {
  const std::vector<int32_t> order = permutation<int32_t>(63);
  std::vector<int32_t> index(128, 7);
  for (size_t i = 0; i < 63; ++i)
    index[2 * i + 1] = order[i];
  index[127] = -1;  // one is added
  EXPECT_EQ(shown("pair", index), Shown::apart);
  index[127] = 5;
  EXPECT_EQ(shown("pair", index), Shown::nothing);
}

TEST_F(GroupsApart, RowsThatFollowEachOtherAreApart) {
  std::vector<int32_t> first(64), count(64, 1);
  count[8] = 0;
  count[9] = 2;
  for (size_t i = 1; i < 64; ++i)
    first[i] = first[i - 1] + count[i - 1];
  take("rows");
  hold(0, first);
  hold(1, count);
  EXPECT_EQ(shown(), Shown::apart);
  count[39] = 2;  // into the next group's row
  hold(1, count);
  EXPECT_EQ(shown(), Shown::nothing);
}

TEST_F(GroupsApart, RowsEndWhereTheNextOnesBegin) {
  std::vector<int32_t> first = counted<int32_t>(65);
  for (const char* const kernel : {"rows_to_the_next", "unsigned_rows", "rows_upwards_from_the_last"})
    EXPECT_EQ(shown(kernel, first), Shown::apart) << kernel;
  std::ranges::for_each(first, [](int32_t& f) { f = std::min(2 * (f / 2), 58); });  // some are empty
  for (const char* const kernel : {"rows_to_the_next", "unsigned_rows"}) {
    EXPECT_EQ(shown(kernel, first), Shown::apart) << kernel;
    std::vector<int32_t> wrong = first;
    wrong[24] = 40;  // the row before, of another group, is longer
    EXPECT_EQ(shown(kernel, wrong), Shown::nothing) << kernel;
    for (const int32_t end : {65, INT32_MAX}) {
      wrong = first;
      wrong[64] = end;
      EXPECT_EQ(shown(kernel, wrong), Shown::nothing) << kernel << " to " << end;
    }
  }
  take("entries_of_rows");
  hold(0, counted<int32_t>(65));
  hold(1, permutation<int32_t>(64));
  EXPECT_EQ(shown(), Shown::apart);
  std::vector<int32_t> twice = permutation<int32_t>(64);
  twice[63] = twice[0];
  hold(1, twice);
  EXPECT_EQ(shown(), Shown::nothing);
}

// The rest of the longest rows is looked at without the others.
TEST_F(GroupsApart, RowsMayBeVeryUnequal) {
  std::vector<int32_t> first(65);
  for (size_t i = 0; i < 64; ++i)
    first[i + 1] = first[i] + (i == 5 ? 50000 : i == 40 ? 30000 : 1);
  const auto count = static_cast<size_t>(first[64]);
  const auto look = [&](const std::string& kernel, const std::vector<int32_t>& rows) {
    take(kernel);
    targets_.back().size = targets_.back().root_size = count * sizeof(int32_t);
    hold(0, rows);
    return shown();
  };
  EXPECT_EQ(look("rows_to_the_next", first), Shown::apart);
  EXPECT_EQ(look("rows_upwards_from_the_last", first), Shown::apart);
  std::vector<int32_t> wrong = first;
  wrong[47] = first[48] + 1;  // the row of item 46 reaches into that of item 48, of another group
  EXPECT_EQ(look("rows_to_the_next", wrong), Shown::nothing);
  std::vector<int32_t> column = permutation<int32_t>(count);
  const auto look_at_entries = [&] {
    take("entries_of_rows");
    for (const size_t i : {1, 2})
      targets_[i].size = targets_[i].root_size = count * sizeof(int32_t);
    hold(0, first);
    hold(1, column);
    return shown();
  };
  EXPECT_EQ(look_at_entries(), Shown::apart);
  std::swap(column[20000], column[70000]);  // of two items that are looked at alone
  EXPECT_EQ(look_at_entries(), Shown::apart);
  column[20000] = column[70000];
  EXPECT_EQ(look_at_entries(), Shown::nothing);
}

TEST_F(GroupsApart, AnIndexMayBeComputedFromALoadedOne) {
  const std::vector<int32_t> order = permutation<int32_t>(64);
  const auto mapped = [&](auto number) {
    std::vector<int32_t> index(64);
    std::ranges::transform(order, index.begin(), number);
    return index;
  };
  EXPECT_EQ(shown("quotient", mapped([](int32_t i) { return 2 * i + i % 2; })), Shown::apart);
  EXPECT_EQ(shown("transposed", order), Shown::apart);
  EXPECT_EQ(shown("masked", mapped([](int32_t i) { return 16 * i + 1024 * i + i % 16; })), Shown::apart);
  EXPECT_EQ(shown("clamped", mapped([](int32_t i) { return i == 63  ? 1000
                                                           : i == 0 ? -7
                                                                    : i; })),
            Shown::apart);
  EXPECT_EQ(shown("flipped", order), Shown::apart);
  for (const char* const kernel : {"quotient", "transposed", "masked", "clamped", "flipped"}) {
    std::vector<int32_t> index = order;
    index[63] = index[0];
    EXPECT_EQ(shown(kernel, index), Shown::nothing) << kernel;
  }
  EXPECT_EQ(shown("clamped", mapped([](int32_t i) { return i + 1; })), Shown::nothing);  // 63 and 64
  take("at_a_quotient");
  hold(0, mapped([](int32_t i) { return 2 * i; }));
  hold(1, permutation<int32_t>(64));
  EXPECT_EQ(shown(), Shown::apart);
  hold(0, order);
  EXPECT_EQ(shown(), Shown::nothing);
}

TEST_F(GroupsApart, OffsetsInStructsAreIndices) {
  struct Box {
    int32_t x = 0, y = 0;
    int64_t offset = 0;
  };
  std::vector<Box> boxes(8);
  for (size_t i = 0; i < 8; ++i)
    boxes[i].offset = static_cast<int64_t>(8 * (7 - i));
  EXPECT_EQ(shown("boxes", boxes), Shown::apart);
  boxes[3].offset = 4;
  EXPECT_EQ(shown("boxes", boxes), Shown::nothing);
}

TEST_F(GroupsApart, WhatOthersWriteMustNotBeRead) {
  EXPECT_EQ(shown("reads_a_neighbour", permutation<int32_t>(64)), Shown::nothing);
  std::vector<int32_t> within(64);  // what a group's last item reads, nobody writes
  for (size_t i = 0; i < 64; ++i)
    within[i] = static_cast<int32_t>(i % 8 == 7 ? i - 7 : i);
  EXPECT_EQ(shown("reads_a_neighbour", within), Shown::apart);
}

TEST_F(GroupsApart, AnIndexBufferMustStayAsItIs) {
  EXPECT_EQ(shown("changes_its_index", permutation<int32_t>(64)), Shown::nothing);
  EXPECT_EQ(shown("volatile_index", permutation<int32_t>(64)), Shown::nothing);
  take("permuted");
  hold(0, permutation<int32_t>(64));
  EXPECT_EQ(shown(), Shown::apart);
  targets_[0] = {2, 0, 256, 512};  // both in one buffer
  targets_[1] = {2, 256, 256, 512};
  EXPECT_EQ(shown(), Shown::nothing);
}

TEST_F(GroupsApart, LongLoopsEndWhenTimeIsOver) {
  std::vector<int32_t> counts(64, 0);
  counts[5] = 9;
  EXPECT_EQ(shown("while_less", counts), Shown::apart);
  counts[5] = INT32_MAX;
  EXPECT_EQ(shown("while_less", counts), Shown::nothing);  // its first step beyond the buffer ends it
  counts[5] = 9;
  steps_ = 3;
  EXPECT_EQ(shown("while_less", counts), Shown::stopped);
}

// Descriptions, which are cached, name what they need and nothing else.
TEST_F(GroupsApart, OnlyKernelsThatWriteAtLoadedIndicesAreLookedInto) {
  const auto asks = [](const char* kernel) { return writes_at_loaded(*find_kernel(module(), kernel)); };
  EXPECT_TRUE(asks("permuted"));
  EXPECT_TRUE(asks("rows"));
  EXPECT_FALSE(asks("volatile_index"));
  Client client(MKMD_KC, "");
  const Result<Module> gather = client.compile(request_for(
      "kernel void k(global const int* i, global int* o) { o[get_global_id(0)] = i[i[get_global_id(0)]]; }",
      ""));
  ASSERT_TRUE(gather.ok());
  EXPECT_TRUE(gather->kernels.at(0).loads.empty());
}

}  // namespace
}  // namespace mkmd::compiler::test
