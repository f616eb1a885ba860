// SPDX-License-Identifier: Apache-2.0
// Single passes on small modules, through `mkmd-kc --passes`.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace mkmd::compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string passes(const std::string& list, const std::string& module) {
  char name[] = "/tmp/mkmd-passes-XXXXXX.ll";
  const int fd = mkstemps(name, 3);
  close(fd);
  std::ofstream(name) << "target triple = \"spir64-unknown-unknown\"\n" << module;
  std::string text;
  FILE* pipe = popen((std::string(MKMD_KC) + " --passes " + list + " " + name + " 2>&1").c_str(), "r");
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    text.append(buffer, n);
  const int status = pclose(pipe);
  std::filesystem::remove(name);
  return status == 0 ? text : "failed: " + text;
}

constexpr const char* kDeclarations = "declare spir_func i64 @_Z13get_global_idj(i32)\n"
                                      "declare spir_func i64 @_Z12get_local_idj(i32)\n"
                                      "declare spir_func i64 @_Z15get_global_sizej(i32)\n"
                                      "declare spir_func i64 @_Z14get_num_groupsj(i32)\n";

TEST(Passes, BoxAnswersFromHiddenArguments) {
  const std::string out = passes("mkmd-box", std::string(kDeclarations) +
                                                 "define spir_kernel void @k(i64 addrspace(1)* %p) {\n"
                                                 "  %g = call spir_func i64 @_Z13get_global_idj(i32 1)\n"
                                                 "  %l = call spir_func i64 @_Z12get_local_idj(i32 0)\n"
                                                 "  %n = call spir_func i64 @_Z14get_num_groupsj(i32 2)\n"
                                                 "  %s = add i64 %g, %l\n  %t = add i64 %s, %n\n"
                                                 "  store i64 %t, i64 addrspace(1)* %p\n  ret void\n}\n");
  EXPECT_THAT(out, HasSubstr("i64 %mkmd_first_x, i64 %mkmd_first_y, i64 %mkmd_first_z, i64 %mkmd_groups_x"));
  EXPECT_THAT(out, HasSubstr("add i64 %s, %mkmd_groups_z"));
  EXPECT_THAT(out, HasSubstr("%mkmd_first_y"));
  EXPECT_THAT(out, HasSubstr("@_Z12get_group_idj(i32 1)"));
  EXPECT_THAT(out, Not(HasSubstr("call spir_func i64 @_Z13get_global_idj")));
  EXPECT_THAT(out, HasSubstr("call spir_func i64 @_Z12get_local_idj(i32 0)")) << "local ids are the launch's";
}

TEST(Passes, DimensionsBeyondTheThirdAreTheDevicesMatter) {
  const std::string out = passes("mkmd-box", std::string(kDeclarations) +
                                                 "define spir_kernel void @k(i64 addrspace(1)* %p) {\n"
                                                 "  %s = call spir_func i64 @_Z15get_global_sizej(i32 3)\n"
                                                 "  store i64 %s, i64 addrspace(1)* %p\n"
                                                 "  %g = call spir_func i64 @_Z13get_global_idj(i32 7)\n"
                                                 "  store i64 %g, i64 addrspace(1)* %p\n  ret void\n}\n");
  EXPECT_THAT(out, HasSubstr("_Z15get_global_sizej(i32 3)"));
  EXPECT_THAT(out, HasSubstr("_Z13get_global_idj(i32 7)"));
}

TEST(Passes, OnlyFunctionsThatLeadToIdsAreInlinedForDevices) {
  const std::string module =
      std::string(kDeclarations) +
      "define spir_func i64 @plain(i64 %x) {\n  %y = add i64 %x, 1\n  ret i64 %y\n}\n"
      "define spir_func i64 @ids(i64 %x) {\n  %g = call spir_func i64 @_Z13get_global_idj(i32 0)\n"
      "  %y = add i64 %x, %g\n  ret i64 %y\n}\n"
      "define spir_kernel void @k(i64 addrspace(1)* %p) {\n"
      "  %a = call spir_func i64 @plain(i64 3)\n  %b = call spir_func i64 @ids(i64 %a)\n"
      "  store i64 %b, i64 addrspace(1)* %p\n  ret void\n}\n";
  const std::string devices = passes("mkmd-inline-ids", module);
  EXPECT_THAT(devices, HasSubstr("call spir_func i64 @plain"));
  EXPECT_THAT(devices, Not(HasSubstr("@ids")));
  const std::string analysis = passes("mkmd-inline-all", module);
  EXPECT_THAT(analysis, Not(HasSubstr("@plain")));
}

TEST(Passes, RecursionIsLeftAlone) {
  const std::string out =
      passes("mkmd-inline-all",
             "define spir_func i64 @f(i64 %x) {\n  %y = call spir_func i64 @g(i64 %x)\n  ret i64 %y\n}\n"
             "define spir_func i64 @g(i64 %x) {\n  %y = call spir_func i64 @f(i64 %x)\n  ret i64 %y\n}\n"
             "define spir_kernel void @k() {\n  %a = call spir_func i64 @f(i64 3)\n  ret void\n}\n");
  EXPECT_THAT(out, HasSubstr("%a = call spir_func i64 @f(i64 3)"));
}

TEST(Passes, OldAtomicsGetTheNamesLibrariesHave) {
  const std::string out =
      passes("mkmd-library", "declare spir_func i32 @_Z8atom_addPU3AS3Vii(i32 addrspace(3)*, i32)\n"
                             "declare spir_func i64 @_Z8atom_addPU3AS3Vll(i64 addrspace(3)*, i64)\n");
  EXPECT_THAT(out, HasSubstr("@_Z10atomic_addPU3AS3Vii"));
  EXPECT_THAT(out, HasSubstr("@_Z8atom_addPU3AS3Vll"));
}

TEST(Passes, UnknownNamesAreRefused) {
  EXPECT_THAT(passes("mkmd-nothing", ""), HasSubstr("failed: "));
}

}  // namespace
}  // namespace mkmd::compiler::test
