// SPDX-License-Identifier: Apache-2.0
// The lanes of an executor. The set does not change once actions are pushed. The executor's mutex guards the
// state of each lane.
#pragma once

#include "libinterpose/execution/action.hpp"

#include <memory>
#include <vector>

namespace mkmd {

class Lanes {
public:
  Lane& add(std::unique_ptr<Lane> lane);
  void set_home(Lane& home) { home_ = &home; }  // one of compute()
  void set_repair(std::unique_ptr<Lane> lane) { repair_ = std::move(lane); }
  void set_program(std::unique_ptr<Lane> lane);

  // All but repair() and program().
  const std::vector<std::unique_ptr<Lane>>& all() const { return lanes_; }
  // The lanes of devices, by index of the device. Home is the last one if it is none of the devices.
  const std::vector<Lane*>& compute() const { return compute_; }
  // The lanes that Feeder::pump() feeds, if they are queues.
  const std::vector<Lane*>& fed() const { return fed_; }
  Lane& home() const { return *home_; }
  // Home repeats here the actions that helpers have failed at.
  Lane& repair() const { return *repair_; }
  // Its actions stand for commands in the program's own queues. They always succeed: errors of those commands
  // are the program's.
  Lane& program() const { return *program_; }

  // Each memory sends at most one transfer at a time, and receives at most one.
  void make_ports_exclusive() { has_exclusive_ports_ = true; }
  bool has_exclusive_ports() const { return has_exclusive_ports_; }

private:
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> compute_;
  std::vector<Lane*> fed_;
  Lane* home_ = nullptr;
  std::unique_ptr<Lane> repair_;
  std::unique_ptr<Lane> program_;
  bool has_exclusive_ports_ = false;
};

}  // namespace mkmd
