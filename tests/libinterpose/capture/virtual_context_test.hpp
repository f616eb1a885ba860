// SPDX-License-Identifier: Apache-2.0
// The base of tests that use a VirtualContext.
#pragma once

#include "tests/libinterpose/capture/virtual_context.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace mkmd {

class VirtualContextTest : public testing::Test {
protected:
  void make(const VirtualContext::Machine& machine) {
    context_.reset();  // there is one driver at a time
    context_ = std::make_unique<VirtualContext>(machine);
  }
  VirtualContext& c() { return *context_; }
  fake::Device& device(size_t d) { return c().driver()[d]; }

  std::unique_ptr<VirtualContext> context_;
};

}  // namespace mkmd
