// SPDX-License-Identifier: Apache-2.0
// The decisive tests. Every launch of kernels/*.cl runs as the program wrote it, from our code as one
// piece, and in pieces. All results must agree bit for bit. Then pieces run on marked memory. What they
// change must lie in may_writes, and what is in sure_writes must be written. What is not in `reads` must
// not matter. The environment chooses the device.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

#include "compiler/build_options.hpp"
#include "device.hpp"

namespace mkmd::compiler::test {
namespace {

struct Built {
  Module module;
  cl_program source = nullptr;  // as the program wrote it
  cl_program pieces = nullptr;
};

// Each file is compiled once per process and set of options.
Built& built(const KernelFile& file, const std::string& more_options) {
  static auto* all = new std::map<std::pair<std::string, std::string>, Built>;
  Built& b = (*all)[{file.name, more_options}];
  if (b.source) return b;
  const std::string options = file.options + " " + more_options;
  Device& device = Device::instance();
  const char* elsewhere = std::getenv("MKMD_TEST_KC");  // where the build folder was moved
  Client client(elsewhere ? elsewhere : MKMD_KC, "");
  Result<Module> module = client.compile(device.request(file.source, options));
  if (!module) throw std::runtime_error(file.name + ": " + module.status().message());
  b.module = std::move(*module);
  std::string log;
  b.source = device.build_source(file.source, options, log);
  if (!b.source) throw std::runtime_error(file.name + " from source: " + log);
  if (b.module.sources.empty()) throw std::runtime_error(file.name + ": no source: " + b.module.no_source);
  const std::string form = device.by_offset() ? std::string(" -D ") + kByOffset : std::string();
  b.pieces = device.build_source(b.module.sources.front(), source_build_options(options) + form, log);
  if (!b.pieces) throw std::runtime_error(file.name + ", code for pieces: " + log);
  return b;
}

std::string difference(const LaunchLine& line, const Memory& a, const Memory& b) {
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < a[i].size(); ++j)
      if (a[i][j] != b[i][j] && !(line.padded && j % 16 >= 12))
        return "argument " + std::to_string(i) + " byte " + std::to_string(j);
  return {};
}

struct Case {
  const KernelFile* file;
  const LaunchLine* line;
};

std::vector<Case> cases() {
  static auto* files = new std::vector<KernelFile>(kernel_files());
  std::vector<Case> all;
  for (const KernelFile& file : *files)
    for (const LaunchLine& line : file.launches)
      all.push_back({&file, &line});
  return all;
}

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.line->text;
}

class Launches : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    if (!GetParam().line->whole.empty()) GTEST_SKIP() << "runs whole";
    const std::string& needs = GetParam().file->needs;
    if (!needs.empty() && !Device::instance().has(needs)) GTEST_SKIP() << "the device has no " << needs;
    if (const std::string& options = GetParam().file->options; !Device::instance().takes(options))
      GTEST_SKIP() << "the device takes no " << options;
    if (!info().folded.text.empty()) GTEST_SKIP() << "runs whole";
  }
  const LaunchLine& line() const { return *GetParam().line; }
  Built& program(const std::string& options = "") const { return built(*GetParam().file, options); }
  const KernelInfo& info() const {
    const KernelInfo* k = find_kernel(program().module, line().kernel);
    EXPECT_NE(k, nullptr);
    return *k;
  }
};

TEST_P(Launches, SourceAndPiecesAgree) {
  Built& b = program();
  ASSERT_TRUE(info().split_allowed) << (info().reasons.empty() ? "" : info().reasons[0].text);
  const Memory before = initial_memory(line());
  const Memory source = run(b.source, line(), before, nullptr);
  const auto pieces = [&](const std::vector<GroupBox>& boxes) {
    return difference(line(), source, run(b.pieces, line(), before, &boxes));
  };
  EXPECT_EQ(pieces(cut(line(), 1)), "") << "in one piece";
  for (uint64_t parts : {2, 4, 5}) {
    std::vector<GroupBox> boxes = cut(line(), parts);
    EXPECT_EQ(pieces(boxes), "") << parts << " parts per dimension";
    std::ranges::reverse(boxes);
    EXPECT_EQ(pieces(boxes), "") << parts << " parts, last first";
  }
}

// Arithmetic must not depend on whether a kernel came from source or from us, whatever the mathematics
// options.
TEST_P(Launches, OptionsGiveTheSameBits) {
  if (Device::instance().is_simulator()) GTEST_SKIP() << "the simulator compiles without optimisation";
  if (line().open) GTEST_SKIP() << "any number may be stored";
  const Memory before = initial_memory(line());
  const std::vector<GroupBox> boxes = cut(line(), 2);
  for (const char* options : {"-cl-mad-enable", "-cl-finite-math-only -cl-no-signed-zeros",
                              "-cl-denorms-are-zero", "-cl-single-precision-constant", "-cl-opt-disable"}) {
    // There the library runs such programs whole.
    if (Device::instance().mixes_up_functions(options)) continue;
    Built& b = program(options);
    const Memory source = run(b.source, line(), before, nullptr);
    EXPECT_EQ(difference(line(), source, run(b.pieces, line(), before, &boxes)), "") << options;
  }
}

// Options that allow reordering leave the last bits to each compiler run; pieces of ours still agree with our
// whole.
TEST_P(Launches, ReorderingOptionsAgreeAmongPieces) {
  if (Device::instance().is_simulator()) GTEST_SKIP() << "the simulator compiles without optimisation";
  const Memory before = initial_memory(line());
  const std::vector<GroupBox> whole = cut(line(), 1), boxes = cut(line(), 3);
  for (const char* options : {"-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations"}) {
    Built& b = program(options);
    EXPECT_EQ(
        difference(line(), run(b.pieces, line(), before, &whole), run(b.pieces, line(), before, &boxes)), "")
        << options;
  }
}

// What one piece does to memory, compared with what is foreseen of it.
class PieceOnMarkedMemory {
public:
  PieceOnMarkedMemory(const LaunchLine& line, cl_program pieces, const GroupBox& box,
                      std::vector<Footprint> foreseen)
      : line_(line), pieces_(pieces), only_{box}, foreseen_(std::move(foreseen)),
        before_(initial_memory(line)), after_(run(pieces, line, before_, &only_)) {}

  void writes_what_is_foreseen() const {
    // A second memory in which write-only buffers hold the opposite bits: a byte that is written cannot be
    // equal to what was there in both.
    Memory opposite = before_;
    for (size_t i = 0; i < opposite.size(); ++i) {
      if (of(i) && !is_write_only(i)) continue;
      for (uint8_t& byte : opposite[i])
        byte = static_cast<uint8_t>(~byte);
    }
    const Memory second = run(pieces_, line_, opposite, &only_);
    for (size_t i = 0; i < before_.size(); ++i) {
      if (!line_.arguments[i].is_memory()) continue;
      const Footprint* f = of(i);
      for (size_t j = 0; j < before_[i].size(); ++j) {
        if (is_padding(j)) continue;
        const bool changed = after_[i][j] != before_[i][j] || second[i][j] != opposite[i][j];
        const size_t at = j / line_.arguments[i].unit();
        const bool may = f && (f->writes_unknown || f->may_writes.contains(at, at + 1));
        const bool sure = f && f->sure_writes.contains(at, at + 1);
        ASSERT_TRUE(!changed || may) << "argument " << i << " byte " << j << " was written, but not foreseen";
        ASSERT_TRUE(!sure || changed || !is_write_only(i))
            << "argument " << i << " byte " << j << " was not written, but foreseen";
        ASSERT_TRUE(!sure || may);
      }
    }
  }

  void is_known_exactly() const {
    for (size_t i = 0; i < before_.size(); ++i) {
      const Footprint* f = of(i);
      if (!f || !line_.arguments[i].is_memory()) continue;
      EXPECT_FALSE(f->writes_unknown) << "argument " << i;
      ByteRanges unsure = f->may_writes;
      unsure.subtract(f->sure_writes);
      for (size_t j = 12; line_.padded && j < before_[i].size(); j += 16)
        unsure.subtract(ByteRanges(j, j + 4));
      EXPECT_TRUE(unsure.empty()) << "argument " << i << " should be known exactly";
    }
  }

  // Bytes outside `reads` can hold anything.
  void reads_what_is_foreseen() const {
    Memory disturbed = before_;
    for (size_t i = 0; i < disturbed.size(); ++i) {
      const Footprint* f = of(i);
      if (f && f->reads_unknown) continue;
      for (size_t j = 0; j < disturbed[i].size(); ++j) {
        const size_t at = j / line_.arguments[i].unit();
        if (!f || !f->reads.contains(at, at + 1)) disturbed[i][j] ^= 0x55;
      }
    }
    const Memory third = run(pieces_, line_, disturbed, &only_);
    for (size_t i = 0; i < before_.size(); ++i)
      for (size_t j = 0; j < before_[i].size(); ++j) {
        if (is_padding(j)) continue;
        const bool was_written = after_[i][j] != before_[i][j];
        const Footprint* f = of(i);
        const size_t at = j / line_.arguments[i].unit();
        const bool surely = f && f->sure_writes.contains(at, at + 1);
        const bool same = third[i][j] == after_[i][j];
        ASSERT_TRUE(same || !(was_written || surely))
            << "argument " << i << " byte " << j << " depends on bytes that were not foreseen";
      }
  }

private:
  const Footprint* of(size_t argument) const {
    for (const Footprint& f : foreseen_)
      if (static_cast<size_t>(f.argument) == argument) return &f;
    return nullptr;
  }
  bool is_write_only(size_t argument) const {
    const Footprint* f = of(argument);
    return f && !f->reads_unknown && f->reads.empty();
  }
  bool is_padding(size_t byte) const { return line_.padded && byte % 16 >= 12; }

  const LaunchLine& line_;
  const cl_program pieces_;
  const std::vector<GroupBox> only_;
  const std::vector<Footprint> foreseen_;
  const Memory before_, after_;
};

TEST_P(Launches, FootprintsHold) {
  const cl_program pieces = program().pieces;
  const Launch launch = line().with_scalars(info());
  const LaunchFootprints footprints(info(), launch);
  for (const GroupBox& box : cut(line(), 3)) {
    const PieceOnMarkedMemory piece(line(), pieces, box, footprints.of(box));
    ASSERT_NO_FATAL_FAILURE(piece.writes_what_is_foreseen());
    if (line().exact) piece.is_known_exactly();
    ASSERT_NO_FATAL_FAILURE(piece.reads_what_is_foreseen());
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return info.param.line->file + "_" + info.param.line->kernel + "_" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(Kernels, Launches, testing::ValuesIn(cases()), case_name);

// Runs last in the file: what the simulator complained about in all of the above.
TEST(Simulator, FoundNothing) {
  const char* path = std::getenv("OCLGRIND_LOG");
  if (!path || !Device::instance().is_simulator()) GTEST_SKIP() << "not on the simulator";
  std::ifstream log(path);
  std::string line, text;
  while (std::getline(log, line))
    text += line + "\n";
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace mkmd::compiler::test
