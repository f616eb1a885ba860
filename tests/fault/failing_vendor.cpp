// SPDX-License-Identifier: Apache-2.0
// The library $POCL, some of whose calls fail. Every call of the dispatch table can. Which do, and how, is
// said by rules (failing_rules.hpp).
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "tests/common/in_front_of_pocl.hpp"
#include "tests/fault/failing_death.hpp"
#include "tests/fault/failing_results.hpp"
#include "tests/fault/failing_rules.hpp"

#include <CL/cl_icd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

cl_icd_dispatch original;
// Never destroyed: programs call OpenCL while the process exits, too.
auto& devices_mutex = *new std::mutex;
auto& parts = *new std::vector<cl_device_id>;  // sub-devices, in the order they were made
auto& contexts = *new std::map<cl_context, std::string>;

// Whose call it is. Handles are asked through the original table, so that nothing is counted.
std::string name_of(cl_device_id device) {
  const std::lock_guard lock(devices_mutex);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == device) return std::to_string(i);
  }
  return "whole";
}

std::string device_of(cl_device_id device) {
  return device != nullptr ? name_of(device) : "";
}

// PoCL names the whole device, whatever the context was made for.
std::string device_of(cl_context context) {
  const std::lock_guard lock(devices_mutex);
  const auto known = contexts.find(context);
  return known != contexts.end() ? known->second : "whole";
}

// A context of one sub-device says more than a queue on all of its device.
std::string device_of(cl_command_queue queue) {
  cl_context context = nullptr;
  original.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  const std::string of_context = device_of(context);
  if (of_context != "shared" && of_context != "whole") return of_context;
  cl_device_id device = nullptr;
  original.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  return device_of(device);
}

template <typename Handle, typename Get>
std::string device_through(Handle handle, Get get, cl_uint what) {
  cl_context context = nullptr;
  get(handle, what, sizeof context, &context, nullptr);
  return context != nullptr ? device_of(context) : "";
}

std::string device_of(cl_mem memory) {
  return device_through(memory, original.clGetMemObjectInfo, CL_MEM_CONTEXT);
}
std::string device_of(cl_program program) {
  return device_through(program, original.clGetProgramInfo, CL_PROGRAM_CONTEXT);
}
std::string device_of(cl_kernel kernel) {
  return device_through(kernel, original.clGetKernelInfo, CL_KERNEL_CONTEXT);
}
std::string device_of(cl_event event) {
  cl_command_queue queue = nullptr;
  original.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr);
  return queue != nullptr ? device_of(queue)
                          : device_through(event, original.clGetEventInfo, CL_EVENT_CONTEXT);
}
std::string device_of(const cl_event* events) {
  return events != nullptr ? device_of(*events) : "";
}
std::string device_of(const cl_device_id* devices) {
  return devices != nullptr ? device_of(*devices) : "";
}

template <typename T>
std::string device_if_handle(T argument) {
  using Argument = std::decay_t<T>;
  if constexpr (std::is_same_v<Argument, cl_device_id> || std::is_same_v<Argument, cl_context> ||
                std::is_same_v<Argument, cl_command_queue> || std::is_same_v<Argument, cl_mem> ||
                std::is_same_v<Argument, cl_program> || std::is_same_v<Argument, cl_kernel> ||
                std::is_same_v<Argument, cl_event> || std::is_same_v<Argument, const cl_event*> ||
                std::is_same_v<Argument, const cl_device_id*>) {
    return argument != nullptr ? device_of(argument) : "";
  }
  return "";
}

template <typename... Arguments>
std::string device_of_call(Arguments... arguments) {
  std::string device;
  ((device = device.empty() ? device_if_handle(arguments) : device), ...);
  return device;
}

// An event of the queue's context that has ended with an error.
cl_event failed_event(cl_command_queue queue) {
  cl_context context = nullptr;
  original.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  cl_int status = CL_SUCCESS;
  const cl_event event = original.clCreateUserEvent(context, &status);
  original.clSetUserEventStatus(event, CL_OUT_OF_RESOURCES);
  return event;
}

// Events whose callbacks are never called. Their handles are not used again: each has a reference of ours.
std::mutex& silent_mutex = *new std::mutex;
std::set<cl_event>& silent = *new std::set<cl_event>;

void silence(cl_event event) {
  original.clRetainEvent(event);
  const std::lock_guard lock(silent_mutex);
  silent.insert(event);
}

// One that nobody hears of, and what ends it with an error.
cl_event unheard_event(cl_command_queue queue) {
  cl_context context = nullptr;
  original.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  cl_int status = CL_SUCCESS;
  const cl_event event = original.clCreateUserEvent(context, &status);
  silence(event);
  return event;
}

void end_later(cl_event event, int milliseconds) {
  std::thread([event, milliseconds] {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    original.clSetUserEventStatus(event, CL_OUT_OF_RESOURCES);
  }).detach();
}

cl_event late_event(cl_command_queue queue, int milliseconds) {
  const cl_event event = unheard_event(queue);
  end_later(event, milliseconds);
  return event;
}

// The same call, behind one more event. That ends once the call is over: PoCL does not survive the end of an
// event while it is given what waits for it.
template <typename Call, typename Arguments, size_t... First>
cl_int call_behind(Call call, const Arguments& arguments, int milliseconds, std::index_sequence<First...>) {
  constexpr size_t kFirst = sizeof...(First);
  const cl_event* waits = std::get<kFirst + 1>(arguments);
  std::vector<cl_event> all(waits, waits + std::get<kFirst>(arguments));
  all.push_back(unheard_event(std::get<0>(arguments)));
  const cl_int status = call(std::get<First>(arguments)..., static_cast<cl_uint>(all.size()), all.data(),
                             std::get<kFirst + 2>(arguments));
  end_later(all.back(), milliseconds);
  return status;
}

using failing::error;
using failing::last_of;

constexpr const char* kNames[] = {
#define VENDOR_CALL(name) #name,
#include "vendor_calls.inc"
#undef VENDOR_CALL
};

template <auto Slot, int Number, typename Function>
struct Call;

template <auto Slot, int Number, typename Returns, typename... Arguments>
struct Call<Slot, Number, Returns (*)(Arguments...)> {
  static Returns CL_API_CALL make(Arguments... arguments) {
    const std::string name = kNames[Number];
    static const bool watched = std::getenv("FAILING_SEEN") != nullptr;
    if (watched) failing::note_seen(kNames[Number], device_of_call(arguments...));
    std::string device;
    failing::Rule* due = nullptr;
    for (failing::Rule& rule : failing::rules()) {
      if (rule.name != name) continue;
      if (device.empty()) device = device_of_call(arguments...);
      if (!rule.device.empty() && rule.device != device) continue;
      if (rule.is_due() && due == nullptr) due = &rule;
    }
    if constexpr (std::is_same_v<decltype(Slot), decltype(&cl_icd_dispatch::clSetEventCallback)>) {
      const std::lock_guard lock(silent_mutex);
      if (silent.count(std::get<0>(std::tuple(arguments...))) > 0) return CL_SUCCESS;
    }
    const auto last = last_of(arguments...);
    if (failing::Death::all().refuses(name, [&] { return device_of_call(arguments...); }))
      return error<Returns>(CL_DEVICE_NOT_AVAILABLE, last);
    const bool kept = failing::Death::all().keeps(
        name, [&] { return device_of_call(arguments...); }, arguments...);
    if constexpr (std::is_same_v<std::decay_t<decltype(last)>, cl_event*>) {
      if (kept && last != nullptr) *last = unheard_event(std::get<0>(std::tuple(arguments...)));
    }
    if (kept) return error<Returns>(CL_SUCCESS, last);
    if (due == nullptr) return plain_or_dead(arguments...);
    if constexpr (std::is_same_v<std::decay_t<decltype(last)>, cl_event*>) {
      if (due->mode == "silent" && last == nullptr) return plain(arguments...);  // it is silent anyway
    }
    failing::note("FAILING_COUNT", kNames[Number], device + " " + due->text);
    return follow(*due, device, arguments...);
  }

private:
  static Returns follow(const failing::Rule& rule, const std::string& device, Arguments... arguments) {
    const failing::Rule* const due = &rule;
    const auto last = last_of(arguments...);
    if (due->mode == "dies" || due->mode == "strands") {
      if (due->mode == "dies") failing::Death::all().of(device);
      if (due->mode == "strands") failing::Death::all().strand_others_of(device);
      if constexpr (std::is_same_v<std::decay_t<decltype(last)>, cl_event*>) {
        if (last != nullptr) *last = unheard_event(std::get<0>(std::tuple(arguments...)));
        return error<Returns>(CL_SUCCESS, last);
      }
      return error<Returns>(CL_DEVICE_NOT_AVAILABLE, last);
    }
    if (due->mode == "delay") {
      std::this_thread::sleep_for(std::chrono::milliseconds(due->value));
      return plain(arguments...);
    }
    if (due->mode == "garbage") {
      garble(arguments...);
      return error<Returns>(CL_OUT_OF_RESOURCES, last);
    }
    if constexpr (std::is_same_v<std::decay_t<decltype(last)>, cl_event*>) {
      if (due->mode == "silent") {
        const Returns result = plain(arguments...);
        if constexpr (std::is_same_v<Returns, cl_int>) {
          if (result == CL_SUCCESS) silence(*last);
        }
        return result;
      }
      if (due->mode == "late") {
        const cl_command_queue queue = std::get<0>(std::tuple(arguments...));
        if (last != nullptr) *last = late_event(queue, due->value);
        return error<Returns>(CL_SUCCESS, last);
      }
      if constexpr (sizeof...(Arguments) >= 4 && std::is_same_v<Returns, cl_int>) {
        if (due->mode == "behind") {
          return call_behind(original.*Slot, std::tuple(arguments...), due->value,
                             std::make_index_sequence<sizeof...(Arguments) - 3>());
        }
      }
      const bool half = due->mode == "half";
      if (half || due->mode == "abort") {
        const cl_command_queue queue = std::get<0>(std::tuple(arguments...));
        if (half) execute_half(arguments...);
        if (last != nullptr) *last = failed_event(queue);
        return error<Returns>(CL_SUCCESS, last);
      }
    }
    return error<Returns>(due->value < 0 ? due->value : CL_OUT_OF_RESOURCES, last);
  }

  // What was under way when the device died does not come back.
  static Returns plain_or_dead(Arguments... arguments) {
    static const char* const rules = std::getenv("FAILING_CALLS");
    static const bool may_die = rules != nullptr && (std::strstr(rules, ":dies") != nullptr ||
                                                     std::strstr(rules, ":strands") != nullptr);
    if (!may_die) return plain(arguments...);
    const std::string device = device_of_call(arguments...);
    if constexpr (std::is_same_v<decltype(Slot), decltype(&cl_icd_dispatch::clSetEventCallback)>)
      return failing::hear_while_alive(device, original.*Slot, arguments...);
    if constexpr (std::is_same_v<decltype(Slot), decltype(&cl_icd_dispatch::clGetEventInfo)>) {
      if (failing::say_running(device, arguments...)) return CL_SUCCESS;
    }
    if constexpr (!std::is_void_v<Returns>)
      return failing::Death::all().outlive(failing::Death::waits(kNames[Number], arguments...), device,
                                           plain(arguments...));
    return plain(arguments...);
  }

  static Returns plain(Arguments... arguments) {
    if constexpr (std::is_same_v<decltype(Slot), decltype(&cl_icd_dispatch::clCreateSubDevices)>) {
      const Returns result = (original.*Slot)(arguments...);
      add_parts(result, arguments...);
      return result;
    } else if constexpr (std::is_same_v<decltype(Slot), decltype(&cl_icd_dispatch::clCreateContext)>) {
      const Returns result = (original.*Slot)(arguments...);
      add_context(result, arguments...);
      return result;
    } else if constexpr (std::is_same_v<decltype(Slot), decltype(&cl_icd_dispatch::clGetDeviceInfo)>) {
      const Returns result = (original.*Slot)(arguments...);
      if (result == CL_SUCCESS && std::getenv("FAILING_APART") != nullptr) say_apart(arguments...);
      return result;
    } else {
      return (original.*Slot)(arguments...);
    }
  }

  static void say_apart(cl_device_id, cl_device_info what, size_t, void* value, size_t*) {
    if (what == CL_DEVICE_HOST_UNIFIED_MEMORY && value != nullptr) *static_cast<cl_bool*>(value) = CL_FALSE;
  }

  static void add_parts(cl_int status, cl_device_id, const cl_device_partition_property*, cl_uint count,
                        cl_device_id* made, cl_uint*) {
    if (status != CL_SUCCESS || made == nullptr) return;
    const std::lock_guard lock(devices_mutex);
    parts.insert(parts.end(), made, made + count);
  }

  template <typename Notify>
  static void add_context(cl_context context, const cl_context_properties*, cl_uint count,
                          const cl_device_id* devices, Notify, void*, cl_int*) {
    if (context == nullptr) return;
    const std::string name = count == 1 ? name_of(devices[0]) : "shared";
    const std::lock_guard lock(devices_mutex);
    contexts[context] = name;
  }

  static void garble(Arguments... arguments) {
    if constexpr (std::is_same_v<decltype(Slot), decltype(&cl_icd_dispatch::clEnqueueReadBuffer)>) {
      garble_read(arguments...);
    } else if constexpr (std::is_same_v<decltype(Slot), decltype(&cl_icd_dispatch::clGetDeviceInfo)> ||
                         std::is_same_v<decltype(Slot), decltype(&cl_icd_dispatch::clGetEventInfo)>) {
      garble_answer(arguments...);
    }
  }

  static void garble_read(cl_command_queue queue, cl_mem, cl_bool, size_t, size_t size, void* to, cl_uint,
                          const cl_event*, cl_event*) {
    original.clFinish(queue);
    std::memset(to, 0xA5, size);
  }

  template <typename Handle>
  static void garble_answer(Handle, cl_uint, size_t size, void* value, size_t*) {
    if (value != nullptr) std::memset(value, 0xA5, size);
  }

  static void execute_half(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                           const size_t* global, const size_t* local, cl_uint count, const cl_event* waits,
                           cl_event*) {
    std::vector<size_t> less(global, global + dimensions);
    for (size_t& size : less) {
      const size_t group = local != nullptr ? local[&size - less.data()] : 1;
      if (size < 2 * group) continue;
      size = size / group / 2 * group;
      break;
    }
    original.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, less.data(), local, count, waits,
                                    nullptr);
    original.clFinish(queue);
  }
  template <typename... Others>
  static void execute_half(Others...) {}
};

enum Number {
#define VENDOR_CALL(name) number_of_##name,
#include "vendor_calls.inc"
#undef VENDOR_CALL
};

void patch(cl_icd_dispatch& table) {
  if (original.clGetPlatformInfo != nullptr) return;
  original = table;
  in_front::make_writable(table);
#define VENDOR_CALL(name)                                                                                    \
  if (table.name != nullptr)                                                                                 \
    table.name = Call<&cl_icd_dispatch::name, number_of_##name, decltype(cl_icd_dispatch::name)>::make;
#include "vendor_calls.inc"
#undef VENDOR_CALL
}

}  // namespace

extern "C" __attribute__((visibility("default"))) cl_int
clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id* ids, cl_uint* count) {
  using Get = cl_int (*)(cl_uint, cl_platform_id*, cl_uint*);
  const cl_int status = in_front::of_pocl<Get>("clIcdGetPlatformIDsKHR")(entries, ids, count);
  if (status == CL_SUCCESS && ids != nullptr) patch(**reinterpret_cast<cl_icd_dispatch**>(ids[0]));
  return status;
}

extern "C" __attribute__((visibility("default"))) void* clGetExtensionFunctionAddress(const char* name) {
  if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
    return reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR);
  return in_front::of_pocl<void*>(name);
}
