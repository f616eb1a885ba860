// SPDX-License-Identifier: Apache-2.0
// What mkmd-kc says about kernels, without running them.
#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

Module examine(const std::string& source, const std::string& options = "") {
  Client client(MKMD_KC, "");
  Result<Module> m = client.compile(request_for(source, options));
  EXPECT_TRUE(m.ok()) << m.status().message();
  return m.ok() ? *m : Module{};
}

TEST(Info, EveryLaunchIsSplitOrRefusedAsExpected) {
  for (const KernelFile& file : kernel_files()) {
    const Module module = examine(file.source, file.options);
    for (const LaunchLine& line : file.launches) {
      const KernelInfo* k = find_kernel(module, line.kernel);
      ASSERT_NE(k, nullptr) << line.kernel;
      EXPECT_EQ(k->arguments.size(), line.arguments.size()) << line.kernel;
      if (line.whole.empty()) {
        EXPECT_TRUE(k->split_allowed)
            << line.kernel << ": " << (k->reasons.empty() ? "" : k->reasons[0].text);
        continue;
      }
      EXPECT_FALSE(k->split_allowed) << line.kernel;
      std::string all;
      for (const Reason& r : k->reasons)
        all += r.text + "; ";
      // mem_fence and half_sin keep their underscores.
      std::string flat = all;
      std::ranges::replace(flat, '_', ' ');
      EXPECT_THAT(flat, testing::HasSubstr(line.whole)) << line.kernel;
    }
  }
}

TEST(Info, JsonFormIsCompleteAndStable) {
  for (const KernelFile& file : kernel_files())
    for (const KernelInfo& k : examine(file.source, file.options).kernels) {
      const nlohmann::json j = k;
      Result<KernelInfo> again = kernel_info_from_json(j);
      ASSERT_TRUE(again.ok()) << again.status().message();
      EXPECT_EQ(nlohmann::json(*again), j) << k.name;
    }
}

// One device may do it all, if it knows all memory that is touched and nothing remains on it.
TEST(Info, SomeKernelsThatMayNotBeSplitRunAnywhere) {
  const Module module = examine(R"(
    kernel void ticket(global int* n, global int* o) { o[atomic_inc(n) & 63] = 1; }
    kernel void exchange(global int* last) { atomic_xchg(last, (int)get_global_id(0)); }
    kernel void picks(global int* a, global int* b, int which) {
      global int* p = which ? a : b;
      for (int i = 0; i < 2; ++i) {
        p[get_global_id(0)] = 1;
        p = i == which ? a : b;
      }
    }
    kernel void plain(global int* o) { o[get_global_id(0)] = 1; }
    kernel void prints(global int* n) { printf("%d", atomic_inc(n)); }
    kernel void keeps_pointer(global int* n, global ulong* o) { o[atomic_inc(n)] = (ulong)n; }
    kernel void waits(global volatile int* n) { while (atomic_cmpxchg(n, 0, 1) != 0) {} }
    typedef struct { int a[64]; } Many;
    kernel void changes(Many many, global int* n) {
      many.a[get_local_id(0)] = atomic_inc(n);
      n[1 + get_global_id(0)] = many.a[n[0]];
    })");
  ASSERT_EQ(module.kernels.size(), 8U);
  EXPECT_FALSE(module.sources.empty()) << module.no_source;
  std::set<std::string> anywhere;
  for (const KernelInfo& k : module.kernels) {
    EXPECT_EQ(k.split_allowed, k.name == "plain") << k.name;
    if (k.runs_anywhere) anywhere.insert(k.name);
  }
  EXPECT_THAT(anywhere, testing::ElementsAre("exchange", "picks", "plain", "ticket"));
}

// Its name has a part of those that launch kernels.
TEST(Info, TheLocalSizeThatWasEnqueuedIsAWorkItemFunction) {
  const Module module = examine("kernel void k(global int* o) {"
                                " o[get_global_id(0)] = (int)get_enqueued_local_size(0); }",
                                "-cl-std=CL2.0");
  ASSERT_EQ(module.kernels.size(), 1U);
  EXPECT_TRUE(module.kernels[0].split_allowed);
  EXPECT_TRUE(module.kernels[0].uses_local_shape);
}

// PoCL chooses among all functions of a name, Mesa's compiler looks among the program's own first.
TEST(Info, AFunctionNamedLikeOneOfOpenClIsChosenWithCertaintyOrTheProgramRunsWhole) {
  Client client(MKMD_KC, "");
  const char* const own = "int any(uint d) { return (int)d; }\n";
  const std::string use = std::string(own) + "kernel void k(global int* o) { o[any(1u)] = 1; }";
  const Module certain = examine(use);
  ASSERT_EQ(certain.kernels.size(), 1u);
  const Result<Module> unclear =
      client.compile(request_for(std::string(own) + "kernel void k(global int* o) { o[any(1)] = any(1u); }"));
  ASSERT_FALSE(unclear.ok());
  EXPECT_THAT(unclear.status().message(), testing::HasSubstr("a function 'any' of its own"));
  const Result<Module> before =
      client.compile(request_for("int f(int x) { return abs(x); }\nint abs(float x) { return (int)x; }\n"
                                 "kernel void k(global int* o) { o[get_global_id(0)] = f(1) + abs(2.0f); }"));
  ASSERT_FALSE(before.ok());
  EXPECT_THAT(before.status().message(), testing::HasSubstr("a function 'abs' of its own"));
}

// They are part of the language without cl_khr_fp16, too, in every version and for every real type.
TEST(Info, HalvesAreLoadedAndStoredWithAndWithoutTheExtension) {
  const std::string source = R"(
    #pragma OPENCL EXTENSION cl_khr_fp64 : enable
    kernel void k(global half* p, constant half* c, local half* l, double d) {
      int i = get_global_id(0);
      float4 x = vload_half4(i, c) + vloada_half4(0, l);
      vstore_half_rtz(vload_half(i, p) + x.y, i, p);
      vstorea_half2((float2)(1), 0, l);
      vstore_half_rte(d, 2, l);
    })";
  for (const bool extension : {false, true})
    for (const char* standard : {"CL1.1", "CL1.2", "CL3.0"}) {
      Request request = request_for(source, std::string("-cl-std=") + standard);
      if (extension) request.extensions.emplace_back("cl_khr_fp16");
      Client client(MKMD_KC, "");
      const Result<Module> m = client.compile(request);
      ASSERT_TRUE(m.ok()) << standard << ": " << m.status().message();
      EXPECT_TRUE(m->kernels.at(0).split_allowed) << standard;
      EXPECT_NE(m->sources.at(0).find("vstore_half_rte ( d , 2 , l )"), std::string::npos) << standard;
    }
}

TEST(Info, BadIndicesAreRefused) {
  const Module m =
      examine("kernel void k(global int* p, int n) { int i = get_global_id(0); if (i < n) p[i] = 1; }");
  nlohmann::json j = m.kernels.at(0);
  j["accesses"][0]["offset"]["base"] = 99;
  EXPECT_FALSE(kernel_info_from_json(j).ok());
  j = m.kernels.at(0);
  j["accesses"][0]["argument"] = -1;
  EXPECT_FALSE(kernel_info_from_json(j).ok());
  j = m.kernels.at(0);
  j.erase("loops");
  EXPECT_FALSE(kernel_info_from_json(j).ok());
}

TEST(Info, NumbersThatAreLoadedWhereTheyThemselvesSayAreRefused) {
  const Module m = examine(
      "kernel void k(global int* a, global int* p) { p[a[a[get_global_id(0)]]] = get_global_id(0); }");
  const nlohmann::json right = m.kernels.at(0);
  ASSERT_EQ(right.at("loads").size(), 2);
  const nlohmann::json by_number = right["loads"][1], by_id = right["loads"][0];
  const auto accepts = [&](const nlohmann::json& first, const nlohmann::json& second) {
    nlohmann::json j = right;
    j["loads"] = {first, second};
    return kernel_info_from_json(j).ok();
  };
  EXPECT_TRUE(accepts(by_id, by_id));
  EXPECT_TRUE(accepts(by_id, by_number));
  EXPECT_FALSE(accepts(by_number, by_id)) << "the first is loaded where it says itself";
  EXPECT_FALSE(accepts(by_number, by_number));
}

TEST(Info, SignatureIsDescribed) {
  const Module m = examine("typedef struct { int a; float b; } S;\n"
                           "kernel __attribute__((reqd_work_group_size(8, 4, 1)))\n"
                           "void k(global const float* restrict in, constant int* c, local float4* l, S s, "
                           "uchar small, long big, float4 v,\n"
                           "       global float* out) { l[get_local_id(0)] = v; out[get_global_id(0)] = "
                           "in[0] + c[0] + s.a + small + big; }\n");
  const KernelInfo& k = m.kernels.at(0);
  ASSERT_EQ(k.arguments.size(), 8U);
  using Kind = Argument::Kind;
  EXPECT_EQ(k.arguments[0].kind, Kind::buffer);
  EXPECT_EQ(k.arguments[0].name, "in");
  EXPECT_EQ(k.arguments[0].type, "float*");
  EXPECT_TRUE(k.arguments[0].is_const);
  EXPECT_TRUE(k.arguments[0].is_restrict);
  EXPECT_EQ(k.arguments[1].kind, Kind::constant_buffer);
  EXPECT_EQ(k.arguments[2].kind, Kind::local);
  EXPECT_EQ(k.arguments[3].kind, Kind::value);
  EXPECT_EQ(k.arguments[3].bytes, 8U);
  EXPECT_EQ(k.arguments[4].bytes, 1U);
  EXPECT_FALSE(k.arguments[4].is_signed);
  EXPECT_EQ(k.arguments[5].bytes, 8U);
  EXPECT_TRUE(k.arguments[5].is_signed);
  EXPECT_EQ(k.arguments[6].bytes, 16U);
  EXPECT_EQ(k.reqd_work_group_size[0], 8U);
  EXPECT_EQ(k.reqd_work_group_size[1], 4U);
  EXPECT_TRUE(k.uses_local_shape);
}

TEST(Info, LocalShapeMattersOnlyWhenUsed) {
  const Module m =
      examine("kernel void a(global int* p) { p[get_global_id(0)] = get_global_size(0); }\n"
              "kernel void b(global int* p) { p[get_global_id(0)] = get_group_id(0); }\n"
              "kernel void c(global int* p) { local int x[4]; x[0] = 1; p[get_global_id(0)] = x[0]; }\n");
  EXPECT_FALSE(m.kernels[0].uses_local_shape);
  EXPECT_TRUE(m.kernels[1].uses_local_shape);
  EXPECT_TRUE(m.kernels[2].uses_local_shape);
  EXPECT_EQ(m.kernels[2].local_bytes, 16U);
}

TEST(Info, CostFollowsTheArguments) {
  const Module m =
      examine("kernel void mm(global const float* a, global const float* b, global float* c, int n) {\n"
              "  int x = get_global_id(0), y = get_global_id(1); float s = 0;\n"
              "  for (int k = 0; k < n; ++k) s += a[y * n + k] * b[k * n + x];\n"
              "  c[y * n + x] = s; }");
  const KernelInfo& k = m.kernels[0];
  EXPECT_FALSE(k.cost.irregular);
  Launch l{2, {64, 64, 1}, {8, 8, 1}, {0, 0, 0}, {0, 0, 0, 64}};
  EXPECT_DOUBLE_EQ(LaunchFootprints(k, l).bytes_moved(), 64.0 * 64 * (64 * 8 + 4));
  const double at64 = LaunchFootprints(k, l).operations();
  l.scalars[3] = 128;
  EXPECT_NEAR(LaunchFootprints(k, l).operations() / at64, 2, 0.1);
  const Module w = examine("kernel void w(global int* p) { int i = p[0]; while (i > 1) i = i & 1 ? 3 * i + 1 "
                           ": i / 2; p[1] = i; }");
  EXPECT_TRUE(w.kernels[0].cost.irregular);
}

TEST(Info, ReasonsNameTheLine) {
  const Module m = examine("kernel void k(global int* p) {\n  p[0] = 1;\n  atomic_xchg(p, 1);\n}\n");
  ASSERT_FALSE(m.kernels[0].reasons.empty());
  EXPECT_EQ(m.kernels[0].reasons[0].line, 3);
}

TEST(Info, KernelsThatOnlyHomeMayRunAreNotInTheModule) {
  const Module m = examine("kernel void bad(global int* p) { p[0] = 1; printf(\"%d\", p[1]); }\n");
  EXPECT_EQ(m.kernels.size(), 1U);
  EXPECT_TRUE(m.sources.empty());
}

TEST(Info, MistakesAndUnknownOptionsAreAStatus) {
  Client client(MKMD_KC, "");
  Result<Module> m = client.compile(request_for("kernel void k(global int* p) { p[0] = nothing; }"));
  ASSERT_FALSE(m.ok());
  EXPECT_THAT(m.status().message(), testing::HasSubstr("undeclared identifier 'nothing'"));
  m = client.compile(request_for("kernel void k() {}", "-cl-invent-this"));
  ASSERT_FALSE(m.ok());
  EXPECT_THAT(m.status().message(), testing::HasSubstr("-cl-invent-this"));
  Request narrow = request_for("kernel void k() {}");
  narrow.address_bits = 32;
  EXPECT_FALSE(client.compile(narrow).ok());
}

// What a device would say, and which names it was asked for.
struct AskedDevice {
  Macros says;
  std::set<std::string> names;

  Result<Module> compile(const std::string& source, const std::string& options = "") {
    return Client(MKMD_KC, "")
        .compile(request_for(source, options),
                 [&](const std::string&, const std::vector<std::string>& wanted) {
                   Macros answer;
                   for (const std::string& name : wanted) {
                     names.insert(name);
                     answer[name] = says.contains(name) ? says[name] : std::nullopt;
                   }
                   return Result<Macros>(answer);
                 });
  }
};

TEST(Info, MacrosAreAskedOfTheDevice) {
  const char* source = R"(
#define BOTH(x, y) (x) && (y)
#define LARGE __OPENCL_VERSION__ >= 200 /* a comment */ || \
  NOT_THERE
#if LARGE && BOTH(__OPENCL_C_VERSION__ == 300, __x86_64__)
#ifdef __AVX2__
#if __GNUC__
#error only where __GNUC__ is
#endif
typedef long T;
#endif
#elif 1
#error the second way
#endif
#ifndef CLK_LOCAL_MEM_FENCE
#error the header
#endif
#undef __ELF__
#ifdef __ELF__
#error undefined by the program
#endif
#if FROM_OPTIONS != 3
#error options
#endif
kernel void k(global T* p) { p[get_global_id(0)] = FROM_OPTIONS + __LINE__ + __SIZEOF_LONG__ + M_E; }
)";
  AskedDevice device{{{"__OPENCL_VERSION__", "300"},
                      {"__OPENCL_C_VERSION__", "300"},
                      {"__x86_64__", "1"},
                      {"__AVX2__", "1"},
                      {"__SIZEOF_LONG__", "8"},
                      {"CLK_LOCAL_MEM_FENCE", "1"}},
                     {}};
  const Result<Module> module = device.compile(source, "-D FROM_OPTIONS=3");
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ(module->kernels.at(0).accesses.at(0).bytes, 8U) << "long";
  EXPECT_THAT(device.names, testing::UnorderedElementsAre(
                                "NOT_THERE", "__OPENCL_VERSION__", "__OPENCL_C_VERSION__", "__x86_64__",
                                "__AVX2__", "__GNUC__", "__SIZEOF_LONG__", "CLK_LOCAL_MEM_FENCE", "__ELF__"))
      << "M_E is the header's, and not tested";
  device.says["__GNUC__"] = "4";
  EXPECT_FALSE(device.compile(source, "-DFROM_OPTIONS=3").ok());
  EXPECT_FALSE(Client(MKMD_KC, "").compile(request_for(source, "-DFROM_OPTIONS=3")).ok()) << "nobody to ask";
}

TEST(Info, MacrosAreSeenHoweverTheyAreWritten) {
  const char* spliced = "#if __AV\\\nX2__ // __FILE__\nkernel void k(global long* p) { *p = 1; }\n#else\n"
                        "kernel void k(global int* p) { *p = 1; }\n#endif\n";
  AskedDevice device{{{"__AVX2__", "1"}}, {}};
  const Result<Module> split = device.compile(spliced);
  ASSERT_TRUE(split.ok()) << split.status().message();
  EXPECT_THAT(device.names, testing::UnorderedElementsAre("__AVX2__")) << "a comment's words are no test";
  EXPECT_EQ(split->kernels.at(0).accesses.at(0).bytes, 8U);

  // No directive tests these: what becomes of the name is seen in its text, or by what it is pasted to.
  for (const char* source : {R"(
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
kernel void k(global char* p) { if (sizeof(TEXT(__AVX2__)) == 2) p[0] = 1; else p[1] = 1; })",
                             R"(
#define MARK_1 0,
#define SECOND(a, b, ...) b
#define SECOND_OF(x) SECOND(x, 1, 0)
#define PASTED(x) SECOND_OF(MARK_##x 0)
#define IS(x) PASTED(x)
#define WIDE __AVX2__
kernel void k(global char* p) { if (IS(WIDE)) p[1] = 1; else p[0] = 1; })"}) {
    AskedDevice asked{{{"__AVX2__", "1"}}, {}};
    EXPECT_TRUE(asked.compile(source).ok()) << source;
    EXPECT_THAT(asked.names, testing::UnorderedElementsAre("__AVX2__")) << source;
  }
  AskedDevice none;
  EXPECT_TRUE(none.compile("#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
                           "kernel void k(__global int* p, int n) { *p = MIN(n, __builtin_abs(n)); }")
                  .ok());
  EXPECT_TRUE(none.names.empty()) << "nothing predefined is used: no device is asked";
}

TEST(Info, QuestionsToACompilerAreAskedOfTheDevice) {
  const char* source =
      "#ifndef __has_builtin\n#define __has_builtin(x) 0\n#endif\n#define HAS(x) __has_builtin(x)\n"
      "#if HAS(__builtin_assume) && __has_attribute(nothing) == 0\ntypedef long T;\n#else\n"
      "typedef int T;\n#endif\nkernel void k(global T* p) { p[get_global_id(0)] = 1; }";
  AskedDevice device{{{"__has_builtin(mkmd)", "0"},
                      {"__has_attribute(mkmd)", "0"},
                      {"__has_builtin(__builtin_assume)", "1"}},
                     {}};
  const auto bytes = [&] {
    const Result<Module> module = device.compile(source);
    EXPECT_TRUE(module.ok()) << module.status().message();
    return module.ok() ? module->kernels.at(0).accesses.at(0).bytes : 0;
  };
  EXPECT_EQ(bytes(), 8U) << "clang's own answer is another one if it does not know the builtin";
  EXPECT_TRUE(device.names.contains("__has_attribute(nothing)"));
  device.says["__has_builtin(__builtin_assume)"] = "0";
  EXPECT_EQ(bytes(), 4U);
  device.says["__has_builtin(__builtin_assume)"] = "1";
  device.says.erase("__has_builtin(mkmd)");
  EXPECT_EQ(bytes(), 4U) << "it knows no such question, and the program's own answer counts";
}

TEST(Info, WhatOnlyACompilerKnowsOfItselfIsNotGuessed) {
  for (const char* source :
       {"#if __has_include(<a.h>)\n#endif\nkernel void k() {}",
        "#define __has_attribute(x) 1\n#undef __has_attribute\nkernel void k(global int* p) "
        "{ *p = __has_extension(0); }",
        "kernel void k(global int* p) { *p = __COUNTER__; }",
        "#define NAME __FILE__\nkernel void k(global int* p) { *p = sizeof(NAME); }"}) {
    AskedDevice device;
    const Result<Module> module = device.compile(source);
    ASSERT_FALSE(module.ok()) << source;
    EXPECT_THAT(module.status().message(), testing::HasSubstr("which each compiler answers in its own way"));
  }
  for (const char* option : {"-DM_PI_F=3.0f", "-UM_PI_F", "-D M_PI_F=3.0f"}) {
    const Result<Module> module =
        AskedDevice().compile("kernel void k(global float* p) { *p = M_PI_F; }", option);
    ASSERT_FALSE(module.ok()) << option << ": some drivers' headers come behind the options";
    EXPECT_THAT(module.status().message(), testing::HasSubstr("it depends on M_PI_F"));
    EXPECT_TRUE(AskedDevice().compile("kernel void k(global float* p) { *p = 1; }", option).ok());
  }
  for (const char* option : {"-DTEXT=\\\"a\\\"", "-DTEXT=a\\b", "-DTEXT=a\"\"b"})
    EXPECT_FALSE(AskedDevice().compile("kernel void k(global int* p) { *p = 1; }", option).ok()) << option;
  AskedDevice device;
  EXPECT_TRUE(
      device.compile("#define own 1\n#if own\nkernel void k(global int* p) { *p = own; }\n#endif").ok());
  EXPECT_TRUE(device.names.empty());
}

}  // namespace
}  // namespace mkmd::compiler::test
