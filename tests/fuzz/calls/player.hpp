// SPDX-License-Identifier: Apache-2.0
// A player makes random OpenCL calls and keeps a model of what they must do. Each thread has one. The steps a
// player takes are listed in player.cpp; the model of one context's objects is a Family (model.hpp).
#pragma once

#include "model.hpp"

#include <CL/cl_ext.h>

#include <array>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace fuzz {

// What the whole process shares.
struct Shared {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  bool images = false, svm = false;
  bool log = false;
  std::string without;  // kinds of steps that are left out, each between commas
  std::string forget;   // the name of a call; the first such release is left out
  std::atomic<bool> forgotten{false};
  unsigned threads = 1;
  // Objects on their way from one player to another, which all belong to one context.
  std::mutex mutex;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;  // in order, used by every player
  std::vector<MemoryPtr> memories;
  std::vector<EventPtr> events;
  Callbacks callbacks;
};

// It has more than 25 methods: one for each kind of step, and what they share.
class Player {
public:
  Player(Shared& shared, unsigned thread, uint64_t seed);

  void take_step(uint64_t number);
  // Waits for everything, releases everything, and checks that each callback came once.
  void end();
  uint64_t calls() const { return calls_; }

  // Logs and counts a call, and gives its code back.
  cl_int note(const char* name, cl_int code);
  // A call that has to succeed, or else to give this code.
  void must(const char* name, cl_int code, cl_int expected = CL_SUCCESS);
  // A release; one of them is left out where that is asked for.
  template <typename Handle>
  void drop(const char* name, cl_int(CL_API_CALL* release)(Handle), Handle handle) {
    if (shared_.forget == name && !shared_.forgotten.exchange(true)) return;
    must(name, release(handle));
  }
  [[noreturn]] void fault(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void line(const char* format, ...) __attribute__((format(printf, 2, 3)));

  // Steps; one or a few calls each. player.cpp lists them all.
  void new_family(Family* unused);
  void end_family(Family& family);
  void new_queue(Family& family);
  void new_buffer(Family& family);
  void new_sub_buffer(Family& family);
  void new_program(Family& family);
  void broken_program(Family& family);
  void linked_program(Family& family);
  void rebuild(Family& family);
  void new_kernel(Family& family);
  void new_user_event(Family& family);
  void set_user_event(Family& family);
  void retain(Family& family);
  void release(Family& family);
  void read(Family& family);
  void write(Family& family);
  void copy(Family& family);
  void fill(Family& family);
  void rectangle(Family& family);
  void map(Family& family);
  void unmap(Family& family);
  void migrate(Family& family);
  void new_image(Family& family);
  void image(Family& family);
  void new_svm(Family& family);
  void svm(Family& family);
  void launch(Family& family);
  void marker(Family& family);
  void flush(Family& family);
  void finish(Family& family);
  void wait(Family& family);
  void poll(Family& family);
  void event_callback(Family& family);
  void profile(Family& family);
  void ask(Family& family);
  void bad_object(Family& family);
  void bad_transfer(Family& family);
  void bad_kernel(Family& family);
  void sampler(Family& family);
  void hand_over(Family& family);
  void take_over(Family& family);
  void failed_user_event(Family& family);

private:
  struct Step;
  static const std::vector<Step>& steps();

  // A command about to be enqueued: what it has to wait for, and what is known of it afterwards.
  struct Order {
    QueuePtr queue;
    CommandPtr command;
    std::vector<cl_event> waits;
    cl_event event = nullptr;
    bool wants_event = false;

    cl_uint count() const { return static_cast<cl_uint>(waits.size()); }
    const cl_event* list() const { return waits.empty() ? nullptr : waits.data(); }
    cl_event* out() { return wants_event ? &event : nullptr; }
  };
  struct Use {
    Root* root;
    size_t begin, end;
    bool written;
  };
  Order order(Family& family, const QueuePtr& queue, const std::vector<Use>& uses);
  void add_wait(Order& order, const CommandPtr& command);
  void make_waitable(const CommandPtr& command);
  void flush(const QueuePtr& queue);
  void enqueued(Family& family, Order& order, const std::vector<Use>& uses, const char* name, cl_int code,
                bool blocking);
  void open(const std::set<GatePtr>& gates);
  void open_for_blocking(const Order& order);
  void complete(CommandPtr command);
  void complete_all(const QueuePtr& queue);
  void settle(Family& family, const QueuePtr& queue);
  struct NewBuffer {
    std::shared_ptr<Root> root;
    cl_mem_flags flags = 0;
    void* given = nullptr;
  };
  NewBuffer choose_buffer();
  void give_back_memory(Family& family);
  void release_any(Family& family);
  void let_go(Family& family, const MemoryPtr& memory);
  void let_go(Family& family, const QueuePtr& queue);
  void let_go(Family& family, const EventPtr& event);
  void let_go(Family& family, const ImagePtr& image);
  void fill_image(Family& family, const ImagePtr& image, const std::array<size_t, 4>& box);
  void svm_fill(Family& family, const SvmPtr& memory, size_t begin, size_t size, const unsigned char* pattern,
                size_t width);
  void svm_free(Family& family, const SvmPtr& memory);
  void read_or_write_image(Family& family, const QueuePtr& queue, const ImagePtr& image, bool writes);
  void copy_image(Family& family, const QueuePtr& queue, const ImagePtr& image);
  void copy_image_and_buffer(Family& family, const QueuePtr& queue, const ImagePtr& image, bool to_buffer);
  void svm_fill_some(Family& family, const SvmPtr& memory, size_t begin, size_t size);
  void svm_write(Family& family, const QueuePtr& queue, const Svm& memory, size_t begin, size_t size,
                 bool blocking);
  void svm_read(Family& family, const QueuePtr& queue, const Svm& memory, size_t begin, size_t size,
                bool blocking);
  void svm_map(Family& family, const QueuePtr& queue, const Svm& memory, size_t begin, size_t size);
  void ask_event(const EventPtr& event);

  // bad.cpp
  void bad_creation(cl_context context, size_t which);
  void null_object(size_t which);
  void bad_sub_buffer(Family& family);
  void bad_user_event(Family& family);
  void bad_event(Family& family);
  void foreign_event(Family& family);
  void bad_program(Family& family);
  void bad_read_or_write(const Memory& memory, cl_command_queue queue, cl_bool blocking, size_t which);
  void bad_fill_or_copy(const Memory& memory, cl_command_queue queue, size_t which);
  void bad_mapping(const Memory& memory, cl_command_queue queue, cl_bool blocking);
  void bad_unmapping(const Memory& memory, cl_command_queue queue);
  void bad_wait_list(const Memory& memory, cl_command_queue queue, cl_bool blocking);
  void bad_rectangle(const Memory& memory, cl_command_queue queue, cl_bool blocking);

  void question(const char* name, const void* list, const void* asked);
  void count_references(const char* name, const void* asked, cl_uint what, int least);
  void ask_object(const char* name, const void* questions, const void* asked, cl_uint references, int least);
  void ask_memory(const Memory& memory);
  void ask_program(const Program& program);
  void ask_kernel(const Kernel& kernel);
  Family* pick_family();
  QueuePtr pick_queue(Family& family);
  MemoryPtr pick_memory(Family& family, bool for_host_read, bool for_host_write);

  struct Launch;
  void set_arguments(Family& family, const KernelPtr& kernel, Launch& launch);
  bool choose_launch(Family& family, const KernelPtr& kernel, Launch& launch);

  Shared& shared_;
  const unsigned thread_;
  const uint64_t seed_;
  uint64_t step_ = 0;
  uint64_t calls_ = 0;
  const char* name_ = "";  // of the step
  Random random_;
  std::vector<std::unique_ptr<Family>> families_;
};

}  // namespace fuzz
