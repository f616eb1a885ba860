// SPDX-License-Identifier: Apache-2.0
// The text of kernels for pieces, without a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/build_options.hpp"
#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

Module compile_source(const std::string& source, const std::string& options = "", const Macros& macros = {}) {
  Client client(MKMD_KC, "");
  Request request = request_for(source, options);
  request.macros = {macros};
  Result<Module> m = client.compile(request);
  EXPECT_TRUE(m.ok()) << m.status().message();
  return m.ok() ? *m : Module{};
}

// What is behind the macros that stand ahead of every text.
std::string text_of(const Module& module) {
  EXPECT_EQ(module.no_source, "");
  EXPECT_EQ(module.sources.size(), 1U);
  if (module.sources.empty()) return {};
  const std::string& source = module.sources.front();
  const size_t line = source.find("#line");
  return line == std::string::npos ? source : source.substr(line);
}

TEST(Source, TheProgramsOwnMacrosAreExpandedAndThoseOfTheLanguageAreNot) {
  const std::string text = text_of(compile_source(
      "#define TWO 2\nkernel void k(global float* o) { o[get_global_id(0)] = TWO * M_PI_F + FROM_OPTIONS; "
      "barrier(CLK_LOCAL_MEM_FENCE); }",
      "-DFROM_OPTIONS=7"));
  EXPECT_THAT(text, HasSubstr("2 * M_PI_F + 7"));
  EXPECT_THAT(text, HasSubstr("CLK_LOCAL_MEM_FENCE"));
}

TEST(Source, ConditionsAreThoseOfTheProgramsDevice) {
  const std::string source =
      "#if __MADE_UP__ == 3\nkernel void three(global int* o) { o[get_global_id(0)] = __MADE_UP__; }\n#else\n"
      "kernel void other(global int* o) { o[get_global_id(0)] = 1; }\n#endif\n";
  EXPECT_THAT(text_of(compile_source(source, "", {{"__MADE_UP__", "3"}})), HasSubstr("three"));
  EXPECT_THAT(text_of(compile_source(source, "", {{"__MADE_UP__", "3"}})), HasSubstr("= 3 ;"));
  EXPECT_THAT(text_of(compile_source(source, "", {{"__MADE_UP__", std::nullopt}})), HasSubstr("other"));
}

TEST(Source, LinesAreThoseOfTheProgram) {
  const std::string text =
      text_of(compile_source("\n\nkernel void k(global int* o) {\n\n\n  o[get_global_id(0)] = 1;\n}\n"));
  EXPECT_THAT(text, HasSubstr("#line 3 "));
  EXPECT_THAT(text, HasSubstr("{ \n\n\n"));
}

TEST(Source, EveryKernelHasTheHiddenArguments) {
  const std::string text =
      text_of(compile_source("kernel void k(global int* o) { o[get_global_id(0)] = 1; }\n"
                             "kernel void none() {}\nkernel void nothing(void) {}\n"));
  EXPECT_THAT(text, HasSubstr("* o , mkmd_parameters)"));
  EXPECT_THAT(text, HasSubstr("none (mkmd_parameters)"));
  EXPECT_THAT(text, HasSubstr("nothing (mkmd_parameters)"));
}

TEST(Source, OnlyFunctionsThatLeadToIdsAreChanged) {
  const std::string text = text_of(
      compile_source("int plain(int x) { return x + (int)get_local_id(0); }\nint id(int x) { return x + "
                     "(int)get_group_id(0); }\n"
                     "int by(int x) { return id(x); }\n"
                     "kernel void k(global int* o) { o[get_global_id(0)] = plain(1) + by(2); }\n"));
  EXPECT_THAT(text, HasSubstr("plain ( int x )"));
  EXPECT_THAT(text, HasSubstr("plain ( 1 )"));
  EXPECT_THAT(text, HasSubstr("id ( int x , mkmd_parameters)"));
  EXPECT_THAT(text, HasSubstr("id ( x , mkmd_arguments)"));
  EXPECT_THAT(text, HasSubstr("by ( 2 , mkmd_arguments)"));
}

// Where the launch has an offset, an id is the device's own: what the program's text says.
TEST(Source, IdsByOffsetAreTheDevicesOwn) {
  const Module module =
      compile_source("kernel void k(global int* o) { int x = get_global_id(0); o[get_global_id(1)] = x; }\n");
  ASSERT_EQ(module.sources.size(), 1U);
  const std::string& source = module.sources.front();
  const size_t by_offset = source.find(std::string("#ifdef ") + kByOffset), other = source.find("#else");
  ASSERT_LT(by_offset, other);
  const std::string head = source.substr(by_offset, other - by_offset);
  EXPECT_THAT(head, HasSubstr("#define mkmd_global_id_x get_global_id(0)\n"));
  EXPECT_THAT(head, HasSubstr("#define mkmd_global_id_y get_global_id(1)\n"));
  EXPECT_THAT(head,
              HasSubstr("#define mkmd_index_z (get_global_id(2) - get_global_offset(2) - mkmd_offset_z)\n"));
  EXPECT_THAT(source.substr(other), Not(HasSubstr(" get_global_id(0)\n")));
}

TEST(Source, APragmaKeepsItsWords) {
  const std::string text =
      text_of(compile_source("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define N 4\n"
                             "kernel void k(global int* o) {\n#pragma unroll N\nfor (int i = "
                             "0; i < N; ++i) o[get_global_id(0)] = i; }\n"));
  EXPECT_THAT(text, HasSubstr("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"));
  EXPECT_THAT(text, HasSubstr("#pragma unroll 4\n"));
}

// Clang reads these words as they stand.
TEST(Source, AStandardPragmaKeepsItsWords) {
  const std::string text =
      text_of(compile_source("#define OFF 0\nkernel void k(global float* o) {\n#pragma STDC FP_CONTRACT OFF\n"
                             "o[get_global_id(0)] = o[0] * o[1] + o[2]; }\n"));
  EXPECT_THAT(text, HasSubstr("#pragma STDC FP_CONTRACT OFF\n"));
}

TEST(Source, APragmaThatRelaxesArithmeticLeavesNoCode) {
  for (const char* pragma :
       {"float_control(precise, off)", "clang fp contract(fast)", "clang fp reassociate(on)"}) {
    const Module module = compile_source(std::string("#pragma ") + pragma +
                                         "\nkernel void k(global float* o) { o[get_global_id(0)] += 1; }\n");
    EXPECT_TRUE(module.sources.empty()) << pragma;
    EXPECT_THAT(module.no_source, HasSubstr("less exact"));
  }
  const Module exact = compile_source("kernel void k(global float* o) {\n#pragma clang fp contract(off)\n"
                                      "o[get_global_id(0)] += 1; }\n");
  EXPECT_EQ(exact.sources.size(), 1U) << exact.no_source;
}

TEST(Source, ANameOfOurKindIsLeftAlone) {
  const Module module =
      compile_source("kernel void k(global int* mkmd_first_x) { mkmd_first_x[get_global_id(0)] = 1; }");
  EXPECT_TRUE(module.sources.empty());
  EXPECT_THAT(module.no_source, HasSubstr("mkmd_"));
}

// Text of ours calls them.
TEST(Source, AFunctionOfOpenCLsNameIsLeftAlone) {
  for (const char* own : {"static int __attribute__((overloadable)) get_local_size(int d) { return 1; }",
                          "int f(int get_global_id) { return get_global_id; }"}) {
    const Module module = compile_source(
        std::string("kernel void k(global int* o) { o[get_local_id(0) + 8 * get_group_id(0)] = 1; }\n") +
        own);
    EXPECT_TRUE(module.sources.empty());
    EXPECT_THAT(module.no_source, HasSubstr("of its own")) << own;
  }
}

TEST(Source, ParametersWithoutPrototypeAreLeftAlone) {
  const Module module = compile_source("int f(x) int x; { return x + (int)get_global_id(0); }\n"
                                       "kernel void k(global int* o) { o[get_global_id(0)] = f(1); }");
  EXPECT_TRUE(module.sources.empty());
  EXPECT_THAT(module.no_source, HasSubstr("parameters"));
}

TEST(Source, BytesThatAreNoUtf8AreKept) {
  const std::string bytes = "\xe9\xff\x80 \xc3\xbc";
  EXPECT_THAT(text_of(compile_source("constant char text[] = \"" + bytes +
                                     "\";\nkernel void k(global int* o) { o[get_global_id(0)] = text[1]; }")),
              HasSubstr(bytes));
}

TEST(Source, ThereIsNoneWhereOnlyHomeMayRunAnything) {
  const Module module = compile_source("kernel void k(global int* o) { o[0] = 1; printf(\"%d\", o[1]); }");
  EXPECT_TRUE(module.sources.empty());
  EXPECT_EQ(module.no_source, "");
}

// What was decided by them is in the text already.
TEST(Source, BuildOptionsLoseWhatIsAboutTheText) {
  EXPECT_EQ(source_build_options("-DN=4 -D M -I. -I inc -U X -include a.h -cl-std=CL1.2 -Werror -w"),
            "-cl-std=CL1.2 -w");
  EXPECT_EQ(source_build_options("  -cl-mad-enable   -DTEXT=\"a b\" "), "-cl-mad-enable");
  EXPECT_EQ(source_build_options("-D"), "");
  EXPECT_EQ(source_build_options(""), "");
}

}  // namespace
}  // namespace mkmd::compiler::test
