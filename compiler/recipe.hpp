// SPDX-License-Identifier: Apache-2.0
// Recipe: the texts that a program was made from, and how: built in one go, or compiled and linked.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace mkmd::compiler {

// A translation unit.
struct Unit {
  std::string source, options;                 // as given to clBuildProgram or clCompileProgram
  std::map<std::string, std::string> headers;  // embedded ones, by the name they are included under

  bool operator==(const Unit&) const = default;
};

// A call of clLinkProgram.
struct Link {
  struct Input {
    bool is_link = false;  // a link ahead of this one; else a unit
    size_t index = 0;

    bool operator==(const Input&) const = default;
  };
  std::string options;
  std::vector<Input> inputs;

  bool operator==(const Link&) const = default;
};

struct Recipe {
  std::vector<Unit> units;
  // The last one makes the program. None: the program is its one unit, built or compiled.
  std::vector<Link> links;

  bool operator==(const Recipe&) const = default;
};

inline Recipe recipe_of(std::string source, std::string options) {
  return {{{std::move(source), std::move(options), {}}}, {}};
}

// What a link of these programs makes, in their order.
Recipe linked(const std::vector<const Recipe*>& inputs, std::string options);

// Whether each input of a link is there when it is linked, and the program is one.
bool is_complete(const Recipe& recipe);

// JSON is UTF-8, and a program's bytes may be anything: byte N is the character N.
std::string characters_of(const std::string& bytes);
std::string bytes_of(const std::string& characters);

void to_json(nlohmann::json&, const Unit&);
void from_json(const nlohmann::json&, Unit&);
void to_json(nlohmann::json&, const Recipe&);
void from_json(const nlohmann::json&, Recipe&);

}  // namespace mkmd::compiler
