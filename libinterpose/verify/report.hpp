// SPDX-License-Identifier: Apache-2.0
// What verifying has found in this process: lines of JSON, appended to the file that MKMD_VERIFY names. Lines
// with totals of a kernel replace that kernel's earlier ones. `mkmd verify` reads them when the program has
// ended, however it did.
#pragma once

#include "libinterpose/verify/description_check.hpp"

#include <map>
#include <mutex>
#include <string>

namespace mkmd::verify {

struct KernelName {
  std::string name;
  std::string program;  // what identifies it, as kernels of several programs may have the same name

  auto operator<=>(const KernelName&) const = default;
};

struct Totals {
  uint64_t launches = 0;
  uint64_t splittable = 0;  // as far as its description goes
  uint64_t checked = 0;
  uint64_t splits = 0;  // of whole launches
  uint64_t pieces = 0;
  uint64_t differences = 0;  // launches with any
  uint64_t varying = 0;      // launches that give other results when they are repeated
  uint64_t failed = 0;       // launches that were to be checked and could not be
  Distance distance;         // the greatest
  std::string why_not;       // the last reason why one may not be split
  int why_line = 0;          // of the program's source
  std::string why_failed;    // the last reason
};

class Report {
public:
  explicit Report(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  Totals& totals(const KernelName& kernel) { return totals_[kernel]; }
  void write_totals(const KernelName& kernel);
  // A launch that is not checked: a program that ends without its exit handlers has told nearly all.
  void count(const KernelName& kernel, const Totals& totals);
  void write_all();  // at exit; says that nothing is missing
  void write_difference(const KernelName& kernel, const compiler::KernelInfo& info,
                        const Difference& difference);
  // What is to be written if a piece crashes, or does not end.
  static std::string end_line(const KernelName& kernel, const char* what, const std::string& device,
                              const compiler::GroupBox& box);
  void append(const std::string& line) const;

private:
  const std::string file_;
  std::map<KernelName, Totals> totals_;
  bool complete_ = false;
};

}  // namespace mkmd::verify
