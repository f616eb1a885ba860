// SPDX-License-Identifier: Apache-2.0
// Policy: the one small interface of a static scheduling policy, and the registry that lists them all. A
// policy is a file in scheduler/policies and one row of the array in registry.cpp;
// docs/adding-a-policy.md walks through an example. Policies are stateless: one object may schedule from
// several threads.
#pragma once

#include "scheduler/online_policy.hpp"
#include "scheduler/parameters.hpp"
#include "scheduler/problem.hpp"
#include "scheduler/schedule.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace mkmd::scheduler {

// What the caller wants of any policy, whatever its own parameters are.
struct Options {
  double planning_budget = kNever;  // seconds: policies that improve step by step stop early
};

class Policy {
public:
  virtual ~Policy() = default;
  // A valid schedule (see validator.hpp), or why there is none: a broken problem, or one outside what the
  // policy can handle.
  virtual Result<Schedule> schedule(const Problem& problem, const Options& options) const = 0;

  // Kernels are to be divided although that may lose time: what the runtime knows of gains is not asked.
  virtual bool regardless_of_gain() const { return false; }

  // A fresh object that decides while things run, for policies that can; the simulator makes their schedules.
  virtual std::unique_ptr<OnlinePolicy> online() const { return nullptr; }
};

using PolicyFactory = Result<std::unique_ptr<Policy>> (*)(ParameterReader& parameters);

struct PolicyInfo {
  std::string_view name;
  std::string_view sentence;
  std::string_view citation;
  PolicyFactory make;
};

std::span<const PolicyInfo> policies();

// The policy a specification like "mkmd-malleable:chunks=4" names, or one line that says what is wrong with
// it.
Result<std::unique_ptr<Policy>> make_policy(std::string_view spec);

}  // namespace mkmd::scheduler
