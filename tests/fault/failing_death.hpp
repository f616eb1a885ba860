// SPDX-License-Identifier: Apache-2.0
// Devices that are gone, as PoCL-Remote's are whose server has ended. Calls that would reach the device give
// CL_DEVICE_NOT_AVAILABLE. Commands that were under way never end, nobody calls back, and who waits for them
// in the driver waits for ever. With one device the others may be stranded: so do they, and their driver does
// not know. It takes commands for them, and calls that need their answer never return.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unistd.h>

namespace failing {

class Death {
public:
  static Death& all() {
    static Death& all = *new Death;
    return all;
  }
  void of(const std::string& device) {
    const std::lock_guard lock(mutex_);
    devices_.insert(device);
    any_.store(true);
  }
  // All but home's, which is the first one.
  void strand_others_of(const std::string& device) {
    of(device);
    strands_.store(true);
  }
  bool any() const { return any_.load(); }
  bool has(const std::string& device) {
    if (!any()) return false;
    const std::lock_guard lock(mutex_);
    return devices_.count(device) > 0;
  }
  bool strands(const std::string& device) {
    return strands_.load() && !has(device) && device != "" && device != "0" && device != "whole" &&
           device != "shared";
  }
  bool ends_nothing(const std::string& device) { return has(device) || strands(device); }

  // Whether a stranded device's driver takes the command, which never ends. Calls that wait do not return.
  template <typename Device, typename... Arguments>
  bool keeps(std::string_view name, Device device, Arguments... arguments) {
    if (!strands_.load()) return false;
    const bool enqueues = name.starts_with("clEnqueue");
    const bool wait_for_ever =
        waits(name, arguments...) || name == "clCreateCommandQueue" || name == "clReleaseMemObject";
    if ((!enqueues && !wait_for_ever) || !strands(device())) return false;
    while (wait_for_ever)
      pause();
    return true;
  }

  template <typename Device>
  bool refuses(std::string_view name, Device device) {
    return any() && reaches_device(name) && has(device());
  }
  // The result of a call that may have waited for commands. It does not return if it `waits` and the device
  // has died meanwhile.
  template <typename Result>
  Result outlive(bool waits, const std::string& device, Result result) {
    while (waits && ends_nothing(device))
      pause();
    return result;
  }

  // Transfers and mappings that do not block return.
  template <typename... Arguments>
  static bool waits(std::string_view name, Arguments... arguments) {
    if constexpr (sizeof...(Arguments) > 2) {
      const auto blocking = std::get<2>(std::tuple(arguments...));
      if constexpr (std::is_same_v<decltype(blocking), const cl_bool>) {
        if (name.starts_with("clEnqueueRead") || name.starts_with("clEnqueueWrite") ||
            name.starts_with("clEnqueueMap"))
          return blocking == CL_TRUE;
      }
    }
    return name == "clFinish" || name == "clWaitForEvents";
  }

  // What a driver calls back, as long as the device is there.
  struct Callback {
    void(CL_CALLBACK* function)(cl_event, cl_int, void*);
    void* user_data;
    std::string device;
    static void CL_CALLBACK call(cl_event event, cl_int status, void* user_data) {
      const auto* const self = static_cast<Callback*>(user_data);
      if (!all().ends_nothing(self->device)) self->function(event, status, self->user_data);
      delete self;
    }
  };

private:
  // Whether such a call has to reach the device. The driver answers the others by itself.
  static bool reaches_device(std::string_view name) {
    if (name.starts_with("clEnqueue")) return true;
    for (const std::string_view other :
         {"clFlush", "clFinish", "clWaitForEvents", "clGetDeviceInfo", "clCreateContext",
          "clCreateCommandQueue", "clBuildProgram", "clCompileProgram", "clLinkProgram"}) {
      if (name == other) return true;
    }
    return false;
  }

  std::mutex mutex_;
  std::set<std::string> devices_;
  std::atomic<bool> any_{false};
  std::atomic<bool> strands_{false};
};

// clSetEventCallback.
template <typename Call, typename Function>
cl_int hear_while_alive(const std::string& device, Call call, cl_event event, cl_int type, Function function,
                        void* user_data) {
  auto* const callback = new Death::Callback{function, user_data, device};
  const cl_int status = call(event, type, Death::Callback::call, callback);
  if (status != CL_SUCCESS) delete callback;
  return status;
}

// clGetEventInfo, and calls with the same arguments: true if they were answered.
inline bool say_running(const std::string& device, cl_event, cl_uint what, size_t size, void* value,
                        size_t*) {
  if (what != CL_EVENT_COMMAND_EXECUTION_STATUS || size < sizeof(cl_int) ||
      !Death::all().ends_nothing(device))
    return false;
  *static_cast<cl_int*>(value) = CL_RUNNING;
  return true;
}

}  // namespace failing
