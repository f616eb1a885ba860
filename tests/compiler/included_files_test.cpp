// SPDX-License-Identifier: Apache-2.0
// What a program that includes nothing says does not depend on files. In doubt a program may include one.
// What it may include is read when it is built, and stands for these files ever after.
#include "compiler/client.hpp"
#include "in_folder.hpp"
#include "kernel_files.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <sys/stat.h>

namespace mkmd::compiler::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

bool includes(const std::string& source, const std::string& options = "") {
  return may_include({source, options, {}});
}

TEST(MayIncludeTest, EveryWayToNameAFile) {
  for (const char* line :
       {"#include <a.h>", "# include \"a.h\"", "  #\tinclude <a.h>", "#/* so */include <a.h>",
        "%:include <a.h>", "%: include <a.h>", "?\?=include <a.h>", "#include_next <a.h>",
        "#__include_macros <a.h>", "#import <a.h>", "#\\\ninclude <a.h>", "#inc\\\nlude <a.h>",
        "#in\\  \nclude <a.h>", "#in\\\r\nclude <a.h>", "#in?\?/\nclude <a.h>",
        "#if __has_include(<a.h>)\n#endif", "#embed <a.bin>", "#if __has_embed(<a.bin>)\n#endif",
        "int x;\n#ifdef NEVER\n#include <a.h>\n#endif\n"})
    EXPECT_TRUE(includes(line)) << line;
  EXPECT_TRUE(includes("int x;", "-include a.h"));
  EXPECT_TRUE(includes("int x;", "@file"));
}

TEST(MayIncludeTest, WordsThatNameNone) {
  for (const char* text :
       {"", "// This includes the border.\n", "/* important: do not include it */", "int include = 1;",
        "#define important 3\n", "#define A \\\n  1\n__kernel void f() {}\n"})
    EXPECT_FALSE(includes(text)) << text;
  EXPECT_FALSE(includes("int x;", "-DA=1 -I include"));
}

class IncludedFilesTest : public InFolder {
protected:
  void SetUp() override {
    InFolder::SetUp();
    for (const char* inner : {"one", "two", "one/deep"})
      fs::create_directory(inner);
  }
  static void put(const std::string& path, const std::string& content) { std::ofstream(path) << content; }

  using Paths = std::vector<std::string>;
  // Null: it is not known which.
  static std::optional<Paths> paths(const std::string& source, const std::string& options = "") {
    const std::optional<IncludedFiles> included = read_included_files({{source, options, {}}});
    if (!included) return std::nullopt;
    Paths all;
    for (const auto& [path, file] : included->files)
      all.push_back(path);
    return all;
  }
};

TEST_F(IncludedFilesTest, FilesOfAllFoldersAndWhatTheyInclude) {
  put("one/a.h", "#include \"deep/b.h\"\n");
  put("one/deep/b.h", "#if 0\n#include <c.h>\n#endif\n#include \"../a.h\"\n");
  put("two/c.h", "#pragma once\n");
  put("c.h", "// here, too\n");
  put("two/unused.h", "");
  EXPECT_EQ(paths("#include \"a.h\"\n", "-I one -Itwo/ -I \"./one\""),
            (Paths{"c.h", "one/a.h", "one/deep/b.h", "two/c.h"}));
  EXPECT_EQ(paths("#include <" + folder_ + "/two/c.h>"), Paths{folder_ + "/two/c.h"});
  EXPECT_EQ(paths("#include <missing.h>", "-I one"), Paths{});
  EXPECT_EQ(paths("kernel void k() {}", "-I one"), Paths{});
}

TEST_F(IncludedFilesTest, OneThatIncludesItself) {
  put("one/a.h", "#ifndef A\n#define A\n#include \"a.h\"\n#include \"./a.h\"\n#endif\n");
  EXPECT_EQ(paths("#include \"one//a.h\""), Paths{"one/a.h"});
  put("one/a.h", "#ifndef A\n#define A\n#include \"../one/a.h\"\n#endif\n");
  EXPECT_EQ(paths("#include \"one/a.h\""), Paths{"one/a.h"});
}

TEST_F(IncludedFilesTest, BehindALinkOtherFoldersAreAbove) {
  put("a.h", "");
  put("one/a.h", "");
  fs::create_directory_symlink("one/deep", "link");
  EXPECT_EQ(paths("#include \"link/../a.h\""), std::nullopt) << "it is one/a.h";
  EXPECT_EQ(paths("#include \"nowhere/../a.h\""), std::nullopt) << "there is no such file";
  EXPECT_EQ(paths("#include \"two/../../" + fs::path(folder_).filename().string() + "/a.h\""),
            Paths{"../" + fs::path(folder_).filename().string() + "/a.h"});
}

TEST(PlainPathTest, OneWayToWriteEachPath) {
  for (const auto& [path, plain] : std::map<std::string, std::string>{{"a/./b//c/", "a/b/c"},
                                                                      {"./.././a", "../a"},
                                                                      {"../../a/../b", "../../b"},
                                                                      {"a/../../b", "../b"},
                                                                      {"/../a//b/..", "/a"},
                                                                      {"/", "/"},
                                                                      {".", ""},
                                                                      {"a/..", ""},
                                                                      {"", ""}})
    EXPECT_EQ(plain_path(path), plain) << path;
}

TEST_F(IncludedFilesTest, WhichFilesIsNotAlwaysToldByTheText) {
  put("one/a.h", "#define B <c.h>\n#include B\n");
  for (const char* source :
       {"#include NAME", "#include \"one/a.h\"", "#include_next <a.h>", "#include \"a\\b.h\"",
        "#if __has_include(<a.h>)\n#endif", "#include \"a.h\n", "#embed A", "#include"})
    EXPECT_EQ(paths(source, "-I one"), std::nullopt) << source;
  EXPECT_EQ(paths("int x;", "-include a.h"), std::nullopt);
  EXPECT_EQ(paths("int x;", "@file"), std::nullopt);
}

TEST_F(IncludedFilesTest, NothingIsWaitedForAndNoFileIsTooLarge) {
  ASSERT_EQ(mkfifo("pipe.h", 0600), 0);
  EXPECT_EQ(paths("#include \"pipe.h\"\n#include \"one\"\n"), Paths{});
  put("large.h", std::string(size_t{17} << 20, ' '));
  EXPECT_EQ(paths("#include \"large.h\""), std::nullopt);
}

TEST_F(IncludedFilesTest, AnAnswerRestsOnTheFilesThatWereSeen) {
  const std::string source =
      "#include \"deep/a.h\"\nkernel void k(global int* p) { p[get_global_id(0)] = A + B; }\n";
  const std::string options = "-I " + folder_ + "/one";
  put("one/deep/a.h", "#include <b.h>\n#define A 4711\n");
  put("one/b.h", "#define B 1\n");
  Request request = request_for(source, options);
  request.included = read_included_files(request.units);
  ASSERT_TRUE(request.included);
  put("one/deep/a.h", "#define A 5\n");
  fs::remove("one/b.h");

  Client client(MKMD_KC, folder_ + "/cache");
  const Result<Module> seen = client.compile(request);
  ASSERT_TRUE(seen.ok()) << seen.status().message();
  EXPECT_THAT(seen->sources, ElementsAre(HasSubstr("4711 + 1")));
  EXPECT_EQ(seen->included, dependencies_on(*request.included));
  EXPECT_TRUE(client.recall(request).has_value());
  EXPECT_FALSE(client.recall(request_for(source, options)).has_value()) << "the files are others now";

  put("one/b.h", "#define B 2\n");
  put("one/deep/a.h", "#include <b.h>\n#define A 5\n");
  const Result<Module> now = client.compile(request_for(source, options));
  ASSERT_TRUE(now.ok()) << now.status().message();
  EXPECT_THAT(now->sources, ElementsAre(HasSubstr("5 + 2")));
  EXPECT_FALSE(client.recall(request).has_value()) << "the entry is of other files";
}

// It would come first for some compilers.
TEST_F(IncludedFilesTest, AnAnswerEndsWhereAnotherFileOfTheNameAppears) {
  const std::string source = "#include \"a.h\"\nkernel void k(global int* p) { p[get_global_id(0)] = A; }\n";
  put("two/a.h", "#define A 1\n");
  Client client(MKMD_KC, folder_ + "/cache");
  ASSERT_TRUE(client.compile(request_for(source, "-I one -I two")).ok());
  EXPECT_TRUE(client.recall(request_for(source, "-I one -I two")).has_value());
  put("one/a.h", "#define A 2\n");
  EXPECT_FALSE(client.recall(request_for(source, "-I one -I two")).has_value());
}

TEST_F(IncludedFilesTest, BytesOfAnyKindArrive) {
  const std::string odd = "one/\xff \xe4.h";
  put(odd, "// \xc3\x28 \xff\n#define A 77\n");
  Request request = request_for("#include \"" + odd + "\"\nkernel void k(global int* p) { p[0] = A; }\n");
  request.included = read_included_files(request.units);
  fs::remove(odd);
  const Result<Module> seen = Client(MKMD_KC, "").compile(request);
  ASSERT_TRUE(seen.ok()) << seen.status().message();
  EXPECT_EQ(seen->included, dependencies_on(*request.included));
}

}  // namespace
}  // namespace mkmd::compiler::test
