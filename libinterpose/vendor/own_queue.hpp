// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libinterpose/vendor/vendor.hpp"

namespace mkmd::vendor {

// An in-order command-queue of ours. Its driver is asked once about constant properties of its device.
class OwnQueue {
public:
  OwnQueue() = default;
  OwnQueue(cl_context context, cl_device_id device);  // null if the driver makes none

  explicit operator bool() const { return static_cast<bool>(queue_); }
  cl_command_queue get() const { return queue_.get(); }
  cl_device_id device() const { return device_; }
  bool may_be_lost() const { return may_be_lost_; }                // see may_be_lost() in careful.hpp
  bool computes_in_waiter() const { return computes_in_waiter_; }  // likewise
  // Mapping a buffer of its device costs no copy: the device's memory is the host's.
  bool works_in_host_memory() const { return works_in_host_memory_; }
  // For transfers and mappings. Devices that may be lost are waited for by enqueue_carefully() or
  // await_event().
  cl_bool blocking() const { return may_be_lost_ ? CL_FALSE : CL_TRUE; }

private:
  Owned<cl_command_queue> queue_;
  cl_device_id device_ = nullptr;
  bool may_be_lost_ = false;
  bool works_in_host_memory_ = false;
  bool computes_in_waiter_ = false;
};

}  // namespace mkmd::vendor
