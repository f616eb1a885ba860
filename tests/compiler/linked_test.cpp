// SPDX-License-Identifier: Apache-2.0
// Programs of several units: what the analysis sees of them, and their text for pieces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<Module> compile(std::vector<Unit> units) {
  Request request = request_for("");
  request.units = std::move(units);
  request.macros.resize(request.units.size());
  return Client(MKMD_KC, "").compile(std::move(request));
}

Unit unit(const std::string& source, const std::string& options = "") {
  return {source, options, {}};
}

Module module_of(std::vector<Unit> units) {
  Result<Module> module = compile(std::move(units));
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? *module : Module{};
}

std::string error_of(std::vector<Unit> units) {
  const Result<Module> module = compile(std::move(units));
  EXPECT_FALSE(module.ok());
  return module.ok() ? "" : module.status().message();
}

const char* const kUsesPlace = "int place(int x);\n"
                               "kernel void k(global int* o) { o[place(0)] = 1; }\n";

TEST(Linked, FunctionsOfOtherUnitsAreReadThrough) {
  const Module module =
      module_of({unit(kUsesPlace), unit("int place(int x) { return (int)get_global_id(0) + x; }")});
  ASSERT_EQ(module.kernels.size(), 1U);
  EXPECT_TRUE(module.kernels[0].split_allowed);
  ASSERT_EQ(module.kernels[0].accesses.size(), 1U);
  EXPECT_TRUE(module.kernels[0].accesses[0].known);
  EXPECT_TRUE(module.kernels[0].accesses[0].sure);
}

TEST(Linked, WhatLeadsToIdsInAnotherUnitGetsTheHiddenArgumentsInAll) {
  // The way from k to the id goes there and back.
  const Module module = module_of({unit("int by(int x); int own(int x) { return x + (int)get_group_id(0); }\n"
                                        "int plain(int x) { return x; }\n"
                                        "kernel void k(global int* o) { o[by(plain(1))] = 1; }\n"),
                                   unit("int own(int); int plain(int);\n"
                                        "int by(int x) { return own(x) + plain(x); }\n")});
  ASSERT_EQ(module.no_source, "");
  ASSERT_EQ(module.sources.size(), 2U);
  EXPECT_THAT(module.sources[0], HasSubstr("int by ( int x , mkmd_parameters)"));
  EXPECT_THAT(module.sources[0], HasSubstr("by ( plain ( 1 ) , mkmd_arguments)"));
  EXPECT_THAT(module.sources[1], HasSubstr("int own ( int , mkmd_parameters)"));
  EXPECT_THAT(module.sources[1], HasSubstr("own ( x , mkmd_arguments)"));
  for (const std::string& source : module.sources)
    EXPECT_THAT(source, Not(HasSubstr("plain ( int x , mkmd")));
  EXPECT_THAT(module.sources[1], HasSubstr("plain ( x )"));
}

TEST(Linked, FunctionsOfAUnitAloneAreItsOwn) {
  const Module module = module_of({unit("static int f(int x) { return x; }\n"
                                        "kernel void a(global int* o) { o[get_global_id(0)] = f(1); }\n"),
                                   unit("static int f(int x) { return x + (int)get_group_id(0); }\n"
                                        "kernel void b(global int* o) { o[get_global_id(0)] = f(2); }\n")});
  ASSERT_EQ(module.kernels.size(), 2U);
  EXPECT_TRUE(module.kernels[0].split_allowed && module.kernels[1].split_allowed);
  ASSERT_EQ(module.sources.size(), 2U);
  EXPECT_THAT(module.sources[0], HasSubstr("f ( 1 )"));
  EXPECT_THAT(module.sources[1], HasSubstr("f ( 2 , mkmd_arguments)"));
}

TEST(Linked, ADimensionThatIsKnownLateIsEachUnitsOwnMatter) {
  const std::string function = "(uint d) { return get_group_id(d); }\n";
  const Module module =
      module_of({unit("ulong f" + function), unit("ulong g" + function),
                 unit("ulong f(uint); ulong g(uint);\nkernel void k(global ulong* o, uint d) "
                      "{ o[get_global_id(0)] = f(d) + g(d); }\n")});
  ASSERT_EQ(module.sources.size(), 3U);
  for (const size_t i : {size_t{0}, size_t{1}})
    EXPECT_THAT(module.sources[i], HasSubstr("static ulong mkmd_get_group_id("));
}

TEST(Linked, EachUnitHasItsOwnOptions) {
  const std::string text = "return N * (int)get_global_id(0); }\n";
  const Module module = module_of(
      {unit("int f() { " + text, "-DN=3"), unit("int g() { " + text, "-D N=5"),
       unit("int f(); int g();\nkernel void k(global int* o) { o[f()] = 1; o[g() + N] = 2; }", "-DN=7")});
  ASSERT_EQ(module.kernels.size(), 1U);
  EXPECT_EQ(module.kernels[0].accesses.size(), 2U);
  ASSERT_EQ(module.sources.size(), 3U);
  EXPECT_THAT(module.sources[0], HasSubstr("return 3 *"));
  EXPECT_THAT(module.sources[1], HasSubstr("return 5 *"));
  EXPECT_THAT(module.sources[2], HasSubstr("+ 7"));
}

TEST(Linked, EmbeddedHeadersComeFirstAndIncludeEachOther) {
  Unit one =
      unit("#include \"a/one.h\"\n#include <two.h>\nkernel void k(global int* o) { o[PLACE] = TWO; }\n");
  one.headers = {{"a/one.h", "#include \"beside.h\"\n"},
                 {"a/beside.h", "#define PLACE get_global_id(0)\n"},
                 {"two.h", "#pragma once\n#include \"two.h\"\n#define TWO 2\n"}};
  const Module module = module_of({one});
  EXPECT_TRUE(module.included.empty()) << "no files";
  ASSERT_EQ(module.sources.size(), 1U);
  EXPECT_THAT(module.sources[0], HasSubstr("= 2 ;"));
  EXPECT_THAT(module.sources[0], HasSubstr("mkmd_global_id_x"));
}

TEST(Linked, HeadersOfOddNamesAreLeftAlone) {
  for (const std::string name : {"/etc/x.h", "../x.h", "a//x.h", "./x.h", "", "a\\x.h", "mkmd-program.cl"}) {
    Unit one = unit("kernel void k(global int* o) { o[get_global_id(0)] = 1; }\n");
    one.headers = {{name, ""}};
    EXPECT_THAT(error_of({one}), HasSubstr("a header of the name '" + name + "'"));
  }
}

TEST(Linked, MacrosAreAskedForEachUnit) {
  Request request = request_for("");
  request.units = {
      unit("#if __ONE__\nint f() { return (int)get_global_id(0); }\n#endif\n", "-cl-mad-enable"),
      unit("int f();\n#if __TWO__ && !__ONE__\nkernel void k(global int* o) { o[f()] = 1; }\n#endif\n")};
  request.macros.resize(2);
  std::vector<std::string> asked;
  const Result<Module> module =
      Client(MKMD_KC, "")
          .compile(request,
                   [&](const std::string& options, const std::vector<std::string>& names) -> Result<Macros> {
                     Macros known;
                     for (const std::string& name : names) {
                       asked.push_back(options + " " + name);
                       const bool is_set = options.empty() ? name == "__TWO__" : name == "__ONE__";
                       known[name] = is_set ? std::optional<std::string>("1") : std::nullopt;
                     }
                     return known;
                   });
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_THAT(asked, testing::UnorderedElementsAre("-cl-mad-enable __ONE__", " __TWO__", " __ONE__"));
  ASSERT_EQ(module->kernels.size(), 1U);
  EXPECT_TRUE(module->kernels[0].split_allowed);
}

TEST(Linked, ConstantsAreSharedAcrossUnits) {
  const Module module = module_of(
      {unit("constant int table[4] = {1, 2, 3, 4};\n"),
       unit("extern constant int table[];\nkernel void k(global int* o) { uint i = get_global_id(0); o[i] = "
            "table[i % 4]; }\n")});
  ASSERT_EQ(module.kernels.size(), 1U);
  EXPECT_TRUE(module.kernels[0].split_allowed);
}

TEST(Linked, WhatUnitsDoNotAgreeAboutIsRefused) {
  EXPECT_THAT(error_of({unit("int f(int x) { return x; }"), unit("int f(int x) { return x + 1; }")}),
              HasSubstr("cannot be linked"));
  EXPECT_THAT(error_of({unit("int f(int x) { return x; }"),
                        unit("int f(float);\nkernel void k(global int* o) { o[get_global_id(0)] = f(1); }")}),
              HasSubstr("do not agree about what 'f' is"));
  EXPECT_THAT(
      error_of({unit("kernel void k(global int* o) { *o = 1; }"), unit("kernel void k(global int* o) {}")}),
      HasSubstr("cannot be linked"));
  // Whose dot() is it?
  EXPECT_THAT(
      error_of({unit("float __attribute__((overloadable)) dot(float4 a, float4 b) { return 1; }"),
                unit("kernel void k(global float* o, float4 a) { o[get_global_id(0)] = dot(a, a); }")}),
      HasSubstr("'dot' of its own"));
}

TEST(Linked, AFunctionMayHaveANameLikeOneOfOpenCL) {
  const Module module =
      module_of({unit("int image_row(int x) { return x + (int)get_global_id(0); }"),
                 unit("int image_row(int);\nkernel void k(global int* o) { o[image_row(0)] = 1; }")});
  ASSERT_EQ(module.kernels.size(), 1U);
  EXPECT_TRUE(module.kernels[0].split_allowed);
}

TEST(Linked, AStructOfEachUnitIsOne) {
  const std::string pair = "typedef struct { float a, b; } Pair;\n";
  const Module module = module_of({unit(pair + "Pair turn(Pair p) { Pair q = {p.b, p.a}; return q; }"),
                                   unit(pair + "Pair turn(Pair p);\nkernel void k(global Pair* o) { uint i = "
                                               "get_global_id(0); o[i] = turn(o[i]); }")});
  ASSERT_EQ(module.kernels.size(), 1U);
  EXPECT_TRUE(module.kernels[0].split_allowed);
}

TEST(Linked, AFunctionThatIsNowhereIsUnknown) {
  const Module module =
      module_of({unit("int f(global int* o);\nint g(global int* o) { return f(o); }"),
                 unit("int g(global int*);\nkernel void k(global int* o) { o[get_global_id(0)] "
                      "= g(o); }")});
  ASSERT_EQ(module.kernels.size(), 1U);
  const KernelInfo& k = module.kernels[0];
  const bool some_unknown = std::ranges::any_of(k.accesses, [](const Access& a) { return !a.known; });
  EXPECT_TRUE(!k.split_allowed || some_unknown);
}

TEST(Linked, ABrokenUnitIsNamedByItsError) {
  EXPECT_THAT(error_of({unit("int f() { return 1; }"), unit("kernel void k( {")}),
              HasSubstr("does not compile"));
}

}  // namespace
}  // namespace mkmd::compiler::test
