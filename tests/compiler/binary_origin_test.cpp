// SPDX-License-Identifier: Apache-2.0
// What binaries were made from: found for exactly the same bytes, and never taken from what is not ours.
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/hash.hpp"
#include "compiler/binary_origin.hpp"
#include "compiler/build_options.hpp"
#include "compiler/cache.hpp"
#include "own_entries.hpp"

namespace mkmd::compiler::test {
namespace {

namespace fs = std::filesystem;

// Bytes without any order, as long as asked for.
std::string binary_of(size_t bytes, uint64_t seed = 1) {
  std::string text;
  for (uint64_t i = 0; text.size() < bytes; ++i) {
    const uint64_t word = mix(seed, i);
    text.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  text.resize(bytes);
  return text;
}

const Unit kUnit{"kernel void k() {} // \xe4\xff\x80", "-DX=\"\xfc\"", {{"a/b.h", "\xff"}}};
const Origin kOrigin{{{kUnit, {"int f() { return 1; }", "", {}}},
                      {{"-create-library", {{false, 1}}}, {"-w", {{false, 0}, {true, 0}}}}},
                     Origin::Kind::executable,
                     "a device|its driver",
                     {{"/a/b.h", 17, "1234"}, {"c\xff.h", 3, "5678"}}};

class BinaryOrigin : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/mkmd-origin-XXXXXX";
    directory_ = mkdtemp(name);
    cache_ = directory_ + "/a/cache";
  }
  void TearDown() override { fs::remove_all(directory_); }

  bool keep(const std::string& binary, const Origin& origin = kOrigin) {
    return keep_origin(cache_, binary, origin).ok();
  }
  bool known(const std::string& binary) { return origin_of_binary(cache_, binary).ok(); }
  std::vector<std::string> entries() {
    std::vector<std::string> all;
    if (fs::exists(cache_))
      for (const auto& e : fs::directory_iterator(cache_))
        all.push_back(e.path());
    return all;
  }

  std::string directory_, cache_;
};

TEST_F(BinaryOrigin, IsThatOfTheSameBytes) {
  for (const size_t bytes : {size_t{1}, size_t{16}, size_t{200}, size_t{5000}}) {
    const std::string binary = binary_of(bytes);
    EXPECT_FALSE(known(binary));
    ASSERT_TRUE(keep(binary));
    const Result<Origin> origin = origin_of_binary(cache_, binary);
    ASSERT_TRUE(origin.ok()) << origin.status().message();
    EXPECT_EQ(*origin, kOrigin);
    EXPECT_FALSE(known(binary + '\0'));
    EXPECT_FALSE(known(binary.substr(1)));
    for (size_t at = 0; at < binary.size(); at += 1 + binary.size() / 50) {
      std::string other = binary;
      other[at] = static_cast<char>(other[at] ^ 1);
      EXPECT_FALSE(known(other)) << at;
    }
  }
}

TEST_F(BinaryOrigin, IsTheLatest) {
  const std::string binary = binary_of(1000);
  ASSERT_TRUE(keep(binary));
  Origin later = kOrigin;
  later.recipe.units[0].options = "-DY";
  ASSERT_TRUE(keep(binary, later));
  EXPECT_EQ(*origin_of_binary(cache_, binary), later);
  EXPECT_EQ(entries().size(), 1U);
}

TEST_F(BinaryOrigin, IsNotWrittenAgain) {
  const std::string binary = binary_of(1000);
  ASSERT_TRUE(keep(binary));
  struct stat before {
  }, after{};
  ASSERT_EQ(stat(entries().at(0).c_str(), &before), 0);
  ASSERT_TRUE(keep(binary));
  ASSERT_EQ(stat(entries().at(0).c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

// Even if two binaries had the same hash.
TEST_F(BinaryOrigin, IsNotAnotherBinarys) {
  const std::string one = binary_of(1000), other = binary_of(1000, 2);
  ASSERT_TRUE(keep(one));
  const std::string first = entries().at(0);
  ASSERT_TRUE(keep(other));
  for (const std::string& path : entries())
    if (path != first) fs::copy_file(first, path, fs::copy_options::overwrite_existing);
  EXPECT_TRUE(known(one));
  EXPECT_FALSE(known(other));
}

TEST_F(BinaryOrigin, IsNotReadFromDamagedEntries) {
  const std::string binary = binary_of(1000);
  ASSERT_TRUE(keep(binary));
  const std::string path = entries().at(0);
  const std::string good = *read_file(path);
  for (size_t bytes = 0; bytes < good.size(); ++bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << good.substr(0, bytes);
    ASSERT_FALSE(known(binary)) << "of " << bytes << " bytes";
  }
  for (size_t at = 0; at < good.size(); ++at) {
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << flipped;
    ASSERT_FALSE(known(binary)) << "changed at " << at;
  }
  std::ofstream(path, std::ios::binary | std::ios::trunc) << good << 'x';
  EXPECT_FALSE(known(binary));
  // With a right checksum, but without what should be there.
  for (const std::string body : {"", "{", "[]", "null", "{\"binary\": 1}", "{\"source\": 5}"}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        << good.substr(0, good.find('\n') - 32) << hex(hash_of(body)) << '\n'
        << body;
    EXPECT_FALSE(known(binary)) << body;
  }
  EXPECT_TRUE(keep(binary));
  EXPECT_TRUE(known(binary)) << "written anew";
}

TEST_F(BinaryOrigin, IsOursAlone) {
  const mode_t before = umask(0);
  const std::string binary = binary_of(1000);
  ASSERT_TRUE(keep(binary));
  umask(before);
  const std::string path = entries().at(0);
  struct stat about {};
  ASSERT_EQ(stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0600U);
  ASSERT_EQ(stat(cache_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0700U);
  chmod(path.c_str(), 0606);
  EXPECT_FALSE(known(binary)) << "others may have written it";
  chmod(path.c_str(), 0600);
  chmod(cache_.c_str(), 0777);
  EXPECT_FALSE(keep(binary_of(10)));
  chmod(cache_.c_str(), 0700);
  expect_others_are_not_believed(cache_, path, directory_ + "/elsewhere", [&] { return known(binary); });
}

TEST_F(BinaryOrigin, TakesPartInTheCachesBound) {
  std::string in_sight;  // one whose name has the others looked at
  uint64_t seed = 0;
  do {
    in_sight = binary_of(100, ++seed);
  } while (hex(hash_of(in_sight))[0] != '0');
  for (uint64_t i = 0; i < 20; ++i)
    ASSERT_TRUE(keep(binary_of(100, 1000 + i)));
  ASSERT_TRUE(keep(in_sight));
  uint64_t all = 0;
  for (const std::string& path : entries())
    all += fs::file_size(path);
  const std::string entry = cache_ + "/" + hex(hash_of(in_sight)) + ".binary.mkmd";
  ASSERT_TRUE(write_entry(entry, *read_file(entry), all / 2).ok());
  EXPECT_GT(entries().size(), 1U);
  EXPECT_LE(entries().size(), 10U);
}

TEST_F(BinaryOrigin, ManyProcessesAtOnce) {
  const std::string binary = binary_of(3000);
  std::vector<pid_t> children;
  for (int p = 0; p < 4; ++p) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    Origin mine = kOrigin;
    mine.recipe.units[0].source = std::string(1000 * static_cast<size_t>(p + 1), static_cast<char>('a' + p));
    bool good = true;
    for (int i = 0; i < 200; ++i) {
      good = good && keep(binary, mine);
      const Result<Origin> origin = origin_of_binary(cache_, binary);  // somebody's, whole
      good = good && origin.ok() && origin->recipe.units[0].source.size() % 1000 == 0;
    }
    _exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(entries().size(), 1U) << "and no temporary files";
}

TEST_F(BinaryOrigin, PlacesThatCannotBeWrittenDoNotMatter) {
  cache_ = "";
  EXPECT_FALSE(keep("x"));
  EXPECT_FALSE(known("x"));
  cache_ = "/proc/nowhere";
  EXPECT_FALSE(keep("x"));
  EXPECT_FALSE(known("x"));
}

bool keeps(const std::string& made, const std::string& given) {
  return binary_keeps_options(recipe_of("", made), given);
}

TEST(BinaryOptions, AreKeptIfEqualOrNoneOfCode) {
  EXPECT_TRUE(keeps("", ""));
  EXPECT_TRUE(keeps("-DX=1 -cl-mad-enable", "  -DX=1   -cl-mad-enable "));
  EXPECT_TRUE(keeps("-DX=1 -D Y -I \"a b\" -w -cl-std=CL1.2 -cl-kernel-arg-info", ""));
  EXPECT_FALSE(keeps("-DX=1", "-DX=2"));
  EXPECT_FALSE(keeps("", "-DX=2"));
  EXPECT_FALSE(keeps("-DX=1 -w", "-w -DX=1"));
  EXPECT_FALSE(keeps("-DX=1 -w", "-w"));
  for (const char* code : {"-cl-mad-enable", "-cl-denorms-are-zero", "-cl-opt-disable", "-g", "-x", "any"}) {
    EXPECT_FALSE(keeps(code, "")) << code;
    EXPECT_FALSE(keeps(std::string("-DX ") + code, "")) << code;
    EXPECT_FALSE(keeps("", code)) << code;
    EXPECT_TRUE(keeps(code, code)) << code;
  }
}

TEST(BinaryOptions, OfALinkAreThoseOfAllItsSteps) {
  const auto linked_with = [](const std::string& unit, const std::string& link) {
    const Recipe one = recipe_of("a", unit), other = recipe_of("b", "");
    return linked({&one, &other}, link);
  };
  EXPECT_TRUE(binary_keeps_options(linked_with("-DX", ""), ""));
  EXPECT_TRUE(binary_keeps_options(linked_with("", "-create-library -enable-link-options"), ""));
  EXPECT_FALSE(binary_keeps_options(linked_with("-cl-denorms-are-zero", ""), ""));
  EXPECT_FALSE(binary_keeps_options(linked_with("", "-cl-denorms-are-zero"), ""));
  EXPECT_FALSE(binary_keeps_options(linked_with("-DX", "-DX"), "-DX"))
      << "nobody says what they would change";
}

TEST(Recipes, OfLinksNameTheirInputs) {
  const Recipe a = recipe_of("a", ""), b = recipe_of("b", "-DB"), c = recipe_of("c", "");
  const Recipe library = linked({&b, &c}, "-create-library");
  const Recipe whole = linked({&a, &library, &a}, "last");
  ASSERT_EQ(whole.units.size(), 4U);
  EXPECT_EQ(whole.units[1], b.units[0]);
  const std::vector<Link> links = {{"-create-library", {{false, 1}, {false, 2}}},
                                   {"last", {{false, 0}, {true, 0}, {false, 3}}}};
  EXPECT_EQ(whole.links, links);
  EXPECT_TRUE(is_complete(whole));
  EXPECT_EQ(nlohmann::json(whole).get<Recipe>(), whole);
}

TEST(Recipes, ThatNameWhatIsNotThereAreIncomplete) {
  const Recipe a = recipe_of("a", "");
  EXPECT_TRUE(is_complete(a));
  EXPECT_FALSE(is_complete({}));
  EXPECT_FALSE(is_complete({{a.units[0], a.units[0]}, {}})) << "nobody has linked them";
  for (const Link::Input input : {Link::Input{false, 1}, Link::Input{true, 0}, Link::Input{true, 5}})
    EXPECT_FALSE(is_complete({a.units, {{"", {input}}}}));
  EXPECT_FALSE(is_complete({a.units, {{"", {}}}})) << "a link of nothing";
}

}  // namespace
}  // namespace mkmd::compiler::test
