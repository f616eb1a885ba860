// SPDX-License-Identifier: Apache-2.0
// Real devices, called through their drivers. Actions' times are on the clock of the home device.
#pragma once

#include "libinterpose/device/driver_compilers.hpp"
#include "libinterpose/device/trouble.hpp"
#include "libinterpose/execution/devices.hpp"
#include "libinterpose/vendor/bound_threads.hpp"

namespace mkmd {

class OpenClDevices : public Devices {
public:
  // `host_to_home`: nanoseconds of the home's clock minus the host's.
  // `threads`: null: the driver has bound none.
  OpenClDevices(int64_t host_to_home, Trouble& trouble, DriverCompilers& compilers,
                vendor::BoundThreads* threads = nullptr)
      : host_to_home_(host_to_home), trouble_(trouble), compilers_(compilers), threads_(threads) {}

  cl_ulong now() const override;
  Submission submit(Action& action, std::span<const Ref<Action>> before, Listener& listener) override;
  cl_int run(Action& action, cl_int refused) override;
  char* host_bytes(Storage& storage, const Lane& lane, cl_mem memory) override;
  void flush(Lane& lane) override;
  void help(const Lane& lane) override;
  std::optional<cl_int> status(const Action& action) override;
  cl_int end(Action& action, cl_int told, cl_ulong heard) override;
  bool has_failed(int device) const override;
  bool is_lost(int domain) const override;
  void look_after(const Lane& lane) override;
  void forget(Action& action) override;
  void note_again(size_t) override {}
  void note_trouble(const Lane& lane, const char* what, cl_int status) override;
  bool may_compile() const override;

private:
  void read_times(Action& action, cl_ulong heard) const;
  void look_after_failure(const Action& action, cl_int status);

  const int64_t host_to_home_;
  Trouble& trouble_;
  DriverCompilers& compilers_;
  vendor::BoundThreads* const threads_;
};

}  // namespace mkmd
