// SPDX-License-Identifier: Apache-2.0
// The memory domains of one context, and the lanes on their devices. Each domain has a vendor's context, and
// each device that computes has a lane. Where there are several memories, each device that copies has one.
#pragma once

#include "libinterpose/capture/session.hpp"
#include "libinterpose/commands/code_places.hpp"
#include "libinterpose/execution/executor.hpp"

#include <mutex>
#include <vector>

namespace mkmd {

class Domains {
public:
  struct Domain {
    cl_context context = nullptr;
    vendor::Owned<cl_context> owned;  // of domains other than the home's
    std::vector<int> devices;
    Lane* transfer = nullptr;  // copies into this domain; and from it into the program's memory
  };

  Domains(Context& context, Session& session)
      : context_(context), session_(session), configuration_(session.configuration), hardware_(session.kind),
        number_(session.numbers) {}

  // These two are called before all others, in this order.
  Status make_lanes(Executor& executor);
  Status make_repair_lane(Executor& executor) const;
  // Before anything is captured: the devices that carry out actions, and their clocks. Runs commands, which
  // wait for what the devices are at. A program that captures nothing does not wait for that.
  void prepare(Executor& executor);

  // Devices in memories other than home's that can have no such image.
  std::vector<int> devices_without(const ImageShape& image) const;

  // Those that may use home's bytes of the memory object, one bit each: its bytes are ours, and the drivers
  // of both work in them.
  uint32_t of_home(const Memory& root) const;

  bool separate() const { return list_.size() > 1; }  // there are several memories
  size_t count() const { return list_.size(); }
  const Domain& operator[](size_t domain) const { return list_[domain]; }  // [0] is the home's
  const CodePlaces& code_places() const { return code_places_; }

private:
  void read_clocks(Executor& executor) const;
  Status make_contexts();
  Status make_compute_lanes(Executor& executor);
  Status make_transfer_lanes(Executor& executor);
  uint32_t on_host_bytes() const;  // the domains whose drivers work in bytes of ours, if home's does, too

  Context& context_;
  Session& session_;
  const Configuration& configuration_;
  const Hardware& hardware_;
  const LiveNumber number_;  // among contexts
  std::vector<Domain> list_;
  CodePlaces code_places_;
  std::once_flag prepared_;
  mutable std::once_flag asked_;
  mutable uint32_t on_host_bytes_ = 0;
};

// Rule 11: only then are results the same to the last bit.
bool shares_code_generator(const vendor::Device& a, const vendor::Device& b);

}  // namespace mkmd
