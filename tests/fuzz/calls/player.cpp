// SPDX-License-Identifier: Apache-2.0
// How a player goes on: the table of steps, the log, and what every command has in common. A command has a
// wait list, a time when it is known to be complete, and results that are compared then.
#include "player.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace fuzz {

struct Player::Step {
  const char* name;
  void (Player::*take)(Family&);
  unsigned weight;
};

// How often a step is taken, relative to the others.
const std::vector<Player::Step>& Player::steps() {
  static const std::vector<Step> kSteps = {
      {"end_family", &Player::end_family, 1},
      {"new_queue", &Player::new_queue, 4},
      {"new_buffer", &Player::new_buffer, 14},
      {"new_sub_buffer", &Player::new_sub_buffer, 12},
      {"new_program", &Player::new_program, 3},
      {"broken_program", &Player::broken_program, 1},
      {"linked_program", &Player::linked_program, 1},
      {"rebuild", &Player::rebuild, 2},
      {"new_kernel", &Player::new_kernel, 14},
      {"new_user_event", &Player::new_user_event, 3},
      {"set_user_event", &Player::set_user_event, 8},
      {"retain", &Player::retain, 14},
      {"release", &Player::release, 34},
      {"read", &Player::read, 26},
      {"write", &Player::write, 26},
      {"copy", &Player::copy, 22},
      {"fill", &Player::fill, 22},
      {"rectangle", &Player::rectangle, 14},
      {"map", &Player::map, 16},
      {"unmap", &Player::unmap, 18},
      {"migrate", &Player::migrate, 4},
      {"new_image", &Player::new_image, 4},
      {"image", &Player::image, 20},
      {"new_svm", &Player::new_svm, 4},
      {"svm", &Player::svm, 16},
      {"launch", &Player::launch, 50},
      {"marker", &Player::marker, 14},
      {"flush", &Player::flush, 8},
      {"finish", &Player::finish, 4},
      {"wait", &Player::wait, 8},
      {"poll", &Player::poll, 12},
      {"event_callback", &Player::event_callback, 8},
      {"profile", &Player::profile, 8},
      {"ask", &Player::ask, 30},
      {"bad_object", &Player::bad_object, 18},
      {"bad_transfer", &Player::bad_transfer, 18},
      {"bad_kernel", &Player::bad_kernel, 14},
      {"sampler", &Player::sampler, 3},
      {"hand_over", &Player::hand_over, 12},
      {"take_over", &Player::take_over, 12},
      {"failed_user_event", &Player::failed_user_event, 3},
  };
  return kSteps;
}

Player::Player(Shared& shared, unsigned thread, uint64_t seed)
    : shared_(shared), thread_(thread), seed_(seed), random_(seed) {}

// A step's choices depend on its number, not on the steps before it: leaving some out changes little else.
void Player::take_step(uint64_t number) {
  step_ = number;
  random_ = Random(seed_ * 1000003 + number * 64 + thread_);
  Family* family = pick_family();
  unsigned total = 0;
  for (const Step& step : steps())
    total += step.weight;
  auto at = static_cast<unsigned>(random_.below(total));
  for (const Step& step : steps()) {
    if (at >= step.weight) {
      at -= step.weight;
      continue;
    }
    name_ = step.name;
    if (shared_.without.find("," + std::string(name_) + ",") != std::string::npos) return;
    line("# %llu %s", static_cast<unsigned long long>(number), name_);
    (this->*step.take)(*family);
    return;
  }
}

Family* Player::pick_family() {
  const size_t wanted = shared_.threads > 1 ? 2 : 3;
  if (families_.empty() || (families_.size() < wanted && random_.chance(2))) {
    name_ = "new_family";
    line("# %llu %s", static_cast<unsigned long long>(step_), name_);
    new_family(nullptr);
  }
  return random_.pick(families_).get();
}

cl_int Player::note(const char* name, cl_int code) {
  ++calls_;
  line("%s %d", name, code);
  return code;
}

void Player::must(const char* name, cl_int code, cl_int expected) {
  note(name, code);
  if (code != expected) fault("%s gave %d instead of %d", name, code, expected);
}

void Player::line(const char* format, ...) {
  if (!shared_.log) return;
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  std::putchar('\n');
}

void Player::fault(const char* format, ...) {
  char text[2000];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::printf("FAULT thread %u step %llu (%s): %s\n", thread_, static_cast<unsigned long long>(step_), name_,
              text);
  std::fflush(stdout);
  std::_Exit(3);
}

QueuePtr Player::pick_queue(Family& family) {
  return random_.pick(family.queues);
}

MemoryPtr Player::pick_memory(Family& family, bool for_host_read, bool for_host_write) {
  for (int attempt = 0; attempt < 6 && !family.memories.empty(); ++attempt) {
    MemoryPtr memory = random_.pick(family.memories);
    if (!memory->root->mappings.empty()) continue;
    if (for_host_read && !memory->host_reads) continue;
    if (for_host_write && !memory->host_writes) continue;
    return memory;
  }
  return nullptr;
}

// Sets user events, as whoever is about to block on them has to.
void Player::open(const std::set<GatePtr>& gates) {
  for (const GatePtr& gate : gates) {
    if (gate->is_set) continue;
    gate->is_set = true;
    must("clSetUserEventStatus", clSetUserEventStatus(gate->handle, CL_COMPLETE));
  }
}

void Player::open_for_blocking(const Order& order) {
  open(order.command->gates);
  open(std::set<GatePtr>(order.queue->gates));
}

// Gives a command an event where it has none: that of a marker behind it.
void Player::make_waitable(const CommandPtr& command) {
  if (command->complete || command->event != nullptr) return;
  if (command->queue->references <= 0) fault("the model lost a command");
  must("clEnqueueMarkerWithWaitList",
       clEnqueueMarkerWithWaitList(command->queue->handle, 0, nullptr, &command->event));
  command->queue->flushed = false;
  command->gates.insert(command->queue->gates.begin(), command->queue->gates.end());
}

// Other queues are sure to make progress only after that.
void Player::flush(const QueuePtr& queue) {
  if (queue->flushed || queue->references <= 0) return;
  must("clFlush", clFlush(queue->handle));
  queue->flushed = true;
}

void Player::add_wait(Order& order, const CommandPtr& command) {
  if (command->complete) return;
  make_waitable(command);
  if (order.queue->shared) open(std::set<GatePtr>(command->gates));
  if (std::find(order.waits.begin(), order.waits.end(), command->event) != order.waits.end()) return;
  order.waits.push_back(command->event);
  order.command->gates.insert(command->gates.begin(), command->gates.end());
  order.command->sure_gates.insert(command->sure_gates.begin(), command->sure_gates.end());
  if (command->queue != order.queue) flush(command->queue);
}

Player::Order Player::order(Family& family, const QueuePtr& queue, const std::vector<Use>& uses) {
  Order result;
  result.queue = queue;
  result.command = std::make_shared<Command>();
  result.command->queue = queue;
  for (const Use& use : uses) {
    auto& accesses = use.root->accesses;
    std::erase_if(accesses, [](const Access& access) { return access.command->complete; });
    for (const Access& access : accesses) {
      if (access.begin >= use.end || use.begin >= access.end) continue;
      if (!use.written && !access.written) continue;
      if (access.command->queue == queue && queue->in_order) continue;
      add_wait(result, access.command);
    }
  }
  // Whatever else there is to wait for.
  if (!family.events.empty() && random_.chance(25)) {
    const EventPtr event = random_.pick(family.events);
    if (event->gate) {
      if (queue->shared) open({event->gate});
      result.waits.push_back(event->handle);
      if (!event->gate->is_set) {
        result.command->gates.insert(event->gate);
        result.command->sure_gates.insert(event->gate);
      }
    } else if (event->command) {
      add_wait(result, event->command);
    }
  }
  // Commands that wait in a queue of their own are held up by a barrier.
  if (!queue->in_order && !result.waits.empty() && random_.chance(30)) {
    must("clEnqueueBarrierWithWaitList",
         clEnqueueBarrierWithWaitList(queue->handle, result.count(), result.list(), nullptr));
    result.waits.clear();
    queue->gates.insert(result.command->gates.begin(), result.command->gates.end());
  }
  result.wants_event = random_.chance(queue->in_order ? 50 : 80);
  return result;
}

void Player::enqueued(Family& family, Order& order, const std::vector<Use>& uses, const char* name,
                      cl_int code, bool blocking) {
  must(name, code);
  if (order.wants_event && order.event == nullptr) fault("%s gave no event", name);
  const CommandPtr& command = order.command;
  command->event = order.event;
  Queue& queue = *order.queue;
  for (auto* gates : {&queue.gates, &queue.sure_gates})
    std::erase_if(*gates, [](const GatePtr& gate) { return gate->is_set; });
  queue.gates.insert(command->gates.begin(), command->gates.end());
  // In an out-of-order queue a barrier may hold it up as well.
  command->gates.insert(queue.gates.begin(), queue.gates.end());
  if (queue.in_order) {
    queue.sure_gates.merge(std::set<GatePtr>(command->sure_gates));
    command->sure_gates = queue.sure_gates;
  }
  queue.commands.push_back(command);
  queue.flushed = blocking;
  for (const Use& use : uses)
    use.root->accesses.push_back({command, use.begin, use.end, use.written});
  if (order.event != nullptr && random_.chance(30)) {
    must("clRetainEvent", clRetainEvent(order.event));
    auto event = std::make_shared<Event>();
    event->handle = order.event;
    event->command = command;
    event->profiling = queue.profiling;
    family.events.push_back(event);
  }
  if (blocking) complete(command);
  if (queue.commands.size() > 60) settle(family, order.queue);
}

// What is known once a command is complete. In an in-order queue all before it are, too.
void Player::complete(CommandPtr last) {
  if (last->complete) return;
  const QueuePtr queue = last->queue;
  std::vector<CommandPtr> done;
  if (queue->in_order) {
    const auto end = std::find(queue->commands.begin(), queue->commands.end(), last);
    if (end != queue->commands.end()) {
      done.assign(queue->commands.begin(), end + 1);
      queue->commands.erase(queue->commands.begin(), end + 1);
    }
  } else {
    std::erase(queue->commands, last);
  }
  if (done.empty()) done.push_back(last);
  for (const CommandPtr& command : done) {
    command->complete = true;
    for (const Check& check : command->checks) {
      const unsigned char* got = check.mapped != nullptr ? check.mapped : check.got->data();
      for (const auto& [at, expected] : check.expected) {
        if (std::memcmp(got + at, expected.data(), expected.size()) == 0) continue;
        size_t first = expected.size(), end = 0, wrong = 0, untouched = 0;
        for (size_t i = 0; i < expected.size(); ++i) {
          if (got[at + i] == expected[i]) continue;
          first = std::min(first, i);
          end = i;
          ++wrong;
          untouched += got[at + i] == 0xA5;
        }
        fault("%s: %zu bytes of %zu are wrong, between %zu and %zu; %zu are a5; the first is %02x instead of "
              "%02x",
              check.what, wrong, expected.size(), first, end, untouched, got[at + first], expected[first]);
      }
    }
    command->checks.clear();
    command->kept.clear();
    command->gates.clear();
  }
}

void Player::complete_all(const QueuePtr& queue) {
  while (!queue->commands.empty())
    complete(queue->commands.back());
  queue->gates.clear();
}

void Player::settle(Family&, const QueuePtr& queue) {
  open(std::set<GatePtr>(queue->gates));
  must("clFinish", clFinish(queue->handle));
  complete_all(queue);
}

void Player::end() {
  name_ = "end";
  while (!families_.empty())
    end_family(*families_.back());
}

}  // namespace fuzz
