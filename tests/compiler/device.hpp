// SPDX-License-Identifier: Apache-2.0
// The little of OpenCL the device tests need: one device, programs from source, launches of boxes.
#pragma once

#include <CL/cl.h>
#include <memory>
#include <string>
#include <vector>

#include "kernel_files.hpp"

namespace mkmd::compiler::test {

class Device {
public:
  static Device& instance();  // the first device of the first platform

  bool is_simulator() const { return simulator_; }
  cl_context context() const { return context_; }
  cl_command_queue queue() const { return queue_; }
  cl_device_id id() const { return id_; }

  bool has(const std::string& extension) const;
  bool takes(const std::string& options) const;  // those that name a version of OpenCL C
  // Whether programs with these options call each other's functions of one name.
  bool mixes_up_functions(const std::string& options) const;

  // Whether its pieces are launched with an offset, as vendor::compiles_for_offsets() says.
  bool by_offset() const { return pocl_ == 0; }

  // Null and a log if the build fails.
  cl_program build_source(const std::string& source, const std::string& options, std::string& log);
  Request request(const std::string& source,
                  const std::string& options = "") const;  // with this device's properties

private:
  Device();
  cl_program finish(cl_program program, const std::string& options, std::string& log);

  cl_device_id id_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  bool simulator_ = false;
  int pocl_ = 0;  // version; 0: not PoCL
};

using Memory = std::vector<std::vector<uint8_t>>;  // per argument; empty for those that are no memory
Memory initial_memory(const LaunchLine& line);

// Runs the kernel over all boxes in turn and returns what buffers and images hold then. Without boxes: the
// kernel as the program wrote it, over the whole NDRange.
Memory run(cl_program program, const LaunchLine& line, const Memory& before,
           const std::vector<GroupBox>* boxes);

// The whole NDRange cut into `parts` along each dimension where there are groups enough.
std::vector<GroupBox> cut(const LaunchLine& line, uint64_t parts);

}  // namespace mkmd::compiler::test
