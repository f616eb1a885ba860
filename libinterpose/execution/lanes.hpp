// SPDX-License-Identifier: Apache-2.0
// The lanes of an executor, and what each of them is for. Which there are does not change once actions are
// pushed; what is on them is guarded by the executor's mutex.
#pragma once

#include "libinterpose/execution/action.hpp"

#include <memory>
#include <vector>

namespace mkmd {

class Lanes {
public:
  Lane& add(std::unique_ptr<Lane> lane);
  void set_home(Lane& home) { home_ = &home; }  // one of those that compute
  void set_repair(std::unique_ptr<Lane> lane) { repair_ = std::move(lane); }
  void set_program(std::unique_ptr<Lane> lane);

  // Without those of repairs and of the program.
  const std::vector<std::unique_ptr<Lane>>& all() const { return lanes_; }
  // Those that compute, by index of the device; last, where it is none of them, home.
  const std::vector<Lane*>& compute() const { return compute_; }
  // What whoever pumps gives actions to, if they are asynchronous.
  const std::vector<Lane*>& fed() const { return fed_; }
  Lane& home() const { return *home_; }
  // Where home does again what helpers have failed at.
  Lane& repair() const { return *repair_; }
  // Its actions stand for commands in the program's own queues. What became of those is the program's
  // business: here they are over, and nothing more.
  Lane& program() const { return *program_; }

  // Each memory sends one transfer at a time, and takes one.
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
