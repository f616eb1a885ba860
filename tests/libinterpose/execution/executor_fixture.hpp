// SPDX-License-Identifier: Apache-2.0
// An executor on devices of virtual time: no driver, no thread, no clock.
#pragma once

#include "libinterpose/execution/executor.hpp"
#include "libinterpose/objects/objects.hpp"
#include "tests/libinterpose/execution/fake_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mkmd {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

inline constexpr cl_ulong kMilli = FakeDevices::kTakes;

class ExecutorTest : public testing::Test, public Executor::Observer {
protected:
  // `contexts`: of the lanes that compute, by number. The first is home. Each has a memory where one may be
  // lost.
  void make(const std::vector<int>& contexts, Executor::Configuration configuration = {}) {
    const bool separate = configuration.makes_losses_good;
    configuration.has_threads = has_threads_;
    executor_ = std::make_unique<Executor>(*this, configuration);
    auto devices = std::make_unique<FakeDevices>();
    devices_ = devices.get();
    executor_->use(std::move(devices));
    for (size_t d = 0; d < contexts.size(); ++d)
      executor_->lanes().add(
          lane(Lane::Kind::asynchronous, static_cast<int>(d), contexts[d], separate ? contexts[d] : 0));
    for (int domain = 0; domain < 3; ++domain)
      transfers_.push_back(&executor_->lanes().add(
          std::make_unique<Lane>(Lane::Kind::threaded, -1, domain, nullptr, vendor::OwnQueue())));
    executor_->lanes().set_home(*executor_->lanes().compute().front());
    executor_->lanes().set_program(
        std::make_unique<Lane>(Lane::Kind::asynchronous, -1, 0, nullptr, vendor::OwnQueue()));
    executor_->lanes().set_repair(lane(Lane::Kind::threaded, 0, contexts.front()));
  }

  static std::unique_ptr<Lane> lane(Lane::Kind kind, int device, int context, int domain = 0) {
    const auto native = reinterpret_cast<cl_context>(static_cast<uintptr_t>(context + 1) * 16);
    return std::make_unique<Lane>(kind, device, domain, native, vendor::OwnQueue());
  }

  // On the lane of that device; it may be done again.
  Ref<Action> action(int device, double order = 0) {
    const auto work = [this](Lane&) -> Action::Work {
      return [this](const std::vector<cl_event>&) {
        ++works_;
        return Action::Outcome{};
      };
    };
    Lane& on = *executor_->lanes().compute()[device];
    Ref<Action> made(new Action(on, owner_.get(), work(on)));
    made->order = order;
    made->elsewhere.redo = work;
    made->piece.device = device;
    return made;
  }
  // Between memories. Nothing can do it again.
  Ref<Action> copy(int from, int to, double order = 0) {
    Ref<Action> made(new Action(*transfers_[to], nullptr, [this](const std::vector<cl_event>&) {
      ++works_;
      return Action::Outcome{};
    }));
    made->order = order;
    made->transfer.from_domain = from;
    made->transfer.ranges = ByteRanges(0, 8);
    made->transfer.bytes = 8;
    return made;
  }
  FakeDevices::Script& script(const Ref<Action>& a) { return devices_->scripts[a.get()]; }

  void push(const Ref<Action>& a) {
    const std::lock_guard lock(executor_->mutex());
    executor_->push(a);
  }
  void pump() {
    std::unique_lock lock(executor_->mutex());
    executor_->pump();
    Graveyard::Dead dead = executor_->graveyard().take();
    lock.unlock();
    Graveyard::bury(std::move(dead));
  }
  // What threads would do, if there were any.
  void work() {
    executor_->wait_until([] { return true; });
  }
  // Until nothing ends any more.
  void finish() {
    do {
      work();
    } while (devices_->advance());
  }
  static Memory* buffer(uintptr_t number) { return reinterpret_cast<Memory*>(number * 64); }

  void completed(Action& a) override { completed_.push_back(&a); }
  void lost(Action& a) override { lost_.push_back(&a); }
  void halted() override {
    ++halts_;
    EXPECT_TRUE(executor_->stop_after_loss()) << "something is running";
  }
  void conduct() override {}
  bool is_busy() const override { return false; }

  bool has_threads_ = false;
  const Ref<ActionOwner> owner_{new ActionOwner};
  std::unique_ptr<Executor> executor_;
  FakeDevices* devices_ = nullptr;
  std::vector<Lane*> transfers_;  // by the memory they write to
  std::vector<const Action*> completed_, lost_;
  int halts_ = 0;
  int works_ = 0;
};

}  // namespace mkmd
