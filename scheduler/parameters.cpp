// SPDX-License-Identifier: Apache-2.0
#include "scheduler/parameters.hpp"

#include <charconv>
#include <cmath>
#include <sstream>

namespace mkmd::scheduler {
namespace {

template <typename T>
bool parse(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <typename T>
std::string between(T min, T max) {
  std::ostringstream out;
  out << min << ".." << max;
  return out.str();
}

}  // namespace

ParameterReader::ParameterReader(std::string_view spec) {
  const size_t colon = spec.find(':');
  name_ = spec.substr(0, colon);
  if (colon == std::string_view::npos) return;
  std::string_view rest = spec.substr(colon + 1);
  for (;;) {
    const size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const size_t equals = part.find('=');
    if (part.empty())
      status_ = Status::internal(name_ + ": an empty parameter in \"" + std::string(spec) + "\"");
    if (equals == std::string_view::npos) {
      given_.push_back({"", std::string(part)});
    } else {
      given_.push_back({std::string(part.substr(0, equals)), std::string(part.substr(equals + 1))});
    }
    for (size_t i = 0; i + 1 < given_.size(); ++i)
      if (given_[i].key == given_.back().key && status_.ok())
        status_ = Status::internal(name_ + ": parameter \"" + given_.back().key + "\" is there twice");
    if (comma == std::string_view::npos) return;
    rest = rest.substr(comma + 1);
  }
}

const std::string* ParameterReader::take(std::string_view key, std::string_view accepted) {
  accepted_ += accepted_.empty() ? "" : ", ";
  accepted_ += key.empty() ? std::string(accepted) : std::string(key) + "=" + std::string(accepted);
  for (Given& g : given_)
    if (g.key == key) {
      g.taken = true;
      return &g.value;
    }
  return nullptr;
}

void ParameterReader::refuse(std::string_view key, const std::string& value, std::string_view accepted) {
  if (!status_.ok()) return;
  status_ = Status::internal(name_ + ": " + (key.empty() ? "" : std::string(key) + "=") + value +
                             " is not accepted (accepted: " + std::string(accepted) + ")");
}

void ParameterReader::number(std::string_view key, double& value, double min, double max) {
  const std::string accepted = between(min, max);
  const std::string* given = take(key, accepted);
  if (!given) return;
  double x = 0;
  if (!parse(*given, x) || !std::isfinite(x) || x < min || x > max) return refuse(key, *given, accepted);
  value = x;
}

void ParameterReader::integer(std::string_view key, int& value, int min, int max) {
  const std::string accepted = between(min, max);
  const std::string* given = take(key, accepted);
  if (!given) return;
  int x = 0;
  if (!parse(*given, x) || x < min || x > max) return refuse(key, *given, accepted);
  value = x;
}

void ParameterReader::text(std::string_view key, std::string& value, std::string_view accepted) {
  if (const std::string* given = take(key, accepted)) value = *given;
}

void ParameterReader::unnamed(std::string& value, std::string_view accepted) {
  if (const std::string* given = take("", accepted)) value = *given;
}

Status ParameterReader::finish() const {
  if (!status_.ok()) return status_;
  for (const Given& g : given_)
    if (!g.taken)
      return Status::internal(name_ + ": unknown parameter \"" + (g.key.empty() ? g.value : g.key) + "\" (" +
                              (accepted_.empty() ? "it takes none" : "accepted: " + accepted_) + ")");
  return {};
}

}  // namespace mkmd::scheduler
