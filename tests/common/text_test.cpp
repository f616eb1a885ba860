// SPDX-License-Identifier: Apache-2.0
#include "common/text.hpp"

#include <gtest/gtest.h>

using namespace mkmd;

namespace {

TEST(Text, WhatATerminalShowsStaysAsItIs) {
  for (const char* text : {"", "matrix_multiply<float>", "Größe µs 核 🙂", "\\ \" & '"})
    EXPECT_EQ(printable(text), text);
}

TEST(Text, WhatATerminalObeysIsEscaped) {
  EXPECT_EQ(printable("a\x1b[2J\x07"
                      "b"),
            "a\\x1b[2J\\x07b");
  EXPECT_EQ(printable("two\nlines\t\r"), "two\\nlines\\t\\x0d");
  EXPECT_EQ(printable(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");  // C1: the same as ESC [
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "txt"),
            "\\u202etxt");                               // right to left from here
  EXPECT_EQ(printable("\xf3\xa0\x81\x81"), "\\ue0041");  // a tag nobody sees
}

TEST(Text, BytesThatAreNoUtf8AreEscaped) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");  // ESC [ by a longer way
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\\xffb");
}

TEST(Text, XmlGetsNothingItCannotHave) {
  EXPECT_EQ(escaped("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
  EXPECT_EQ(escaped("\x1b"
                    "\xff"),
            "\\x1b\\xff");
}

}  // namespace
