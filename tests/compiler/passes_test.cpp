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

TEST(Passes, FunctionsAreInlinedIntoKernels) {
  const std::string out =
      passes("mkmd-inline",
             "define spir_func i64 @plain(i64 %x) {\n  %y = add i64 %x, 1\n  ret i64 %y\n}\n"
             "define spir_kernel void @k(ptr addrspace(1) %p) {\n"
             "  %a = call spir_func i64 @plain(i64 3)\n  store i64 %a, ptr addrspace(1) %p\n  ret void\n}\n");
  EXPECT_THAT(out, HasSubstr("store i64 4"));
  EXPECT_THAT(out, Not(HasSubstr("@plain")));
}

TEST(Passes, RecursionIsLeftAlone) {
  const std::string out =
      passes("mkmd-inline",
             "define spir_func i64 @f(i64 %x) {\n  %y = call spir_func i64 @g(i64 %x)\n  ret i64 %y\n}\n"
             "define spir_func i64 @g(i64 %x) {\n  %y = call spir_func i64 @f(i64 %x)\n  ret i64 %y\n}\n"
             "define spir_kernel void @k() {\n  %a = call spir_func i64 @f(i64 3)\n  ret void\n}\n");
  EXPECT_THAT(out, HasSubstr("%a = call spir_func i64 @f(i64 3)"));
}

TEST(Passes, UnknownNamesAreRefused) {
  EXPECT_THAT(passes("mkmd-nothing", ""), HasSubstr("failed: "));
}

}  // namespace
}  // namespace mkmd::compiler::test
