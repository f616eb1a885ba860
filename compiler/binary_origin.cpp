// SPDX-License-Identifier: Apache-2.0
#include "compiler/binary_origin.hpp"

#include <algorithm>

#include "common/hash.hpp"
#include "common/json.hpp"
#include "compiler/build_options.hpp"
#include "compiler/cache.hpp"

namespace mkmd::compiler {
namespace {

using nlohmann::json;

constexpr std::string_view kFirstLine = "MKMD binary 3 ";  // then the checksum of what follows the line
constexpr uint64_t kOtherSeed = 0x9e3779b97f4a7c15;

std::string entry_of(const std::string& folder, std::string_view binary) {
  return folder + "/" + hex(hash_of(binary)) + ".binary.mkmd";
}

// The name has one hash of the binary, the entry another one and the length.
json facts_of(std::string_view binary) {
  return {{"bytes", binary.size()}, {"hash", hex(hash_of(binary, kOtherSeed))}};
}

std::string encode(std::string_view binary, const Origin& origin) {
  json included = json::array();
  for (const Dependency& d : origin.included)
    included.push_back({{"path", characters_of(d.path)}, {"size", d.size}, {"hash", d.hash}});
  const std::string body = json{
      {"binary", facts_of(binary)},
      {"recipe", origin.recipe},
      {"kind", static_cast<int>(origin.kind)},
      {"device_compiler", characters_of(origin.device_compiler)},
      {"included",
       std::move(included)}}.dump();
  return std::string(kFirstLine) + hex(hash_of(body)) + "\n" + body;
}

Result<Origin> decode(std::string_view bytes, std::string_view binary) {
  const size_t line = bytes.find('\n');
  if (line == std::string_view::npos) return Status::internal("not an entry: it has no first line");
  const std::string_view body = bytes.substr(line + 1);
  if (bytes.substr(0, line) != std::string(kFirstLine) + hex(hash_of(body)))
    return Status::internal("not an entry: wrong first line");
  const Result<json> parsed = parse_json(body);
  if (!parsed) return parsed.status();
  const auto text = [](const json& j) { return bytes_of(j.get<std::string>()); };
  try {
    const json& j = *parsed;
    if (j.at("binary") != facts_of(binary)) return Status::internal("it is another binary's");
    const int kind = j.at("kind");
    if (kind < 0 || kind > static_cast<int>(Origin::Kind::executable))
      return Status::internal("it is of no known kind");
    Origin origin{j.at("recipe"), static_cast<Origin::Kind>(kind), text(j.at("device_compiler")), {}};
    if (!is_complete(origin.recipe)) return Status::internal("its recipe is not complete");
    for (const json& d : j.at("included"))
      origin.included.push_back({text(d.at("path")), d.at("size"), d.at("hash")});
    return origin;
  } catch (const json::exception& e) {
    return Status::internal(std::string("not an entry: ") + e.what());
  }
}

}  // namespace

Status keep_origin(const std::string& folder, std::string_view binary, const Origin& origin) {
  if (folder.empty()) return Status::internal("there is no folder for it");
  const std::string path = entry_of(folder, binary), bytes = encode(binary, origin);
  if (const auto kept = read_entry(path); kept && *kept == bytes) return {};
  return write_entry(path, bytes);
}

Result<Origin> origin_of_binary(const std::string& folder, std::string_view binary) {
  if (folder.empty()) return Status::internal("there is no folder with it");
  const auto bytes = read_entry(entry_of(folder, binary));
  if (!bytes) return bytes.status();
  return decode(*bytes, binary);
}

bool binary_keeps_options(const Recipe& made, const std::string& given) {
  const std::vector<std::string> now = split_options(given);
  if (now.empty())
    return std::ranges::all_of(made.units, [](const Unit& u) { return only_about_text(u.options); }) &&
           std::ranges::all_of(made.links, [](const Link& l) { return only_about_text(l.options); });
  return made.links.empty() && now == split_options(made.units.front().options);
}

}  // namespace mkmd::compiler
