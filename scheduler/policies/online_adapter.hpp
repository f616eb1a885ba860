// SPDX-License-Identifier: Apache-2.0
// Makes an OnlinePolicy a Policy: its schedule is what happens when the simulator carries it out and
// everything takes the predicted time. An online policy's factory returns made_online<ThePolicy>(its
// parameters).
#pragma once

#include "scheduler/policies/factories.hpp"
#include "scheduler/simulator.hpp"

namespace mkmd::scheduler {

template <typename Online, typename Parameters>
class OnlineAdapter : public Policy {
public:
  explicit OnlineAdapter(Parameters parameters) : parameters_(std::move(parameters)) {}

  Result<Schedule> schedule(const Problem& problem, const Options&) const override {
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    if (!index) return index.status();
    Online policy(parameters_);
    return simulate(*index, policy);
  }

  std::unique_ptr<OnlinePolicy> online() const override { return std::make_unique<Online>(parameters_); }

private:
  Parameters parameters_;
};

template <typename Online, typename Parameters>
MadePolicy made_online(Parameters parameters) {
  return made<OnlineAdapter<Online, Parameters>>(std::move(parameters));
}

}  // namespace mkmd::scheduler
