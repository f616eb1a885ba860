// SPDX-License-Identifier: Apache-2.0
#include "compiler/included_files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <utility>

#include "common/files.hpp"
#include "common/hash.hpp"
#include "compiler/build_options.hpp"
#include "compiler/spirv.hpp"

namespace mkmd::compiler {
namespace {

using nlohmann::json;

// More than a unit has. Looking for more files would take as long as a build.
constexpr size_t kMostPaths = 1000;
constexpr uint64_t kMostBytes = uint64_t{16} << 20;

constexpr std::string_view kBlanks = " \t\v\f";

// Lines that a backslash joins, as one.
std::string joined(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  while (!text.empty()) {
    const size_t sign = text.starts_with("?\?/") ? 3 : text.starts_with('\\') ? 1 : 0;
    size_t end = sign > 0 ? text.find_first_not_of(kBlanks, sign) : std::string_view::npos;
    if (end != std::string_view::npos && (text[end] == '\n' || text[end] == '\r')) {
      end += text.substr(end).starts_with("\r\n") ? 2 : 1;
      text.remove_prefix(end);
    } else {
      lines += text.front();
      text.remove_prefix(1);
    }
  }
  return lines;
}

// Whether a directive's name may stand at `at`, or end there. A comment may be between it and its sign.
bool is_directive(std::string_view text, size_t at) {
  for (const char* begin : {"__has_", "__"})
    if (text.substr(0, at).ends_with(begin)) return true;
  const size_t last = text.substr(0, at).find_last_not_of(kBlanks);
  if (last == std::string_view::npos) return false;
  const std::string_view before = text.substr(0, last + 1);
  return std::ranges::any_of(std::initializer_list<const char*>{"#", "%:", "?\?=", "*/"},
                             [&](const char* sign) { return before.ends_with(sign); });
}

// What stands behind every directive that may name a file.
std::vector<std::string_view> operands(std::string_view text) {
  std::vector<std::string_view> found;
  for (const std::string_view name : {"include", "import", "embed"}) {
    for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1))
      if (is_directive(text, at)) found.push_back(text.substr(at + name.size()));
  }
  return found;
}

// The name in an operand. Empty: it is computed, or nobody would give a file such a name.
std::string_view spelled_name(std::string_view operand) {
  operand.remove_prefix(std::min(operand.find_first_not_of(kBlanks), operand.size()));
  const bool quoted = operand.starts_with('"');
  if (!quoted && !operand.starts_with('<')) return {};
  const size_t end = operand.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return {};
  const std::string_view name = operand.substr(1, end - 1);
  const bool odd = name.find_first_of(std::string_view("\\?\n\r\0", 5)) != std::string_view::npos;
  return odd ? std::string_view() : name;
}

std::vector<std::string> folders_in(const std::string& options) {
  std::vector<std::string> folders;
  const std::vector<std::string> words = split_options(options);
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-I" && i + 1 < words.size())
      folders.push_back(words[++i]);
    else if (words[i].starts_with("-I"))
      folders.push_back(words[i].substr(2));
  }
  return folders;
}

std::string in_folder(const std::string& folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  return folder + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, std::max<size_t>(slash, 1));
}

bool has_odd_options(const Unit& unit) {
  return unit.options.find("-include") != std::string::npos || unit.options.find('@') != std::string::npos;
}

// All zero: it is not there.
struct stat stat_of(const std::string& path) {
  struct stat about {};
  if (stat(path.empty() ? "." : path.c_str(), &about) != 0) about = {};
  return about;
}

// Whether both lead into one folder, or none: behind a link, ".." is another folder.
bool are_in_one_folder(const std::string& path, const std::string& plain) {
  const struct stat one = stat_of(folder_of(path)), other = stat_of(folder_of(plain));
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Reads what the texts of a unit name, and what that names in turn.
class Reader {
public:
  Reader(const Unit& unit, IncludedFiles& included)
      : unit_(unit), included_(included), folders_(folders_in(unit.options)) {
    folders_.emplace_back();  // the current one
  }

  // False: not all of it can be told.
  bool read() {
    // Clang may take a file in place of a folder for a list of headers.
    const bool plain = std::ranges::none_of(folders_, [](const std::string& folder) {
      return !folder.empty() && S_ISREG(stat_of(folder).st_mode);
    });
    if (!plain || has_odd_options(unit_) || !look_into(unit_.source, {})) return false;
    const bool headers =
        std::ranges::all_of(unit_.headers, [&](const auto& header) { return look_into(header.second, {}); });
    if (!headers) return false;
    while (!pending_.empty()) {
      const std::string path = std::move(pending_.back());
      pending_.pop_back();
      if (!look_into(included_.files.at(path).content, folder_of(path))) return false;
    }
    return true;
  }

private:
  // `folder`: of the file with this text.
  bool look_into(std::string_view text, const std::string& folder) {
    const std::string lines = joined(text);
    return std::ranges::all_of(operands(lines), [&](std::string_view operand) {
      const std::string_view name = spelled_name(operand);
      if (name.empty()) return false;
      if (name.starts_with('/')) return take(std::string(name));
      return take(in_folder(folder, name)) &&
             std::ranges::all_of(folders_, [&](const std::string& f) { return take(in_folder(f, name)); });
    });
  }

  bool take(const std::string& as_named) {
    const std::string path = plain_path(as_named);
    if (!seen_.insert(as_named).second) return true;
    if (path != as_named) {
      if (!are_in_one_folder(as_named, path)) return false;
      if (!seen_.insert(path).second) return true;
    }
    if (seen_.size() > kMostPaths) return false;
    const struct stat about = stat_of(path);
    if (!S_ISREG(about.st_mode)) return true;
    if (!included_.files.contains(path)) {
      Result<std::string> content = read_file(path, kMostBytes);
      if (!content) return false;
      included_.files[path] = {std::move(*content), about.st_dev, about.st_ino};
    }
    bytes_ += included_.files.at(path).content.size();
    pending_.push_back(path);
    return bytes_ <= kMostBytes;
  }

  const Unit& unit_;
  IncludedFiles& included_;
  std::vector<std::string> folders_;  // where names are looked for
  std::set<std::string> seen_;
  std::vector<std::string> pending_;  // files that are to be looked into
  uint64_t bytes_ = 0;
};

}  // namespace

void put_in_order(std::vector<Dependency>& dependencies) {
  std::ranges::sort(dependencies);
  const auto rest = std::ranges::unique(dependencies);
  dependencies.erase(rest.begin(), rest.end());
}

bool may_include(const Unit& unit) {
  return !is_spirv(unit.source) && (has_odd_options(unit) || !operands(joined(unit.source)).empty());
}

const IncludedFile* IncludedFiles::find(const std::string& path) const {
  const auto found = files.find(plain_path(path));
  return found == files.end() ? nullptr : &found->second;
}

std::string plain_path(std::string_view path) {
  const bool absolute = path.starts_with('/');
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (part.empty() || part == ".") continue;
    const bool is_back = part == ".." && (absolute || (!parts.empty() && parts.back() != ".."));
    if (!is_back)
      parts.push_back(part);
    else if (!parts.empty())
      parts.pop_back();
  }
  std::string plain = absolute ? "/" : "";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) plain += '/';
    plain += parts[i];
  }
  return plain;
}

std::optional<IncludedFiles> read_included_files(const std::vector<Unit>& units) {
  IncludedFiles included;
  for (const Unit& unit : units)
    if (may_include(unit) && !Reader(unit, included).read()) return std::nullopt;
  return included;
}

std::vector<Dependency> dependencies_on(const IncludedFiles& included) {
  std::vector<Dependency> all;
  std::map<std::pair<uint64_t, uint64_t>, std::string> first_paths;
  for (const auto& [path, file] : included.files) {
    std::string hash = hex(hash_of(file.content));
    const auto [first, is_first] = first_paths.try_emplace({file.device, file.inode}, path);
    if (!is_first) hash += " as " + first->second;
    all.push_back({path, file.content.size(), std::move(hash)});
  }
  return all;
}

void to_json(json& j, const IncludedFiles& included) {
  j = json::object();
  for (const auto& [path, file] : included.files)
    j[characters_of(path)] = {characters_of(file.content), file.device, file.inode};
}

void from_json(const json& j, IncludedFiles& included) {
  for (const auto& [path, file] : j.items()) {
    included.files[bytes_of(path)] = {bytes_of(file.at(0).get<std::string>()), file.at(1).get<uint64_t>(),
                                      file.at(2).get<uint64_t>()};
  }
}

}  // namespace mkmd::compiler
