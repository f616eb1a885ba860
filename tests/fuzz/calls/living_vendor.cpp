// SPDX-License-Identifier: Apache-2.0
// The library $POCL, which knows to which of its objects the process holds references, and by which call each
// was made. Sub-devices, SVM memory and command buffers count as objects. The process can ask (living.hpp).
// Whoever uses an object after giving back the last reference is named at once.
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "living.hpp"
#include "tests/common/in_front_of_pocl.hpp"

#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <unistd.h>
#include <unordered_map>

namespace {

cl_icd_dispatch original;
std::atomic<size_t> faults{0};

struct Object {
  const char* made_by;
  int64_t references;
  bool was_there;  // when the process said that it begins
};

// Several maps, so that threads seldom wait for each other: they should meet as they would without us.
struct Shelf {
  std::mutex mutex;
  std::unordered_map<const void*, Object> objects;
};

// Never destroyed: programs call OpenCL while the process exits, too.
std::array<Shelf, 64>& shelves() {
  static auto& all = *new std::array<Shelf, 64>;
  return all;
}

Shelf& shelf_of(const void* object) {
  return shelves()[(reinterpret_cast<uintptr_t>(object) >> 4) * 0x9E3779B97F4A7C15u >> 58];
}

void misused(const char* call, const void* object) {
  faults.fetch_add(1);
  std::fprintf(stderr, "FAULT %s got %p, of which no reference is held\n", call, object);
}

void add(const char* call, const void* object) {
  if (object == nullptr) return;
  Shelf& shelf = shelf_of(object);
  const std::lock_guard lock(shelf.mutex);
  ++shelf.objects.try_emplace(object, Object{call, 0, false}).first->second.references;
}

void retain(const char* call, const void* object) {
  Shelf& shelf = shelf_of(object);
  const std::lock_guard lock(shelf.mutex);
  const auto known = shelf.objects.find(object);
  if (known == shelf.objects.end()) return misused(call, object);
  ++known->second.references;
}

// Before the call: when it returns the same address may be another object's.
void give_back(const char* call, const void* object) {
  if (object == nullptr) return;
  Shelf& shelf = shelf_of(object);
  const std::lock_guard lock(shelf.mutex);
  const auto known = shelf.objects.find(object);
  if (known == shelf.objects.end()) return misused(call, object);
  if (--known->second.references == 0) shelf.objects.erase(known);
}

void expect(const char* call, const void* object) {
  if (object == nullptr) return;
  Shelf& shelf = shelf_of(object);
  const std::lock_guard lock(shelf.mutex);
  if (shelf.objects.find(object) == shelf.objects.end()) misused(call, object);
}

template <typename T, typename... Others>
constexpr bool kIsOneOf = (std::is_same_v<T, Others> || ...);
// Whole devices and platforms are nobody's.
template <typename T>
constexpr bool kIsHandle = kIsOneOf<T, cl_context, cl_command_queue, cl_mem, cl_program, cl_kernel, cl_event,
                                    cl_sampler, cl_command_buffer_khr>;
template <typename T>
constexpr bool kIsList = std::is_pointer_v<T>&& std::is_const_v<std::remove_pointer_t<T>>&&
    kIsHandle<std::remove_cv_t<std::remove_pointer_t<T>>>;

inline void expect_all(const char*) {}

template <typename First, typename... Rest>
void expect_all(const char* call, First first, Rest... rest) {
  if constexpr (kIsHandle<First>) expect(call, first);
  if constexpr (sizeof...(Rest) > 0 && std::is_same_v<First, cl_uint>) {
    const auto second = std::get<0>(std::tuple(rest...));
    if constexpr (kIsList<std::remove_const_t<decltype(second)>>) {
      for (cl_uint i = 0; second != nullptr && i < first; ++i)
        expect(call, second[i]);
    }
  }
  expect_all(call, rest...);
}

enum class Does { other, retains, releases };

constexpr bool begins_with(const char* text, const char* with) {
  return *with == 0 || (*text == *with && begins_with(text + 1, with + 1));
}

constexpr Does what_does(const char* name) {
  if (begins_with(name, "clRetain")) return Does::retains;
  return begins_with(name, "clRelease") ? Does::releases : Does::other;
}

constexpr const char* kNames[] = {
#define VENDOR_CALL(name) #name,
#include "tests/fault/vendor_calls.inc"
#undef VENDOR_CALL
};

enum Number {
#define VENDOR_CALL(name) number_of_##name,
#include "tests/fault/vendor_calls.inc"
#undef VENDOR_CALL
};

// What the call has made, after it.
template <typename Result, typename... Arguments>
void add_made(int number, Result result, Arguments... arguments) {
  const char* const name = kNames[number];
  if constexpr (kIsHandle<Result>) add(name, result);
  auto add_event = [&](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), cl_event*>) {
      if (argument != nullptr) add(name, *argument);
    }
  };
  if constexpr (std::is_same_v<Result, cl_int>) {
    if (result == CL_SUCCESS) (add_event(arguments), ...);
  } else if constexpr (std::is_same_v<Result, void*>) {
    if (result != nullptr) (add_event(arguments), ...);
  }
}

void add_kernels(cl_int result, cl_program program, cl_uint, cl_kernel* kernels, cl_uint*) {
  if (result != CL_SUCCESS || kernels == nullptr) return;
  cl_uint made = 0;
  original.clCreateKernelsInProgram(program, 0, nullptr, &made);
  for (cl_uint i = 0; i < made; ++i)
    add(kNames[number_of_clCreateKernelsInProgram], kernels[i]);
}

void add_devices(cl_int result, cl_device_id device, const cl_device_partition_property* properties, cl_uint,
                 cl_device_id* devices, cl_uint*) {
  if (result != CL_SUCCESS || devices == nullptr) return;
  cl_uint made = 0;
  original.clCreateSubDevices(device, properties, 0, nullptr, &made);
  for (cl_uint i = 0; i < made; ++i)
    add(kNames[number_of_clCreateSubDevices], devices[i]);
}

void* counted_extension(const char* name, void* function);

template <auto Slot, int kNumber, typename Function>
struct Call;

template <auto Slot, int kNumber, typename Result, typename... Arguments>
struct Call<Slot, kNumber, Result (*)(Arguments...)> {
  static Result CL_API_CALL make(Arguments... arguments) {
    constexpr const char* kName = kNames[kNumber];
    constexpr Does kDoes = what_does(kName);
    if constexpr (kDoes == Does::releases) {
      give_back_all(arguments...);
      return (original.*Slot)(arguments...);
    } else if constexpr (kDoes == Does::retains) {
      const Result result = (original.*Slot)(arguments...);
      if (result == CL_SUCCESS) retain_all(arguments...);
      return result;
    } else if constexpr (kNumber == number_of_clSVMFree) {
      give_back_memory(arguments...);
      (original.*Slot)(arguments...);
    } else {
      expect_all(kName, arguments...);
      if constexpr (kNumber == number_of_clEnqueueSVMFree) free_all(arguments...);
      const Result result = (original.*Slot)(arguments...);
      if constexpr (kNumber == number_of_clCreateKernelsInProgram) add_kernels(result, arguments...);
      if constexpr (kNumber == number_of_clCreateSubDevices) add_devices(result, arguments...);
      if constexpr (kNumber == number_of_clSVMAlloc) add(kName, result);
      if constexpr (kNumber == number_of_clGetExtensionFunctionAddressForPlatform)
        return counted_extension(std::get<1>(std::tuple(arguments...)), result);
      add_made(kNumber, result, arguments...);
      return result;
    }
  }

private:
  template <typename Handle>
  static bool is_known(Handle object) {
    if constexpr (std::is_same_v<Handle, cl_device_id>) {
      Shelf& shelf = shelf_of(object);
      const std::lock_guard lock(shelf.mutex);
      return shelf.objects.find(object) != shelf.objects.end();
    }
    return true;
  }
  template <typename Handle>
  static void retain_all(Handle object) {
    if (is_known(object)) retain(kNames[kNumber], object);
  }
  template <typename Handle>
  static void give_back_all(Handle object) {
    if (is_known(object)) give_back(kNames[kNumber], object);
  }
  static void give_back_memory(cl_context context, void* memory) {
    expect(kNames[kNumber], context);
    give_back(kNames[kNumber], memory);
  }
  template <typename... More>
  static void free_all(cl_command_queue, cl_uint count, void* memories[], More...) {
    for (cl_uint i = 0; memories != nullptr && i < count; ++i)
      give_back(kNames[kNumber], memories[i]);
  }
};

// Command buffers are no part of the table.
clCreateCommandBufferKHR_fn create_buffer;
clRetainCommandBufferKHR_fn retain_buffer;
clReleaseCommandBufferKHR_fn release_buffer;
clEnqueueCommandBufferKHR_fn enqueue_buffer;

cl_command_buffer_khr CL_API_CALL counted_create(cl_uint count, const cl_command_queue* queues,
                                                 const cl_command_buffer_properties_khr* properties,
                                                 cl_int* error) {
  constexpr const char* kName = "clCreateCommandBufferKHR";
  expect_all(kName, count, queues);
  const cl_command_buffer_khr made = create_buffer(count, queues, properties, error);
  add(kName, made);
  return made;
}

cl_int CL_API_CALL counted_retain(cl_command_buffer_khr buffer) {
  const cl_int result = retain_buffer(buffer);
  if (result == CL_SUCCESS) retain("clRetainCommandBufferKHR", buffer);
  return result;
}

cl_int CL_API_CALL counted_release(cl_command_buffer_khr buffer) {
  give_back("clReleaseCommandBufferKHR", buffer);
  return release_buffer(buffer);
}

cl_int CL_API_CALL counted_enqueue(cl_uint count, cl_command_queue* queues, cl_command_buffer_khr buffer,
                                   cl_uint wait_count, const cl_event* waits, cl_event* event) {
  constexpr const char* kName = "clEnqueueCommandBufferKHR";
  expect_all(kName, count, static_cast<const cl_command_queue*>(queues), buffer, wait_count, waits);
  const cl_int result = enqueue_buffer(count, queues, buffer, wait_count, waits, event);
  if (result == CL_SUCCESS && event != nullptr) add(kName, *event);
  return result;
}

template <typename Function>
void* instead(Function& plain, void* function, Function counted) {
  if (function == nullptr) return nullptr;
  plain = reinterpret_cast<Function>(function);
  return reinterpret_cast<void*>(counted);
}

void* counted_extension(const char* name, void* function) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::string wanted = name;
  if (wanted == "clCreateCommandBufferKHR") return instead(create_buffer, function, &counted_create);
  if (wanted == "clRetainCommandBufferKHR") return instead(retain_buffer, function, &counted_retain);
  if (wanted == "clReleaseCommandBufferKHR") return instead(release_buffer, function, &counted_release);
  if (wanted == "clEnqueueCommandBufferKHR") return instead(enqueue_buffer, function, &counted_enqueue);
  return function;
}

void patch(cl_icd_dispatch& table) {
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return;
  original = table;
  in_front::make_writable(table);
#define VENDOR_CALL(name)                                                                                    \
  if (table.name != nullptr)                                                                                 \
    table.name = Call<&cl_icd_dispatch::name, number_of_##name, decltype(cl_icd_dispatch::name)>::make;
#include "tests/fault/vendor_calls.inc"
#undef VENDOR_CALL
}

}  // namespace

#define SHOWN extern "C" __attribute__((visibility("default")))

SHOWN void living_begin() {
  for (Shelf& shelf : shelves()) {
    const std::lock_guard lock(shelf.mutex);
    for (auto& [address, object] : shelf.objects)
      object.was_there = true;
  }
}

SHOWN size_t living_objects(char* text, size_t size) {
  std::map<std::string, size_t> made_by;
  size_t count = 0;
  for (Shelf& shelf : shelves()) {
    const std::lock_guard lock(shelf.mutex);
    for (const auto& [address, object] : shelf.objects) {
      if (object.was_there) continue;
      ++count;
      ++made_by[object.made_by];
    }
  }
  std::string all;
  for (const auto& [call, objects] : made_by)
    all += (all.empty() ? "" : ", ") + std::to_string(objects) + " of " + call;
  std::snprintf(text, size, "%s", all.c_str());
  return count;
}

SHOWN size_t living_faults() {
  return faults.load();
}

SHOWN cl_int clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id* ids, cl_uint* count) {
  using Get = cl_int (*)(cl_uint, cl_platform_id*, cl_uint*);
  const cl_int status = in_front::of_pocl<Get>("clIcdGetPlatformIDsKHR")(entries, ids, count);
  if (status == CL_SUCCESS && ids != nullptr) patch(**reinterpret_cast<cl_icd_dispatch**>(ids[0]));
  return status;
}

SHOWN void* clGetExtensionFunctionAddress(const char* name) {
  if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0)  // some loaders ask for it here
    return reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR);
  return counted_extension(name, in_front::of_pocl<void*>(name));
}
