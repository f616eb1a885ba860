// SPDX-License-Identifier: Apache-2.0
// What compilers of different drivers answer differently, or what a text that is laid out anew would answer
// differently. Such a program is not analysed, or has no code for pieces, and runs whole.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "in_folder.hpp"
#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

namespace fs = std::filesystem;

Result<Module> compile(const Request& request) {
  const Macros device = {
      {"__OPENCL_VERSION__", "300"}, {"__x86_64__", "1"}, {"min", "_cl_min"}, {"inline", ""}};
  return Client(MKMD_KC, "").compile(request, [&](const std::string&, const std::vector<std::string>& names) {
    Macros answer;
    for (const std::string& name : names)
      answer[name] = device.contains(name) ? device.at(name) : std::nullopt;
    return Result<Macros>(answer);
  });
}
Result<Module> compile(const std::string& source, const std::string& options = "") {
  return compile(request_for(source, options));
}

TEST(CompilersDiffer, WhereATextAsksForItself) {
  for (const char* source :
       {"int g(int x) { return x + (int)get_global_id(0); }\nint f(int) __asm__(\"g\");\n"
        "kernel void k(global int* p) { p[get_global_id(0)] = f(3); }",
        "#pragma redefine_extname f g\nint f(int);\nint g(int x) { return x + (int)get_global_id(0); }\n"
        "kernel void k(global int* p) { p[get_global_id(0)] = f(3); }",
        "kernel void k(global int* p) { p[get_global_id(0)] = sizeof(__PRETTY_FUNCTION__); }",
        "kernel void k(global int* p) { p[get_global_id(0)] = __builtin_COLUMN(); }",
        "kernel void k(global int* p) { p[get_global_id(0) * sizeof(__builtin_va_list)] = 1; }",
        "typedef struct { __builtin_va_list l; } T;\nkernel void k(global T* p, global int* q) { "
        "q[get_global_id(0) * sizeof(T)] = 1; }"}) {
    const Result<Module> module = compile(source);
    ASSERT_TRUE(module.ok()) << module.status().message();
    EXPECT_TRUE(module->sources.empty()) << source;
    EXPECT_FALSE(module->no_source.empty()) << source;
  }
  const Result<Module> same = compile("kernel void k(global int* p) {"
                                      " p[get_global_id(0)] = sizeof(__func__) + __builtin_LINE(); }");
  ASSERT_TRUE(same.ok());
  EXPECT_FALSE(same->sources.empty());
}

TEST(CompilersDiffer, WhereATextAsksWhatACompilerKnows) {
  const std::string helper = "int known(int n) { return __builtin_constant_p(n) ? 1 : 2; }\n";
  for (const char* value : {"known(4)", "known(n)", "(int)__builtin_object_size(p, 0)",
                            "(int)__builtin_dynamic_object_size(p, 0)"}) {
    const Result<Module> module =
        compile(helper + "kernel void k(global int* p, int n) { p[get_global_id(0) * " + value + "] = 1; }");
    ASSERT_TRUE(module.ok()) << module.status().message();
    EXPECT_TRUE(module->sources.empty()) << value;
    EXPECT_FALSE(module->no_source.empty()) << value;
  }
}

TEST(CompilersDiffer, WherePointersMayBeGeneric) {
  for (const char* value :
       {"_Generic(&x, int*: 1, default: 3)", "__builtin_types_compatible_p(int*, private int*)",
        "_Generic((char*)0, private char*: 1, default: 3)"}) {
    const std::string source =
        std::string("kernel void k(global int* p) { int x = 3; p[get_global_id(0)] = ") + value + "; }";
    const Result<Module> generic = compile(source, "-cl-std=CL2.0");
    ASSERT_TRUE(generic.ok()) << generic.status().message();
    EXPECT_TRUE(generic->sources.empty()) << source;
    const Result<Module> named = compile(source);
    ASSERT_TRUE(named.ok()) << named.status().message();
    EXPECT_FALSE(named->sources.empty()) << source;
  }
  const Result<Module> numbers =
      compile("kernel void k(global int* p) { p[get_global_id(0)] = _Generic(p[0], int: 1, default: 3); }",
              "-cl-std=CL2.0");
  ASSERT_TRUE(numbers.ok());
  EXPECT_FALSE(numbers->sources.empty());
}

TEST(CompilersDiffer, WhereAConstantIsADoubleByAnExtension) {
  const auto source = [](const std::string& value) {
    return "kernel void k(global int* p) { p[get_global_id(0) * " + value + "] = 1; }";
  };
  for (const char* value :
       {"sizeof(1.0)", "_Generic(1.0 + 1, float: 1, default: 3)", "((16777217.0 == 16777216.0) + 1)"}) {
    const Result<Module> by_extension = compile(source(value), "-cl-std=CL1.1");
    ASSERT_TRUE(by_extension.ok()) << by_extension.status().message();
    EXPECT_TRUE(by_extension->sources.empty()) << value;
    for (const char* options : {"-cl-std=CL1.2", "-cl-std=CL1.1 -cl-single-precision-constant"}) {
      const Result<Module> always = compile(source(value), options);
      ASSERT_TRUE(always.ok()) << always.status().message();
      EXPECT_FALSE(always->sources.empty()) << value << options;
    }
  }
  const Result<Module> single = compile(source("sizeof(1.0f)"), "-cl-std=CL1.1");
  ASSERT_TRUE(single.ok());
  EXPECT_FALSE(single->sources.empty());
}

TEST(CompilersDiffer, WhereANameIsPutTogetherInACondition) {
  const std::string kernel = "kernel void k(global int* p) { *p = 1; }\n";
  const std::string cat = "#define CAT(a, b) a##b\n";
  EXPECT_FALSE(compile(cat + "#if CAT(__x86,_64__)\n" + kernel + "#endif\n").ok());
  EXPECT_FALSE(compile(cat + "#if 0\n#elif CAT(__x86,_64__)\n" + kernel + "#endif\n").ok());
  EXPECT_TRUE(compile(cat + "int CAT(f,g)(int x) { return x; }\n#if 1\n" + kernel + "#endif\n").ok());
}

TEST(CompilersDiffer, WhereAMacroOfACompilerBecomesText) {
  const std::string text = "#define STRING_(x) #x\n#define STRING(x) STRING_(x)\n"
                           "#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n#define MINE 3\n"
                           "#define PI_TEXT STRING(M_PI_F)\n";
  const auto kernel = [&](const std::string& first, const std::string& value) {
    return compile(text + first + "\nkernel void k(global int* p) { p[get_global_id(0)] = " + value + "; }")
        .ok();
  };
  for (const char* word : {"M_PI_F", "INT_MAX", "CLK_LOCAL_MEM_FENCE", "2 * INT_MAX"})
    EXPECT_FALSE(kernel("constant char t[] = STRING(" + std::string(word) + ");", "t[0]")) << word;
  EXPECT_FALSE(kernel("constant char t[] = PI_TEXT;", "t[0]"));
  EXPECT_TRUE(kernel("constant int _cl_min_x = 1;", "CAT(min, _x)"));
  EXPECT_FALSE(kernel("constant int min_x = 1;", "CAT(min, _x)"));
  const Result<Module> told = compile(text + "constant char t[] = STRING(min);\n"
                                             "kernel void k(global int* p) { p[get_global_id(0)] = t[0]; }");
  ASSERT_TRUE(told.ok()) << told.status().message();
  ASSERT_FALSE(told->sources.empty());
  EXPECT_NE(told->sources.front().find("\"_cl_min\""), std::string::npos);
  for (const char* word : {"MINE", "kernel", "uint", "barrier", "any + 1", "\"text\""})
    EXPECT_TRUE(kernel("constant char t[] = STRING(" + std::string(word) + ");", "t[0]")) << word;
  EXPECT_TRUE(kernel("constant char t[] = STRING_(M_PI_F);", "t[0]"));  // not expanded before
  EXPECT_TRUE(kernel("constant int of_3 = 1;", "CAT(of_, MINE)"));
}

TEST(CompilersDiffer, WhereAKeywordIsAMacroOfTheDevice) {
  const std::string text =
      "#define STRING_(x) #x\n#define STRING(x) STRING_(x)\n"
      "#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\nenum { x = 5, xinline = 7 };\n"
      "#ifdef inline\n#define TOLD 3\n#else\n#define TOLD 4\n#endif\n"
      "inline int twice(int i) { return 2 * i; }\n";
  for (const auto& [value, meant] :
       {std::pair("TOLD", "3 ;"), {"sizeof STRING(inline)", "sizeof \"\" ;"}, {"CAT(x, inline)", "x ;"}}) {
    const Result<Module> module =
        compile(text + "kernel void k(global int* p) { p[twice(get_global_id(0))] =\n" + value + "; }");
    ASSERT_TRUE(module.ok()) << module.status().message();
    ASSERT_EQ(module->sources.size(), 1U);
    EXPECT_NE(module->sources[0].find(std::string("\n") + meant), std::string::npos) << module->sources[0];
  }
}

TEST(CompilersDiffer, WhereAnOptionDefinesWhatADevicePredefines) {
  const char* source = "kernel void k(global int* p) { p[get_global_id(0)] = __OPENCL_VERSION__; }";
  EXPECT_TRUE(compile(source).ok());
  EXPECT_FALSE(compile(source, "-D__OPENCL_VERSION__=120").ok());
  EXPECT_FALSE(compile(source, "-U__OPENCL_VERSION__ -D__OPENCL_VERSION__=300").ok());
  const char* mine =
      "#ifdef __MINE\nkernel void k(global int* p) { p[get_global_id(0)] = __MINE; }\n#endif\n";
  const Result<Module> module = compile(mine, "-D__MINE=7");
  ASSERT_TRUE(module.ok()) << module.status().message();
  ASSERT_EQ(module->sources.size(), 1U);
  EXPECT_NE(module->sources[0].find("= 7"), std::string::npos) << module->sources[0];
}

// Of -DX=a"b c" some drivers make a"b c", and some ab c.
TEST(CompilersDiffer, HowOptionsAreQuoted) {
  const char* source = "kernel void k(global int* p) { *p = 1; }";
  for (const char* options : {"-DX=a\"b c\"", "-DX=\"b c\"d", "-D X=a\"b c\"d -w", "-DX=\"b",
                              "-DX=\"a\"\"b\"", "-I\"a b\"c", "-w\" -cl-opt-disable\""})
    EXPECT_FALSE(compile(source, options).ok()) << options;
  for (const char* options : {"-DX=\"b c\"", "-D\"X=1 2\" -w", "-D X=\"1\"\t-D \"Y=2\"",
                              "-I\"a b\" -DZ=\"=\"", "-DX='a' -DY=1", "\"-w\""})
    EXPECT_TRUE(compile(source, options).ok()) << options;
}

TEST(CompilersDiffer, WhereAnOptionStandsInAnotherOne) {
  const char* source = "kernel void k(global int* p) { *p = 1; }";
  for (const char* options : {"-DX=-cl-fast-relaxed-math", "-DX=\"a -cl-opt-disable\"", "-I/a-cl-mad-enable"})
    EXPECT_FALSE(compile(source, options).ok()) << options;
  EXPECT_TRUE(compile(source, "-DX=cl -cl-mad-enable -DY=cl-mad-enable").ok());
}

TEST(CompilersDiffer, WhereALanguageVersionStandsInOtherOptions) {
  const char* source = "kernel void k(global int* p) { *p = 1; }";
  for (const char* options :
       {"-DTITLE=\"std_-cl-std=CL1.2\"", "-DA-cl-std=CL1.2", "-I/nowhere/x-cl-std=CL1.2",
        "-DX=\"-cl-std=CL1.2 \" -cl-std=CL2.0", "-cl-std=CL1.2 -cl-std=CL2.0", "-D -cl-std=CL1.2"})
    EXPECT_FALSE(compile(source, options).ok()) << options;
  EXPECT_TRUE(compile(source, "-DX=1 -cl-std=CL1.2").ok());
}

class Includes : public InFolder {
protected:
  void SetUp() override {
    InFolder::SetUp();
    fs::create_directory("other");
    put("other/x.h", 3);
  }
  void put(const std::string& file, int value) { std::ofstream(file) << "#define T " << value << "\n"; }
  static std::string source(const std::string& directive) {
    return directive + "\nkernel void k(global int* p) { p[get_global_id(0)] = T; }\n";
  }
};

TEST_F(Includes, OfOneFileAreUnderstood) {
  for (const char* directive : {"#include <x.h>", "#include \"x.h\""}) {
    EXPECT_TRUE(compile(source(directive), "-I other").ok()) << directive;
    EXPECT_TRUE(compile(source(directive), "-I other -I " + folder_ + "/other").ok()) << "the same file";
  }
}

TEST_F(Includes, OfOneAmongSeveralFilesAreNot) {
  put("x.h", 1);
  for (const char* directive : {"#include <x.h>", "#include \"x.h\"", "#import \"x.h\""})
    EXPECT_FALSE(compile(source(directive), "-I other").ok()) << directive;
  EXPECT_TRUE(compile(source("#include \"other/x.h\"")).ok());
  EXPECT_FALSE(compile(source("#include_next <x.h>"), "-I other").ok());
}

TEST_F(Includes, OfAnEmbeddedHeaderOfTheSameNameAreNot) {
  Request request = request_for(source("#include \"x.h\""), "-I other");
  request.units[0].headers = {{"x.h", "#define T 9\n"}};
  EXPECT_FALSE(compile(request).ok());
  request.units[0].options = "";
  EXPECT_TRUE(compile(request).ok());
  put("x.h", 1);
  EXPECT_FALSE(compile(request).ok());
}

}  // namespace
}  // namespace mkmd::compiler::test
