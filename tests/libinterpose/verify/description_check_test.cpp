// SPDX-License-Identifier: Apache-2.0
// Kernels here are functions on host memory, so that they and their descriptions can be wrong in any way.
#include "libinterpose/verify/description_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace mkmd::verify {
namespace {

using Kind = Difference::Kind;
using Bytes = std::vector<unsigned char>;
using Access = compiler::Access;

constexpr uint64_t kGroups = 16;
constexpr uint64_t kLocal = 4;
constexpr uint64_t kItems = kGroups * kLocal;
constexpr uint64_t kSlack = 4096;

// What a kernel sees: its arguments, and which work-items to run.
struct Running {
  std::vector<unsigned char*> arguments;
  uint64_t first, end;
  bool original;  // as the program wrote it, at home
  int code_generator;

  template <typename T = uint32_t>
  T* of(size_t argument) const {
    return reinterpret_cast<T*>(arguments[argument]);
  }
};
using Kernel = std::function<void(const Running&)>;

class FakeStage : public Stage {
public:
  FakeStage(std::vector<Bytes>& images, int code_generator) : images(images), generator(code_generator) {}
  std::string name() const override { return "stage " + std::to_string(generator); }
  int code_generator() const override { return generator; }
  unsigned char* open(size_t buffer) override { return refuses_maps ? nullptr : images[buffer].data(); }
  void close(size_t) override {}
  cl_int start(const compiler::GroupBox& box, bool original) override {
    if (refused != CL_SUCCESS) return refused;
    Running running{{}, box.lo[0] * kLocal, box.hi[0] * kLocal, original, generator};
    for (const auto& [buffer, offset] : arguments)
      running.arguments.push_back(images[buffer].data() + offset);
    (*kernel)(running);
    ++started;
    return CL_SUCCESS;
  }
  cl_int finish() override { return CL_SUCCESS; }

  std::vector<Bytes>& images;
  const int generator;
  std::vector<std::pair<size_t, uint64_t>> arguments;  // buffer, and where in its copy
  const Kernel* kernel = nullptr;
  cl_int refused = CL_SUCCESS;
  bool refuses_maps = false;
  int started = 0;
};

// A kernel of one dimension, whose accesses are at offset + stride · global id.
class DescriptionCheckTest : public testing::Test {
protected:
  DescriptionCheckTest() : context_(new Context({}, {}, {})) {
    launch_ = {1, {kItems, 1, 1}, {kLocal, 1, 1}, {0, 0, 0}, {}};
  }
  ~DescriptionCheckTest() override {
    arguments_.clear();
    for (Memory* memory : owned_)
      memory->release();
    context_->release();
  }

  // Numbers in which no byte is zero or one.
  void add_buffer(uint64_t bytes, const std::string& type = "uint*") {
    Memory* memory = new Memory(context_, {}, nullptr, 0, bytes, false);
    owned_.push_back(memory);
    Scratch::Buffer buffer{memory, kSlack, {kSlack, kSlack + bytes}, false, Bytes(2 * kSlack + bytes)};
    for (uint64_t i = 0; i < bytes; ++i)
      buffer.contents[kSlack + i] = static_cast<unsigned char>(0x11 + (i * 7 + buffers_.size()) % 100);
    add_argument(memory, buffers_.size(), 0, type);
    buffers_.push_back(std::move(buffer));
  }
  void add_part(size_t buffer, uint64_t origin, uint64_t bytes) {
    Memory* memory = new Memory(context_, {}, buffers_[buffer].root, origin, bytes, false);
    owned_.push_back(memory);
    add_argument(memory, buffer, origin, "uint*");
  }
  void describe(Access::Kind kind, int argument, uint32_t bytes, int64_t stride, int64_t offset = 0,
                bool sure = true) {
    const auto index = static_cast<int>(info_.expressions.size());
    info_.expressions.insert(info_.expressions.end(), {stride, offset});
    Access access;
    access.kind = kind;
    access.argument = argument;
    access.known = true;
    access.sure = sure;
    access.bytes = bytes;
    access.offset = {index + 1, {{{compiler::Variable::Kind::global_id, 0}, index}}};
    access.line = 10 + static_cast<int>(info_.accesses.size());
    info_.accesses.push_back(access);
  }

  struct Found {
    std::vector<Difference> differences;
    Distance distance;
    cl_int status;
    bool independent, varies, writes_beyond;
    uint64_t pieces;
  };
  Found check(const Kernel& kernel, Poison poison = Poison::small, int second_generator = 0,
              cl_int refused = CL_SUCCESS, bool refuses_maps = false) {
    const LaunchFacts facts(info_, launch_);
    std::vector<Bytes> at_home;
    for (const Scratch::Buffer& b : buffers_)
      at_home.emplace_back(b.contents.size());
    std::vector<Bytes> elsewhere = at_home;
    FakeStage home(at_home, 0);
    FakeStage first(at_home, 0);
    FakeStage second(elsewhere, second_generator);
    for (FakeStage* stage : {&home, &first, &second}) {
      stage->arguments = places_;
      stage->kernel = &kernel;
    }
    second.refused = refused;
    second.refuses_maps = refuses_maps;
    DescriptionCheck check(info_, arguments_, facts, buffers_, home, {&first, &second});
    Found found{};
    if (check.run_whole() == CL_SUCCESS && !check.writes_beyond()) {
      const int before = first.started + second.started;
      found.independent = check.check(pieces_, whole_, poison, compiler::kMostBlocks);
      if (!found.independent) {
        EXPECT_EQ(first.started + second.started, before);
      }
      check.look_for_rest();
    }
    found.differences = check.differences();
    found.distance = check.distance();
    found.status = check.status();
    found.varies = check.varies();
    found.writes_beyond = check.writes_beyond();
    found.pieces = check.pieces_run();
    return found;
  }
  // Under both poisons: one difference at least, and the first is this one.
  void expect(const Kernel& kernel, Kind kind, int argument, ByteRange bytes, int line) {
    for (const Poison poison : {Poison::small, Poison::mixed}) {
      const Found found = check(kernel, poison);
      ASSERT_FALSE(found.differences.empty());
      const Difference& d = found.differences.front();
      EXPECT_STREQ(to_string(d.kind), to_string(kind));
      EXPECT_EQ(d.argument, argument);
      EXPECT_EQ(d.bytes, bytes);
      EXPECT_EQ(d.line, line);
      EXPECT_FALSE(found.varies);
      for (const Difference& other : found.differences)
        EXPECT_STREQ(to_string(other.kind), to_string(kind));
    }
  }
  void expect_right(const Kernel& kernel) {
    for (const Poison poison : {Poison::small, Poison::mixed}) {
      const Found found = check(kernel, poison);
      EXPECT_TRUE(found.differences.empty());
      EXPECT_TRUE(found.independent);
      EXPECT_EQ(found.pieces, 2u);
      EXPECT_EQ(found.status, CL_SUCCESS);
      EXPECT_FALSE(found.varies);
    }
  }

  std::vector<compiler::GroupBox> pieces_ = {{{0, 0, 0}, {kGroups / 2, 1, 1}},
                                             {{kGroups / 2, 0, 0}, {kGroups, 1, 1}}};
  bool whole_ = true;  // the pieces are all of the launch
  Context* const context_;
  std::vector<Memory*> owned_;
  compiler::KernelInfo info_;
  compiler::Launch launch_;
  KernelArguments arguments_;
  DescriptionCheck::Buffers buffers_;
  std::vector<std::pair<size_t, uint64_t>> places_;

private:
  void add_argument(Memory* memory, size_t buffer, uint64_t origin, const std::string& type) {
    KernelArgument argument;
    argument.kind = KernelArgument::Kind::memory;
    argument.memory = Ref<Memory>(memory);
    arguments_.push_back(argument);
    compiler::Argument& about = info_.arguments.emplace_back();
    about.kind = compiler::Argument::Kind::buffer;
    about.name = "a" + std::to_string(info_.arguments.size() - 1);
    about.type = type;
    places_.emplace_back(buffer, kSlack + origin);
  }
};

// out[i] = in[i]
void copy_items(const Running& r) {
  for (uint64_t i = r.first; i < r.end; ++i)
    r.of(1)[i] = r.of(0)[i];
}

TEST_F(DescriptionCheckTest, ARightDescriptionIsFoundRight) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  expect_right(copy_items);
}

TEST_F(DescriptionCheckTest, MoreThanNeededIsNoDifference) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 400, 4);
  describe(Access::Kind::write, 1, 4, 4, 0, false);
  expect_right([](const Running& r) {
    for (uint64_t i = r.first; i < r.end; ++i) {
      if (i % 3 == 0) r.of(1)[i] = r.of(0)[i];
    }
  });
}

TEST_F(DescriptionCheckTest, AReadBeyondTheDescribed) {
  add_buffer(4 * kItems + 4);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  // The next piece's first number.
  expect(
      [](const Running& r) {
        for (uint64_t i = r.first; i < r.end; ++i)
          r.of(1)[i] = r.of(0)[i] + r.of(0)[i + 1];
      },
      Kind::undescribed_read, 0, {2 * kItems, 2 * kItems + 4}, 10);
}

TEST_F(DescriptionCheckTest, AReadOfAnArgumentThatIsNotDescribedAtAll) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::write, 1, 4, 4);
  expect(copy_items, Kind::undescribed_read, 0, {0, 2 * kItems}, 0);
}

TEST_F(DescriptionCheckTest, AReadThatOnlyOnePoisonShows) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::write, 1, 4, 4);
  const Kernel kernel = [](const Running& r) {  // one less than a number of small poison is nothing
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of(1)[i] = r.of(0)[i] > 1 && r.of(0)[i] < 0x80000000 ? 1 : 0;
  };
  EXPECT_FALSE(check(kernel, Poison::small).differences.empty());
  const Kernel other = [](const Running& r) {
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of(1)[i] = r.of(0)[i] == 0xc2a55ac3 ? 1 : 0;
  };
  EXPECT_TRUE(check(other, Poison::small).differences.empty());
  EXPECT_FALSE(check(other, Poison::mixed).differences.empty());
}

TEST_F(DescriptionCheckTest, AWriteBeyondTheDescribed) {
  add_buffer(4 * kItems);
  add_buffer(8 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 8);
  expect(
      [](const Running& r) {
        for (uint64_t i = r.first; i < r.end; ++i)
          r.of(1)[2 * i] = r.of(1)[2 * i + 1] = r.of(0)[i];
      },
      Kind::undescribed_write, 1, {4, 4 * kItems}, 11);
}

TEST_F(DescriptionCheckTest, AWriteToWhatIsDescribedAsRead) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  expect(
      [](const Running& r) {
        copy_items(r);
        r.of(0)[r.first] ^= 0xffffffff;
      },
      Kind::undescribed_write, 0, {0, 4}, 10);
}

TEST_F(DescriptionCheckTest, AWriteBehindTheBuffer) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  const Found found = check([](const Running& r) {
    copy_items(r);
    if (!r.original) r.of(1)[kItems + 7] = 5;
  });
  ASSERT_FALSE(found.differences.empty());
  EXPECT_EQ(found.differences[0].kind, Kind::undescribed_write);
  EXPECT_EQ(found.differences[0].argument, -1);
  // A launch of the program's that does so has no results to compare.
  const Found wild = check([](const Running& r) {
    copy_items(r);
    r.of(1)[kItems + 7] = 5;
  });
  EXPECT_TRUE(wild.writes_beyond);
  EXPECT_TRUE(wild.differences.empty());
}

TEST_F(DescriptionCheckTest, AWriteThatIsNotSure) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  expect(
      [](const Running& r) {
        for (uint64_t i = r.first; i < r.end; ++i) {
          if (i % 4 != 1) r.of(1)[i] = r.of(0)[i];
        }
      },
      Kind::missing_write, 1, {4, 2 * kItems - 8}, 11);
}

TEST_F(DescriptionCheckTest, ManyMissingWritesAreNoReads) {
  add_buffer(4 * kItems);
  add_buffer(64 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 64, 64);
  // Single bytes at ever other distances, more than are kept one by one.
  const auto writes = [](uint64_t byte) { return (byte * 2654435761u >> 13) % 3 == 0; };
  ByteRanges unwritten;
  for (uint64_t byte = 0; byte < 64 * kItems / 2; ++byte) {
    if (!writes(byte)) unwritten.add(byte, byte + 1);
  }
  expect(
      [&](const Running& r) {
        for (uint64_t byte = 64 * r.first; byte < 64 * r.end; ++byte) {
          if (writes(byte)) r.of<unsigned char>(1)[byte] = 0x33;
        }
      },
      Kind::missing_write, 1, unwritten.hull(), 11);
}

TEST_F(DescriptionCheckTest, PiecesWithOtherResults) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  expect(
      [](const Running& r) {
        copy_items(r);
        if (!r.original && r.first == 0) r.of(1)[3] ^= 0xffff;
      },
      Kind::other_result, 1, {12, 14}, 11);
}

TEST_F(DescriptionCheckTest, WhatNoPieceWrites) {
  add_buffer(4 * kItems);
  add_buffer(8 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  expect(
      [](const Running& r) {
        copy_items(r);
        if (r.original) r.of(1)[kItems + 2] = 0xffffffff;
      },
      Kind::other_result, 1, {4 * kItems + 8, 4 * kItems + 12}, 11);
}

TEST_F(DescriptionCheckTest, LaunchesThatVaryAreNoDifference) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  int runs = 0;
  const Kernel kernel = [&](const Running& r) {
    ++runs;
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of(1)[i] = r.of(0)[i] + static_cast<uint32_t>(runs);
  };
  const Found found = check(kernel);
  EXPECT_TRUE(found.differences.empty());
  EXPECT_TRUE(found.varies);
}

TEST_F(DescriptionCheckTest, AWrongWriteOfALaunchThatVariesIsFound) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 8);
  int runs = 0;
  const Kernel kernel = [&](const Running& r) {
    ++runs;
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of(1)[i] = r.of(0)[i] + static_cast<uint32_t>(runs);
  };
  const Found found = check(kernel);
  ASSERT_FALSE(found.differences.empty());
  EXPECT_EQ(found.differences[0].kind, Kind::undescribed_write);
  EXPECT_TRUE(found.varies);
}

TEST_F(DescriptionCheckTest, PiecesThatTouchTheSameBytesDoNotRun) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 0);
  const Found found = check([](const Running& r) { r.of(1)[0] = r.of(0)[r.first]; });
  EXPECT_FALSE(found.independent);
  EXPECT_EQ(found.pieces, 0u);
}

// The whole launch holds what the work-group beside it has written.
TEST_F(DescriptionCheckTest, PiecesThatTheRestOfTheLaunchTouchesDoNotRun) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems + 4);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 8, 4, 0, false);
  pieces_ = {{{0, 0, 0}, {1, 1, 1}}, {{kGroups - 1, 0, 0}, {kGroups, 1, 1}}};
  whole_ = false;
  const Found found = check(copy_items);
  EXPECT_FALSE(found.independent);
  EXPECT_EQ(found.pieces, 0u);
  info_.accesses[1].bytes = 4;
  EXPECT_TRUE(check(copy_items).independent);
}

// Arguments 1 and 2 are parts of one buffer.
TEST_F(DescriptionCheckTest, BytesAreThoseOfThePartThatIsUsedSo) {
  add_buffer(4 * kItems);
  add_buffer(12 * kItems);
  add_part(1, 4 * kItems, 4 * kItems);
  add_part(1, 8 * kItems, 4 * kItems);
  describe(Access::Kind::read, 2, 4, 4);
  describe(Access::Kind::write, 3, 4, 4);
  const auto with = [](uint64_t more) {
    return [more](const Running& r) {
      for (uint64_t i = r.first; i < r.end; ++i)
        r.of(3)[i] = r.of(2)[i] + (i + more < kItems ? r.of(2)[i + more] : 0);
    };
  };
  expect_right(with(kItems));
  expect(with(3), Kind::undescribed_read, 2, {2 * kItems, 2 * kItems + 12}, 10);
}

// The same buffer as source and destination: the description is right, but pieces are not independent.
TEST_F(DescriptionCheckTest, AliasesAreSeen) {
  add_buffer(4 * kItems + 4);
  add_part(0, 0, 4 * kItems + 4);
  describe(Access::Kind::read, 0, 4, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  EXPECT_FALSE(check([](const Running&) {}).independent);
}

TEST_F(DescriptionCheckTest, ReadsOfSeveralArgumentsTogether) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::write, 2, 4, 4);
  const Found found = check([](const Running& r) {
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of(2)[i] = r.of(0)[i] <= 1 && r.of(1)[i] <= 1 ? 1 : 0;
  });
  ASSERT_FALSE(found.differences.empty());
  EXPECT_EQ(found.differences[0].kind, Kind::undescribed_read);
  EXPECT_EQ(found.differences[0].argument, -1);
}

TEST_F(DescriptionCheckTest, ADeviceThatRefusesIsNoDifference) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  const Found no_piece = check(copy_items, Poison::small, 0, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(no_piece.status, CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(no_piece.differences.empty());
  const Found no_map = check(copy_items, Poison::small, 0, CL_SUCCESS, true);
  EXPECT_EQ(no_map.status, CL_MAP_FAILURE);
  EXPECT_TRUE(no_map.differences.empty());
}

template <typename T>
Kernel numbers(T at_home, T elsewhere) {
  return [=](const Running& r) {
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of<T>(1)[i] = i == 9 && r.code_generator != 0 ? elsewhere : at_home;
  };
}

TEST_F(DescriptionCheckTest, DevicesThatRoundDifferentlyAreMeasured) {
  add_buffer(4 * kItems, "float*");
  add_buffer(4 * kItems, "float4*");
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  const float a_bit_more = std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float tiny = std::numeric_limits<float>::denorm_min();
  for (const auto& [x, y, ulps, nans] : {std::tuple{1.0f, 1.0f, 0, 0},
                                         {1.0f, a_bit_more, 2, 0},
                                         {a_bit_more, 1.0f, 2, 0},
                                         {0.0f, -0.0f, 0, 0},
                                         {tiny, -tiny, 2, 0},
                                         {1.0f, nan, 0, 1},
                                         {nan, -nan, 0, 0}}) {
    const Found found = check(numbers<float>(x, y), Poison::mixed, 1);
    EXPECT_TRUE(found.differences.empty());
    EXPECT_EQ(found.distance.ulps, static_cast<uint64_t>(ulps));
    EXPECT_EQ(found.distance.nans, static_cast<uint64_t>(nans));
    EXPECT_EQ(found.distance.bytes, 0u);
    EXPECT_EQ(found.pieces, 2u);
  }
}

TEST_F(DescriptionCheckTest, DoublesAndBytesThatAreNoFloats) {
  add_buffer(8 * kItems, "double*");
  add_buffer(8 * kItems, "double*");
  add_buffer(4 * kItems, "uchar*");
  describe(Access::Kind::write, 1, 8, 8);
  describe(Access::Kind::write, 2, 4, 4);
  const Found found = check(
      [](const Running& r) {
        for (uint64_t i = r.first; i < r.end; ++i) {
          r.of<double>(1)[i] = r.code_generator != 0 ? std::nextafter(5.0, 6.0) : 5.0;
          r.of(2)[i] = r.code_generator != 0 && i == 3 ? 0x10020 : 0x10030;
        }
      },
      Poison::small, 1);
  EXPECT_TRUE(found.differences.empty());
  EXPECT_EQ(found.distance.ulps, 1u);
  EXPECT_EQ(found.distance.bytes, 1u);
}

TEST_F(DescriptionCheckTest, IntegersAreTheSameOnAllDevices) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::write, 1, 4, 4);
  const Found found = check(numbers<uint32_t>(7, 8), Poison::small, 1);
  ASSERT_EQ(found.differences.size(), 1u);
  EXPECT_EQ(found.differences[0].kind, Kind::other_result);
  EXPECT_EQ(found.differences[0].argument, 1);
  EXPECT_EQ(found.differences[0].bytes, (ByteRange{36, 37}));
  EXPECT_EQ(found.differences[0].device, "stage 1");
}

// Pieces there are compared with the whole launch there.
TEST_F(DescriptionCheckTest, ADeviceThatRoundsDifferentlyIsCheckedAsWell) {
  add_buffer(4 * kItems, "float*");
  add_buffer(4 * kItems, "float*");
  describe(Access::Kind::write, 1, 4, 4);
  const Found found = check(
      [](const Running& r) {
        for (uint64_t i = r.first; i < r.end; ++i)
          r.of<float>(1)[i] = r.code_generator != 0 ? r.of<float>(0)[i] : 1.0f;
      },
      Poison::small, 1);
  ASSERT_FALSE(found.differences.empty());
  EXPECT_EQ(found.differences[0].kind, Kind::undescribed_read);
  EXPECT_EQ(found.differences[0].argument, 0);
  EXPECT_EQ(found.differences[0].device, "stage 1");
}

}  // namespace
}  // namespace mkmd::verify
