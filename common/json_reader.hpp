// SPDX-License-Identifier: Apache-2.0
// Typed reads from a JSON object that remember where they are, so that the first thing wrong becomes one line
// with its place. After an error every read gives a default and the error stays.
#pragma once

#include "common/status.hpp"
#include "common/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

namespace mkmd {

class JsonReader {
public:
  using Json = nlohmann::json;

  JsonReader(const Json& json, std::string place, Status& status)
      : json_(json), place_(std::move(place)), status_(status) {
    if (!json.is_object()) fail("", "must be an object");
  }

  void fail(const std::string& key, const std::string& what) {
    if (status_.ok()) status_ = Status::internal(at(key) + ": " + what);
  }

  bool has(const char* key) const {
    return json_.is_object() && json_.contains(key) && !json_[key].is_null();
  }

  double number(const char* key) {
    const Json* v = find(key);
    return v ? as_number(*v, key) : 0;
  }
  double number_or(const char* key, double otherwise) { return has(key) ? number(key) : otherwise; }

  int integer(const char* key) {
    const Json* v = find(key);
    if (!v) return 0;
    const double x = as_number(*v, key);
    if (x != std::floor(x) || std::abs(x) > 1e9) {
      fail(key, "must be a whole number");
      return 0;
    }
    return static_cast<int>(x);
  }
  int integer_or(const char* key, int otherwise) { return has(key) ? integer(key) : otherwise; }

  // As it can be shown anywhere: names come from programs and drivers.
  std::string text(const char* key) {
    const Json* v = find(key);
    if (!v) return {};
    if (!v->is_string()) {
      fail(key, "must be a string");
      return {};
    }
    return printable(v->get_ref<const std::string&>());
  }

  bool flag_or(const char* key, bool otherwise) {
    if (!has(key)) return otherwise;
    const Json& v = json_[key];
    if (!v.is_boolean()) fail(key, "must be true or false");
    return v.is_boolean() && v.get<bool>();
  }

  // The array under `key`; an empty one, and an error when `needed`, when it is not there.
  const Json& list(const char* key, bool needed = true) {
    static const Json kEmpty = Json::array();
    if (!has(key)) {
      if (needed) fail(key, "is missing");
      return kEmpty;
    }
    if (!json_[key].is_array()) {
      fail(key, "must be a list");
      return kEmpty;
    }
    return json_[key];
  }

  // The elements of the array under `key`, each with its place, while nothing is wrong.
  template <typename Each>
  void each(const char* key, bool needed, Each&& each_of_them) {
    const Json& elements = list(key, needed);
    for (size_t i = 0; i < elements.size() && status_.ok(); ++i) {
      JsonReader element(elements[i], at(key) + "[" + std::to_string(i) + "]", status_);
      if (status_.ok()) each_of_them(element);
    }
  }

  const Json& json() const { return json_; }

  // The object under `key`, which is there (has).
  JsonReader inner(const char* key) { return {json_[key], at(key), status_}; }

  // For formats where an unknown key is a typing error.
  void only(std::initializer_list<const char*> keys) {
    if (!json_.is_object()) return;
    for (auto it = json_.begin(); it != json_.end() && status_.ok(); ++it) {
      if (std::any_of(keys.begin(), keys.end(), [&](const char* key) { return it.key() == key; })) continue;
      std::string all;
      for (const char* key : keys)
        all += (all.empty() ? "" : ", ") + std::string(key);
      fail(printable(it.key()), "there is no such key; accepted: " + all);
    }
  }

  double as_number(const Json& v, const std::string& key) {
    if (!v.is_number()) {
      fail(key, "must be a number");
      return 0;
    }
    const double x = v.get<double>();
    if (!std::isfinite(x)) fail(key, "must be a finite number");
    return x;
  }

  std::string at(const std::string& key) const {
    if (key.empty()) return place_.empty() ? "the input" : place_;
    return place_.empty() ? key : place_ + "." + key;
  }

private:
  const Json* find(const char* key) {
    if (json_.is_object() && json_.contains(key)) return &json_[key];
    fail(key, "is missing");
    return nullptr;
  }

  const Json& json_;
  std::string place_;
  Status& status_;
};

}  // namespace mkmd
