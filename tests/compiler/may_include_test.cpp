// SPDX-License-Identifier: Apache-2.0
// What a program that includes nothing says does not depend on files. In doubt a program may include one.
#include "compiler/client.hpp"

#include <gtest/gtest.h>

namespace mkmd::compiler {
namespace {

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

}  // namespace
}  // namespace mkmd::compiler
