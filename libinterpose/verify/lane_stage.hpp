// SPDX-License-Identifier: Apache-2.0
// Where pieces run that are checked: a lane's device, with copies of the launch's buffers. Whatever ends the
// process meanwhile, the verdict names the pieces under way.
#pragma once

#include "libinterpose/profiling/rehearsal.hpp"
#include "libinterpose/setup/configuration.hpp"
#include "libinterpose/verify/report.hpp"
#include "libinterpose/verify/trials.hpp"

namespace mkmd::verify {

// The pieces under way together, of which one may crash: it is not known which.
class Running {
public:
  explicit Running(const KernelName& kernel) : kernel_(kernel) {}
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void add(const std::string& device, const compiler::GroupBox& box);
  void remove(const std::string& device);

private:
  void tell() const;

  const KernelName& kernel_;
  std::vector<std::pair<std::string, compiler::GroupBox>> pieces_;
};

// A lane with a set of the rehearsal's copies.
class LaneStage : public Stage {
public:
  // All but the numbers must outlive it. `whole_seconds`: of the launch, once they are known.
  LaneStage(const Configuration& configuration, Report& report, Rehearsal& rehearsal,
            const KernelName& kernel, Running& running, int lane, size_t set, int code_generator,
            const double& whole_seconds)
      : configuration_(configuration), report_(report), rehearsal_(rehearsal), kernel_(kernel),
        running_(running), lane_(lane), set_(set), code_generator_(code_generator),
        whole_seconds_(whole_seconds) {}

  std::string name() const override { return configuration_.lane_device(static_cast<size_t>(lane_)).name; }
  int code_generator() const override { return code_generator_; }
  unsigned char* open(size_t buffer) override;
  void close(size_t buffer) override;
  // Before any of them runs: whichever crashes, and however soon, all are named.
  void announce(const compiler::GroupBox& box) override { running_.add(name(), box); }
  cl_int start(const compiler::GroupBox& box, bool original) override;
  cl_int finish() override;

private:
  [[noreturn]] void give_up();

  const Configuration& configuration_;
  Report& report_;
  Rehearsal& rehearsal_;
  const KernelName& kernel_;
  Running& running_;
  const int lane_;
  const size_t set_;
  const int code_generator_;
  const double& whole_seconds_;
  void* mapped_ = nullptr;
  compiler::GroupBox box_;
  vendor::Owned<cl_event> event_;
};

}  // namespace mkmd::verify
