// SPDX-License-Identifier: Apache-2.0
// Status and Result: how the parts of MKMD report failure. A Status is an OpenCL error code (0 is success)
// and a sentence for a person. A Result<T> is a value, or the Status that says why there is none. No part
// throws.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace mkmd {

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(int code, std::string message) : code_(code), message_(std::move(message)) {}

  // An error that has no OpenCL code of its own: it never reaches the program, our fallback hides it.
  static Status internal(std::string message) { return {kInternal, std::move(message)}; }

  bool ok() const { return code_ == 0; }
  explicit operator bool() const { return ok(); }
  int code() const { return code_; }
  const std::string& message() const { return message_; }

  static constexpr int kInternal = -9999;

private:
  int code_ = 0;
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : held_(std::move(value)) {}
  Result(Status status) : held_(std::move(status)) {}

  bool ok() const { return std::holds_alternative<T>(held_); }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<T>(held_); }
  const T& value() const { return std::get<T>(held_); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  Status status() const { return ok() ? Status{} : std::get<Status>(held_); }

private:
  std::variant<T, Status> held_;
};

}  // namespace mkmd
