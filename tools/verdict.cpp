// SPDX-License-Identifier: Apache-2.0
#include "tools/verdict.hpp"

#include "common/json.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace mkmd::tool {

namespace {

using nlohmann::json;

constexpr const char* kCounts[] = {"launches", "splittable", "checked", "splits", "pieces", "differences"};
constexpr const char* kDistances[] = {"ulps", "bytes"};

uint64_t number(const json& j, const char* name) {
  return j.contains(name) && j.at(name).is_number_unsigned() ? j.at(name).get<uint64_t>() : 0;
}

std::string word(const json& j, const char* name) {
  return j.contains(name) && j.at(name).is_string() ? j.at(name).get<std::string>() : "";
}

void add(json& sum, const json& totals) {
  for (const char* name : kCounts)
    sum[name] = number(sum, name) + number(totals, name);
  for (const char* name : kDistances)
    sum[name] = std::max(number(sum, name), number(totals, name));
  if (!word(totals, "why_not").empty()) {
    sum["why_not"] = totals.at("why_not");
    sum["why_line"] = number(totals, "why_line");
  }
}

std::string groups(const json& d) {
  std::string text;
  const json& first = d.at("first_group");
  const json& end = d.at("end_group");
  for (size_t i = 0; i < 3; ++i) {
    const auto last = end.at(i).get<uint64_t>() - 1;
    if (i > 0 && last == 0) continue;
    text += (i > 0 ? " x " : "") + std::to_string(first.at(i).get<uint64_t>()) + "-" + std::to_string(last);
  }
  return text;
}

std::string meaning(const std::string& what) {
  const std::map<std::string, std::string> sentences = {
      {"undescribed read", "is read, but not described as read"},
      {"undescribed write", "is written, but not described as written"},
      {"missing write", "is described as surely written, but not written"},
      {"other result", "is not what the whole launch makes of it, whatever the rest holds"},
      {"crash", "a piece crashed that found poison where it is not described to read"},
      {"no end", "a piece did not end that found poison where it is not described to read"},
  };
  const auto known = sentences.find(what);
  return known != sentences.end() ? known->second : what;
}

std::string sentence(const json& d) {
  std::string text = "mkmd: " + word(d, "kernel") + ": ";
  if (d.contains("argument")) {
    text += "argument " + std::to_string(number(d, "argument")) + " (" + word(d, "name") + "), bytes " +
            std::to_string(number(d, "first_byte")) + "-" + std::to_string(number(d, "end_byte") - 1) + ", ";
  } else if (word(d, "what") == "undescribed read") {
    text += "what is in several arguments together ";
  }
  text += meaning(word(d, "what"));
  if (number(d, "line") > 0) text += " (line " + std::to_string(number(d, "line")) + ")";
  return text + "; work-groups " + groups(d) + " on " + word(d, "device") + "\n";
}

}  // namespace

json verdict_of(std::string_view lines) {
  std::map<std::pair<int64_t, std::string>, json> totals;  // the last of each process and kernel
  std::map<int64_t, json> ended;                           // by process: a crash, if nothing came after it
  json differences = json::array();
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const auto line = parse_json(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (!line || !line->is_object() || !line->contains("process")) continue;
    const auto process = line->at("process").get<int64_t>();
    const std::string kernel = word(*line, "kernel");
    ended.erase(process);
    const auto told = [&](const char* name) {
      json j = line->at(name);
      j["kernel"] = kernel;
      return j;
    };
    if (line->contains("totals")) totals[{process, kernel}] = line->at("totals");
    if (line->contains("difference")) differences.push_back(told("difference"));
    if (line->contains("ended_by")) ended[process] = told("ended_by");
  }
  std::map<std::string, json> kernels;
  for (const auto& [key, of_process] : totals)
    add(kernels[key.second], of_process);
  for (const auto& [process, how] : ended) {
    differences.push_back(how);
    json& sum = kernels[word(how, "kernel")];
    sum["differences"] = number(sum, "differences") + 1;
  }
  json list = json::array();
  for (auto& [name, sum] : kernels) {
    sum["name"] = name;
    list.push_back(std::move(sum));
  }
  return {{"kernels", std::move(list)}, {"differences", std::move(differences)}};
}

std::string as_text(const json& verdict) {
  std::string text;
  for (const json& k : verdict.at("kernels")) {
    text += "mkmd: " + word(k, "name") + ": " + std::to_string(number(k, "launches")) + " launched" + ", " +
            std::to_string(number(k, "checked")) + " checked";
    if (number(k, "checked") > 0) {
      text += ", " + counted(number(k, "splits"), "split") + ", " + counted(number(k, "pieces"), "piece") +
              ", " + (number(k, "differences") == 0 ? "no" : std::to_string(number(k, "differences"))) +
              " with differences";
    }
    if (const std::string why = word(k, "why_not"); !why.empty() && number(k, "checked") == 0) {
      text += ": " + why;
      if (number(k, "why_line") > 0) text += " (line " + std::to_string(number(k, "why_line")) + ")";
    }
    if (number(k, "ulps") > 0)
      text += "; devices with another code generator differ by up to " + counted(number(k, "ulps"), "ulp");
    if (number(k, "bytes") > 0) text += "; " + counted(number(k, "bytes"), "byte") + " that are no floats";
    text += "\n";
  }
  for (const json& d : verdict.at("differences"))
    text += sentence(d);
  return text;
}

}  // namespace mkmd::tool
