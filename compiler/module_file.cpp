// SPDX-License-Identifier: Apache-2.0
#include "compiler/module_file.hpp"

#include "common/hash.hpp"
#include "common/json.hpp"

#include <cstring>

namespace mkmd::compiler {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "MKMDMOD4";
struct Header {
  char magic[8];
  uint64_t json_bytes, sources_bytes;
  Hash checksum;  // of what follows the header
};

}  // namespace

std::string ModuleFile::encode() const {
  json j{{"key", key}};
  if (!error.empty()) {
    j["error"] = error;
  } else {
    j["kernels"] = kernels;
    j["macros_wanted"] = macros_wanted;
    j["macros_unit"] = macros_unit;
    j["macros"] = to_json(macros);
    j["no_source"] = no_source;
    json list = json::array();
    for (const Dependency& d : dependencies)
      list.push_back({{"path", characters_of(d.path)}, {"size", d.size}, {"hash", d.hash}});
    j["dependencies"] = std::move(list);
  }
  std::string all_sources;
  j["source_bytes"] = json::array();
  for (const std::string& source : sources) {
    j["source_bytes"].push_back(source.size());
    all_sources += source;
  }
  const std::string text = j.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string body = text + all_sources;
  Header header{{}, text.size(), all_sources.size(), hash_of(body)};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  return out += body;
}

Result<ModuleFile> ModuleFile::decode(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header) return Status::internal("not a module: too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  if (std::string_view(header.magic, kMagic.size()) != kMagic)
    return Status::internal("not a module: wrong first bytes");
  const uint64_t all = bytes.size();
  if (header.json_bytes > all || header.sources_bytes != all - header.json_bytes)
    return Status::internal("not a module: wrong length");
  if (hash_of(bytes) != header.checksum) return Status::internal("not a module: its checksum does not match");
  ModuleFile file;
  try {
    const Result<json> parsed = parse_json(bytes.substr(0, header.json_bytes));
    if (!parsed) return Status::internal("not a module: " + parsed.status().message());
    const json& j = *parsed;
    j.at("key").get_to(file.key);
    if (j.contains("error")) {
      j.at("error").get_to(file.error);
      return file;
    }
    j.at("macros_wanted").get_to(file.macros_wanted);
    j.at("macros_unit").get_to(file.macros_unit);
    file.macros = macros_from_json(j.at("macros"));
    j.at("no_source").get_to(file.no_source);
    for (const json& kernel : j.at("kernels")) {
      Result<KernelInfo> info = kernel_info_from_json(kernel);
      if (!info) return info.status();
      file.kernels.push_back(std::move(*info));
    }
    for (const json& d : j.at("dependencies"))
      file.dependencies.push_back({bytes_of(d.at("path").get<std::string>()), d.at("size"), d.at("hash")});
    size_t at = header.json_bytes;
    for (const json& length : j.at("source_bytes")) {
      const auto count = length.get<uint64_t>();
      if (count > bytes.size() - at) return Status::internal("not a module: its sources are cut off");
      file.sources.emplace_back(bytes.substr(at, count));
      at += count;
    }
  } catch (const json::exception& e) {
    return Status::internal(std::string("not a module: ") + e.what());
  }
  return file;
}

}  // namespace mkmd::compiler
