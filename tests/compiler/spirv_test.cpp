// SPDX-License-Identifier: Apache-2.0
// Programs that arrive as SPIR-V: what is read of them, and what is refused. The modules lie in
// tests/data/spirv beside what they were made from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files.hpp"
#include "compiler/spirv.hpp"
#include "kernel_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace mkmd::compiler::test {
namespace {

using testing::HasSubstr;

std::string module_named(const std::string& name) {
  Result<std::string> bytes = read_file(MKMD_TEST_DATA "/spirv/" + name + ".spv");
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return bytes ? *bytes : std::string();
}

Result<Module> compiled(const std::string& spirv) {
  Client client(MKMD_KC, "");
  return client.compile(request_for(spirv));
}

std::string why_not(const std::string& spirv) {
  const Result<Module> module = compiled(spirv);
  return module ? "" : module.status().message();
}

bool no_translator() {
  return why_not(module_named("kernels")).find("llvm-spirv is not installed") != std::string::npos;
}

#define NEEDS_TRANSLATOR()                                                                                   \
  if (no_translator()) GTEST_SKIP() << "llvm-spirv is not installed"

std::vector<uint32_t> instruction(spv::Op opcode, const std::vector<uint32_t>& operands) {
  std::vector<uint32_t> words{static_cast<uint32_t>(operands.size() + 1) << spv::WordCountShift |
                              static_cast<uint32_t>(opcode)};
  words.insert(words.end(), operands.begin(), operands.end());
  return words;
}

template <typename Enumerator>
uint32_t word(Enumerator value) {
  return static_cast<uint32_t>(value);
}

// The module with more instructions behind its header.
std::string with(const std::string& module, const std::vector<uint32_t>& instruction) {
  std::vector<uint32_t> words = *spirv_words(module);
  words.insert(words.begin() + 5, instruction.begin(), instruction.end());
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

Launch launch_of(const KernelInfo& kernel, size_t global, size_t local, const std::vector<int>& numbers) {
  Launch launch;
  launch.global = {global, 1, 1};
  launch.local = {local, 1, 1};
  size_t next = 0;
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (kernel.arguments[i].kind == Argument::Kind::value)
      set_scalars(kernel, static_cast<int>(i), &numbers.at(next++), sizeof(int), launch.scalars);
  return launch;
}

// Empty if nothing is touched through it.
Footprint of_argument(const std::vector<Footprint>& all, size_t argument) {
  const auto found = std::ranges::find(all, static_cast<int>(argument), &Footprint::argument);
  return found == all.end() ? Footprint() : *found;
}

// What the first half of the groups writes through the argument.
Footprint first_half(const KernelInfo& kernel, const Launch& launch, size_t argument) {
  const uint32_t groups = static_cast<uint32_t>(launch.global[0] / launch.local[0]);
  return of_argument(LaunchFootprints(kernel, launch).of({{0, 0, 0}, {groups / 2, 1, 1}}), argument);
}

TEST(Spirv, IsTakenForNoText) {
  EXPECT_TRUE(is_spirv(module_named("kernels")));
  EXPECT_FALSE(is_spirv("__kernel void k() {}"));
  EXPECT_FALSE(is_spirv(""));
}

TEST(Spirv, KernelsAreDescribedAsThoseOfTheirSource) {
  NEEDS_TRANSLATOR();
  const Result<Module> read = compiled(module_named("kernels"));
  ASSERT_TRUE(read.ok()) << read.status().message();
  const Result<std::string> source = read_file(MKMD_TEST_DATA "/spirv/kernels.cl");
  const Result<Module> built = Client(MKMD_KC, "").compile(request_for(*source));
  ASSERT_TRUE(built.ok());
  ASSERT_EQ(read->kernels.size(), built->kernels.size());
  for (const KernelInfo& a : built->kernels) {
    const KernelInfo* b = find_kernel(*read, a.name);
    ASSERT_NE(b, nullptr) << a.name;
    EXPECT_THAT(b->reqd_work_group_size, testing::ElementsAreArray(a.reqd_work_group_size)) << a.name;
    ASSERT_EQ(a.arguments.size(), b->arguments.size());
    if (a.name == "count") continue;  // its atomics are for a work-group alone, says the translator to SPIR-V
    for (size_t i = 0; i < a.arguments.size(); ++i) {
      EXPECT_EQ(a.arguments[i].kind, b->arguments[i].kind) << a.name << " " << i;
      EXPECT_EQ(a.arguments[i].name, b->arguments[i].name);
      EXPECT_EQ(a.arguments[i].bytes, b->arguments[i].bytes);
      const Footprint from_source = first_half(a, launch_of(a, 256, 64, {3, 200}), i),
                      from_spirv = first_half(*b, launch_of(*b, 256, 64, {3, 200}), i);
      EXPECT_EQ(from_source.may_writes, from_spirv.may_writes) << a.name << " " << i;
      EXPECT_EQ(from_source.sure_writes, from_spirv.sure_writes) << a.name << " " << i;
      EXPECT_EQ(from_source.reads, from_spirv.reads) << a.name << " " << i;
      EXPECT_EQ(from_source.writes_unknown, from_spirv.writes_unknown) << a.name << " " << i;
    }
  }
}

bool includes(const Footprint& all, ByteRanges some) {
  some.subtract(all.may_writes);
  return all.writes_unknown || some.empty();
}

// What clang-15 and llvm-spirv-15 make of a text; empty: they are not there, or do not take it.
std::string made_from(const std::string& source) {
  char folder[] = "/tmp/mkmd-spirv-XXXXXX";
  if (mkdtemp(folder) == nullptr) return {};
  const std::string name = std::string(folder) + "/k";
  const bool written = replace_file(name + ".cl", source).ok();
  const std::string command =
      "cd " + std::string(folder) +
      " && clang-15 -x cl -cl-std=CL1.2 -target spir64-unknown-unknown -Xclang -finclude-default-header -w"
      " -Xclang -no-opaque-pointers -O1 -fno-discard-value-names -emit-llvm -c k.cl -o k.bc 2>/dev/null"
      " && llvm-spirv-15 --spirv-max-version=1.2 k.bc -o k.spv 2>/dev/null";
  const Result<std::string> made =
      written && std::system(command.c_str()) == 0 ? read_file(name + ".spv") : Status::internal("none");
  for (const char* end : {".cl", ".bc", ".spv"})
    std::remove((name + end).c_str());
  rmdir(folder);
  return made ? *made : std::string();
}

// Both descriptions may be too large, and what they are sure of is true: so neither contradicts the other.
TEST(Spirv, OptimisedKernelsTouchWhatTheirSourceDoes) {
  NEEDS_TRANSLATOR();
  if (made_from("__kernel void k() {}").empty()) GTEST_SKIP() << "clang-15 or llvm-spirv-15 is not installed";
  int compared = 0, equal = 0;
  for (const KernelFile& file : kernel_files()) {
    const std::string spirv = made_from(file.source);
    const Result<Module> read = spirv.empty() ? Status::internal("not made") : compiled(spirv);
    const Result<Module> built = Client(MKMD_KC, "").compile(request_for(file.source, file.options));
    if (!read || !built) {
      std::printf("%s: %s\n", file.name.c_str(), read ? "" : read.status().message().c_str());
      continue;
    }
    for (const LaunchLine& line : file.launches) {
      const KernelInfo *a = find_kernel(*built, line.kernel), *b = find_kernel(*read, line.kernel);
      ASSERT_NE(b, nullptr) << line.kernel;
      if (a == nullptr || !a->split_allowed || b->any_buffer) continue;
      const auto groups = line.groups();
      const GroupBox half{{0, 0, 0}, {(groups[0] + 1) / 2, groups[1], groups[2]}};
      const std::vector<Footprint> from_source = LaunchFootprints(*a, line.with_scalars(*a)).of(half),
                                   from_spirv = LaunchFootprints(*b, line.with_scalars(*b)).of(half);
      ++compared;
      bool same = true;
      for (size_t i = 0; i < a->arguments.size(); ++i) {
        const Footprint f = of_argument(from_source, i), g = of_argument(from_spirv, i);
        const std::string where = file.name + " " + line.text + " " + std::to_string(i);
        EXPECT_TRUE(includes(g, f.sure_writes)) << where;
        EXPECT_TRUE(includes(f, g.sure_writes)) << where;
        same = same && f.may_writes == g.may_writes && f.reads == g.reads && f.sure_writes == g.sure_writes &&
               f.writes_unknown == g.writes_unknown;
      }
      equal += same;
    }
  }
  std::printf("%d launches compared, %d described alike\n", compared, equal);
  EXPECT_GT(equal, compared / 2);
}

TEST(Spirv, WhatIsLeftOpenIsAnyNumberAndHidesNothing) {
  NEEDS_TRANSLATOR();
  const Result<Module> read = compiled(module_named("open"));
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->kernels.size(), 2U);
  for (const KernelInfo& kernel : read->kernels) {
    const Launch launch = launch_of(kernel, 256, 64, {});
    const Footprint anywhere = first_half(kernel, launch, 0), behind = first_half(kernel, launch, 1);
    EXPECT_TRUE(anywhere.writes_unknown || anywhere.may_writes == ByteRanges(0, 256)) << kernel.name;
    EXPECT_TRUE(anywhere.sure_writes.empty()) << kernel.name;
    EXPECT_EQ(behind.may_writes, ByteRanges(0, 512)) << kernel.name;
  }
}

TEST(Spirv, SpecialisationConstantsAreThoseOfTheProgram) {
  const std::string module = module_named("specialised");
  const auto bytes = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const Result<std::string> strided = specialised(module, {{2, bytes(uint64_t{4})}, {7, bytes(char{1})}});
  ASSERT_TRUE(strided.ok()) << strided.status().message();
  EXPECT_EQ(strided->size(), module.size());
  EXPECT_NE(*strided, module);
  EXPECT_FALSE(specialised(module, {{2, bytes(uint32_t{4})}}).ok());
  EXPECT_FALSE(specialised(module, {{3, bytes(uint32_t{4})}}).ok());
  NEEDS_TRANSLATOR();
  const Result<Module> one = compiled(module), four = compiled(*strided);
  ASSERT_TRUE(one.ok()) << one.status().message();
  ASSERT_TRUE(four.ok()) << four.status().message();
  const KernelInfo &a = one->kernels.at(0), &b = four->kernels.at(0);
  EXPECT_EQ(first_half(a, launch_of(a, 256, 64, {}), 1).may_writes, ByteRanges(0, 512));
  EXPECT_EQ(first_half(b, launch_of(b, 256, 64, {}), 1).may_writes.hull().hi, 127U * 16 + 4);
}

TEST(Spirv, KernelsWithImagesOrVolatileArgumentsRunWholeAlone) {
  NEEDS_TRANSLATOR();
  const Result<Module> read = compiled(module_named("whole"));
  ASSERT_TRUE(read.ok()) << read.status().message();
  const auto reason = [&](const char* name) {
    const KernelInfo* kernel = find_kernel(*read, name);
    return kernel == nullptr ? "missing" : kernel->reasons.empty() ? "" : kernel->reasons.front().text;
  };
  EXPECT_THAT(reason("picture"), HasSubstr("image"));
  EXPECT_THAT(reason("sampled"), HasSubstr("image"));
  EXPECT_THAT(reason("flags"), HasSubstr("volatile"));
  EXPECT_EQ(reason("by_function"), "");  // its accesses are volatile, no argument is
  EXPECT_EQ(reason("own_volatile"), "");
  EXPECT_EQ(reason("plain"), "");
}

TEST(Spirv, WhatIsNotKnownIsRefusedByName) {
  using spv::Op;
  const std::string module = module_named("specialised");
  const auto why = [&](Op opcode, const std::vector<uint32_t>& operands) {
    return why_not(with(module, instruction(opcode, operands)));
  };
  EXPECT_THAT(why(Op::OpCapability, {word(spv::Capability::Pipes)}), HasSubstr("Pipes"));
  EXPECT_THAT(why(Op::OpCapability, {6000}), HasSubstr("6000"));
  EXPECT_THAT(why(Op::OpDecorate, {1, word(spv::Decoration::Volatile)}),
              HasSubstr("volatile memory in odd places"));
  std::vector<uint32_t> sizes;  // each number that may be a constant's
  for (uint32_t id = 1; id < 40; ++id) {
    const std::vector<uint32_t> size =
        instruction(Op::OpDecorate, {id, word(spv::Decoration::BuiltIn), word(spv::BuiltIn::WorkgroupSize)});
    sizes.insert(sizes.end(), size.begin(), size.end());
  }
  EXPECT_THAT(why_not(with(module, sizes)), HasSubstr("constant for the work-group size"));
  EXPECT_THAT(why(Op::OpDecorate, {1, word(spv::Decoration::Coherent)}), HasSubstr("decoration 23"));
  EXPECT_THAT(why(Op::OpExtension, {0x5f585053, 0}), HasSubstr("extension SPX_"));
  EXPECT_THAT(why(Op::OpExecutionMode, {1, word(spv::ExecutionMode::SubgroupSize), 8}),
              HasSubstr("execution mode 35"));
  EXPECT_THAT(why(Op::OpTypePipe, {999}), HasSubstr("instruction 38"));
}

// What the helper says where the translator is this script; empty: there is none.
std::string said_with_translator(const std::string& script) {
  char folder[] = "/tmp/mkmd-spirv-XXXXXX";
  if (mkdtemp(folder) == nullptr) return {};
  const std::string path = std::string(folder) + "/llvm-spirv-19", output = std::string(folder) + "/said";
  if (!script.empty()) {
    EXPECT_TRUE(replace_file(path, "#!/bin/sh\n" + script + "\n").ok());
    EXPECT_EQ(chmod(path.c_str(), 0700), 0);
  }
  const std::string command =
      "PATH=" + std::string(folder) +
      " " MKMD_KC " --explain " MKMD_TEST_DATA "/spirv/specialised.spv >/dev/null 2>" + output;
  EXPECT_NE(std::system(command.c_str()), 0);
  const Result<std::string> said = read_file(output);
  std::remove(path.c_str());
  std::remove(output.c_str());
  rmdir(folder);
  return said ? *said : std::string();
}

TEST(Spirv, WhateverTheTranslatorDoesIsAReason) {
  EXPECT_THAT(said_with_translator(""), HasSubstr("llvm-spirv is not installed"));
  EXPECT_THAT(said_with_translator("kill -ABRT $$"),
              HasSubstr("the translator of its intermediate language"));
  EXPECT_THAT(said_with_translator("echo no such thing >&2; exit 3"), HasSubstr("refuses it: no such thing"));
  EXPECT_THAT(said_with_translator("exit 0"), HasSubstr("cannot be read"));
  EXPECT_THAT(said_with_translator("echo nonsense > $5"), HasSubstr("cannot be read"));
  EXPECT_THAT(said_with_translator("exec /bin/sleep 60"), HasSubstr("timed out"));
}

TEST(Spirv, DamagedModulesEndInAReason) {
  const std::string module = module_named("kernels");
  EXPECT_THAT(why_not(module.substr(0, 17)), HasSubstr("ends inside an instruction"));
  EXPECT_THAT(why_not(module.substr(0, module.size() - 4)), HasSubstr("intermediate language"));
  std::string turned = module;
  std::swap(turned[0], turned[3]);
  std::swap(turned[1], turned[2]);
  EXPECT_THAT(why_not(turned), HasSubstr("byte order"));
  NEEDS_TRANSLATOR();
  // Whatever becomes of the translator, the helper answers.
  for (size_t at = 20; at < module.size(); at += 700) {
    std::string damaged = module;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
    Client client(MKMD_KC, "");
    const Result<Module> read = client.compile(request_for(damaged));
    const std::string message = read ? "" : read.status().message();
    EXPECT_THAT(message, testing::Not(HasSubstr("signal"))) << at;
  }
}

}  // namespace
}  // namespace mkmd::compiler::test
