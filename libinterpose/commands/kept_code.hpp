// SPDX-License-Identifier: Apache-2.0
// Code for pieces as a driver has built it, kept in the cache for later runs: some drivers need a quarter of
// a second for what they load in a few milliseconds. An entry is for one source, its options, and devices of
// one name and driver. What is damaged or refused is built from source again.
#pragma once

#include "libinterpose/vendor/vendor.hpp"

#include <string>
#include <vector>

namespace mkmd {

class KeptCode {
public:
  // `folder`: empty: there is none, and nothing is kept.
  KeptCode(std::string folder, const std::string& source, std::string options,
           std::vector<cl_device_id> devices);

  // The program, built from what is kept; null: nothing usable is.
  vendor::Owned<cl_program> load(cl_context context) const;
  // A program that the driver took `seconds` to build. What is built as quickly as it is loaded is not kept.
  void keep(cl_program program, double seconds) const;

private:
  const std::string options_;
  const std::vector<cl_device_id> devices_;
  std::string holds_for_, path_;
};

}  // namespace mkmd
