// SPDX-License-Identifier: Apache-2.0
// Kernels here are functions on host memory, so that they and their descriptions can be wrong in any way.
#pragma once

#include "libinterpose/verify/description_check.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace mkmd::verify {

using Kind = Difference::Kind;
using Bytes = std::vector<unsigned char>;
using Access = compiler::Access;

inline constexpr uint64_t kGroups = 16;
inline constexpr uint64_t kLocal = 4;
inline constexpr uint64_t kItems = kGroups * kLocal;
inline constexpr uint64_t kSlack = 4096;

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
    Memory* memory = new Memory(context_, {}, nullptr, 0, bytes, true);
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
  Buffers buffers_;
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
inline void copy_items(const Running& r) {
  for (uint64_t i = r.first; i < r.end; ++i)
    r.of(1)[i] = r.of(0)[i];
}

}  // namespace mkmd::verify
