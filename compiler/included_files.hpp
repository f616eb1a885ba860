// SPDX-License-Identifier: Apache-2.0
// Files that a program may include, found without a preprocessor: files behind conditions that do not hold
// are among them. With these files a program can be read later as it was then.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/recipe.hpp"

namespace mkmd::compiler {

// Whether what the unit means may depend on files.
bool may_include(const Unit& unit);

struct Dependency {
  std::string path;  // relative ones to the folder that was current for the program
  uint64_t size = 0;
  std::string hash;  // and the first path of the same file, if it has several: `#pragma once` knows files

  auto operator<=>(const Dependency&) const = default;
};

// Each once and by path.
void put_in_order(std::vector<Dependency>& dependencies);

struct IncludedFile {
  std::string content;
  uint64_t device = 0, inode = 0;  // one file may have several paths

  bool operator==(const IncludedFile&) const = default;
};

struct IncludedFiles {
  std::map<std::string, IncludedFile> files;  // by plain_path(); relative ones to the folder that was current

  // The file with this path; null: there is none.
  const IncludedFile* find(const std::string& path) const;
};

// The shortest of the ways to write a path, if no folder in it is a link.
std::string plain_path(std::string_view path);

// As they are now. Null: the text does not say which these are, or they are too many.
std::optional<IncludedFiles> read_included_files(const std::vector<Unit>& units);

// On all of them, those that no preprocessor would read too: with another set of files a name may mean
// another file.
std::vector<Dependency> dependencies_on(const IncludedFiles& included);

void to_json(nlohmann::json&, const IncludedFiles&);
void from_json(const nlohmann::json&, IncludedFiles&);

}  // namespace mkmd::compiler
