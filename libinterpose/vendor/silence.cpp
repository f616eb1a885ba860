// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/silence.hpp"

#include "common/thread_annotations.hpp"
#include "libinterpose/vendor/patience.hpp"

#include <algorithm>
#include <memory>

namespace mkmd::vendor {

namespace {

struct InUse {
  Mutex mutex;  // a leaf
  std::vector<cl_device_id> devices GUARDED_BY(mutex);
  static InUse& all() {
    static auto* const all = new InUse;
    return *all;
  }
};

bool driver_has_lost_another(cl_device_id device) {
  std::vector<cl_device_id> devices;
  {
    InUse& in_use = InUse::all();
    const Lock lock(in_use.mutex);
    devices = in_use.devices;
  }
  return std::any_of(devices.begin(), devices.end(), [&](cl_device_id other) {
    return other != device && &table(other) == &table(device) &&
           (is_late(other) || device_value<cl_bool>(other, CL_DEVICE_AVAILABLE) != CL_TRUE);
  });
}

// It is no command: that would wait for those that are under way. An error is an answer, too.
void make_queue(cl_context context, cl_device_id device) {
  cl_int status = CL_SUCCESS;
  const Owned queue(table(context).clCreateCommandQueue(context, device, 0, &status));
}

void make_context_and_queue(cl_device_id device) {
  const auto& calls = table(device);
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM,
      reinterpret_cast<cl_context_properties>(device_value<cl_platform_id>(device, CL_DEVICE_PLATFORM)), 0};
  cl_int status = CL_SUCCESS;
  const Owned context(calls.clCreateContext(properties, 1, &device, nullptr, nullptr, &status));
  if (context) make_queue(context.get(), device);
}

}  // namespace

void set_in_use(std::vector<cl_device_id> devices) {
  InUse& in_use = InUse::all();
  const Lock lock(in_use.mutex);
  in_use.devices = std::move(devices);
}

bool is_silent(cl_device_id device) {
  if (is_late(device)) return true;
  return driver_has_lost_another(device) &&
         !returns_in_time(device, [device] { make_context_and_queue(device); });
}

bool is_silent(cl_command_queue queue) {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  const auto& calls = table(queue);
  calls.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  calls.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  if (context == nullptr || device == nullptr) return true;
  if (!driver_has_lost_another(device)) return false;  // a release that takes long is no loss
  const auto kept = std::make_shared<Owned<cl_context>>(retained(context));
  return !returns_in_time(context, [kept, device] { make_queue(kept->get(), device); });
}

void release_patiently(Owned<cl_mem> memory) {
  if (!memory || is_gone(table(memory.get()))) return;
  cl_context context = nullptr;
  table(memory.get()).clGetMemObjectInfo(memory.get(), CL_MEM_CONTEXT, sizeof context, &context, nullptr);
  auto* const kept = new Owned(std::move(memory));  // for ever, where earlier ones are not released yet
  returns_in_time(context, [kept] { delete kept; });
}

void never_release(const std::vector<const cl_icd_dispatch*>& drivers) {
  const std::vector<const cl_icd_dispatch*>* before = gone.load();
  for (;;) {
    auto* const all = new std::vector<const cl_icd_dispatch*>(drivers);
    if (before != nullptr) all->insert(all->end(), before->begin(), before->end());
    if (gone.compare_exchange_strong(before, all)) return;  // somebody may still read the list before
    delete all;
  }
}

}  // namespace mkmd::vendor
