// SPDX-License-Identifier: Apache-2.0
// A policy's parameters as text: "name", "name:key=value,key=value", or "name:value" for a policy that
// takes one unnamed value. A policy binds its documented struct key by key and ends with finish(). That
// reports the first mistake in one line together with what would have been accepted.
#pragma once

#include "common/status.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mkmd::scheduler {

class ParameterReader {
public:
  // Splits a policy specification; `error()` of the result tells what is malformed.
  explicit ParameterReader(std::string_view spec);

  const std::string& name() const { return name_; }

  template <typename E>
  using Choices = std::span<const std::pair<std::string_view, E>>;

  // Each binds one key; `value` holds the default and keeps it when the key is not given.
  void number(std::string_view key, double& value, double min, double max);
  void integer(std::string_view key, int& value, int min, int max);
  void text(std::string_view key, std::string& value, std::string_view accepted);
  void unnamed(std::string& value, std::string_view accepted);  // "name:value"

  template <typename E>
  void choice(std::string_view key, E& value, Choices<E> choices) {
    std::string accepted;
    for (const auto& [word, meaning] : choices)
      accepted += (accepted.empty() ? "" : "|") + std::string(word);
    const std::string* given = take(key, accepted);
    if (!given) return;
    for (const auto& [word, meaning] : choices)
      if (*given == word) {
        value = meaning;
        return;
      }
    refuse(key, *given, accepted);
  }

  Status finish() const;  // the first mistake, among them keys nobody bound

private:
  struct Given {
    std::string key, value;
    bool taken = false;
  };
  const std::string* take(std::string_view key, std::string_view accepted);
  void refuse(std::string_view key, const std::string& value, std::string_view accepted);

  std::string name_;
  std::vector<Given> given_;
  std::string accepted_;  // every key bound so far, with its values
  Status status_;
};

}  // namespace mkmd::scheduler
