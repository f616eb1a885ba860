// SPDX-License-Identifier: Apache-2.0
// Kernel arguments. The vendor checks each and keeps it in its own kernel, ready for a launch at home. We
// keep it too, because other devices have memory objects of their own. An argument of the size of a handle
// is taken for one only if it is a live handle of ours (Rule 12 of docs/architecture.md).
#include "libinterpose/api/objects/kernel_arguments.hpp"

#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/objects/registry.hpp"

#include <cstring>

namespace mkmd::api {

namespace {

// The argument as we keep it, and what the vendor is given for it.
struct Translated {
  KernelArgument argument;
  const void* value;       // for the vendor
  void* handle = nullptr;  // where `value` points if it is a handle
};

// What our compiler, or else the vendor, knows of an argument.
enum class Expected { unknown, value, memory, local };

Expected expected(const Kernel& kernel, cl_uint index) {
  if (kernel.info() != nullptr && index < kernel.info()->arguments.size()) {
    switch (kernel.info()->arguments[index].kind) {
    case compiler::Argument::Kind::value:
      return Expected::value;
    case compiler::Argument::Kind::local:
      return Expected::local;
    case compiler::Argument::Kind::buffer:
    case compiler::Argument::Kind::constant_buffer:
    case compiler::Argument::Kind::image:
      return Expected::memory;
    default:
      return Expected::unknown;
    }
  }
  cl_kernel_arg_address_qualifier qualifier = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  vendor_call<&cl_icd_dispatch::clGetKernelArgInfo>(
      kernel.native.get(), index, cl_kernel_arg_info{CL_KERNEL_ARG_ADDRESS_QUALIFIER}, sizeof qualifier,
      static_cast<void*>(&qualifier), static_cast<size_t*>(nullptr));
  if (qualifier == CL_KERNEL_ARG_ADDRESS_LOCAL) return Expected::local;
  // Private ones may be values, samplers or queues.
  return qualifier == CL_KERNEL_ARG_ADDRESS_PRIVATE ? Expected::unknown : Expected::memory;
}

// Whether the vendor takes NULL, as for buffers alone (clSetKernelArg): not for a number that looks like one.
bool takes_null(const Kernel& kernel, cl_uint index) REQUIRES(kernel.mutex) {
  return vendor::table(kernel.native.get())
             .clSetKernelArg(kernel.native.get(), index, sizeof(cl_mem), nullptr) == CL_SUCCESS;
}

// The vendor's kernel may lose the argument, and gets it next.
void translate(const Kernel& kernel, cl_uint index, size_t size, const void* value, Translated& result)
    REQUIRES(kernel.mutex) {
  using Kind = KernelArgument::Kind;
  result.value = value;
  const auto keep_bytes = [&](Kind kind, const void* bytes) {
    const auto* begin = static_cast<const unsigned char*>(bytes);
    result.argument.kind = kind;
    result.argument.value.assign(begin, begin + size);
  };
  if (value != nullptr && size != sizeof(void*)) return keep_bytes(Kind::value, value);
  const Expected kind = expected(kernel, index);
  if (value == nullptr) {
    // A NULL buffer has two spellings.
    const bool local = kind == Expected::local || (kind == Expected::unknown && size != sizeof(void*));
    result.argument.kind = local ? Kind::local : Kind::memory;
    result.argument.local_size = local ? size : 0;
    return;
  }
  if (kind == Expected::value) return keep_bytes(Kind::value, value);
  void* candidate = nullptr;
  std::memcpy(&candidate, value, sizeof candidate);
  if (candidate == nullptr) {
    if (kind != Expected::memory) return keep_bytes(Kind::value, value);
    result.argument.kind = Kind::memory;
    return;
  }
  result.value = &result.handle;
  if (is_live_handle(candidate, ObjectType::memory)) {
    auto* memory = object_cast<Memory>(static_cast<cl_mem>(candidate));
    if (kind == Expected::unknown && memory->is_buffer && !takes_null(kernel, index)) {
      result.value = value;
      return keep_bytes(Kind::value, value);
    }
    result.handle = memory->native.get();
    result.argument.kind = Kind::memory;
    if (!memory->is_buffer) keep_bytes(Kind::image, &result.handle);
    result.argument.memory = Ref<Memory>(memory);
    memory->was_argument.store(true, std::memory_order_release);
  } else if (is_live_handle(candidate, ObjectType::sampler)) {
    result.argument.sampler = Ref<Sampler>(object_cast<Sampler>(static_cast<cl_sampler>(candidate)));
    result.handle = result.argument.sampler->native.get();
    keep_bytes(Kind::sampler, &result.handle);
  } else if (is_live_handle(candidate, ObjectType::queue)) {
    result.handle = object_cast<Queue>(static_cast<cl_command_queue>(candidate))->native.get();
    keep_bytes(Kind::other, &result.handle);
  } else {
    result.value = value;
    keep_bytes(Kind::value, value);
  }
}

bool equal(const KernelArgument& a, const KernelArgument& b) {
  return a.kind == b.kind && a.memory == b.memory && a.sampler == b.sampler && a.local_size == b.local_size &&
         a.value == b.value;
}

// How long a launch takes, and so whether it is worth dividing, does not depend on which buffer it names.
bool may_take_as_long(const KernelArgument& a, const KernelArgument& b) {
  const auto is_buffer = [](const KernelArgument& of) {
    return of.kind == KernelArgument::Kind::memory && of.memory;
  };
  return is_buffer(a) && is_buffer(b) && a.memory->size == b.memory->size;
}

// What is replaced goes to `old`, to be let go of without the mutex.
void store(Kernel& kernel, cl_uint index, KernelArgument& argument, std::shared_ptr<KernelArguments>& old)
    REQUIRES(kernel.mutex) {
  if (index >= kernel.arguments->size() || equal((*kernel.arguments)[index], argument)) return;
  if (kernel.arguments.use_count() > 1) {  // a captured launch has it
    old = kernel.arguments;
    kernel.arguments = std::make_shared<KernelArguments>(*old);
  } else {
    // Another thread may just have let go of it: counting up and down orders its last reading before our
    // writing.
    const std::shared_ptr<KernelArguments> order(kernel.arguments);
  }
  if (!may_take_as_long((*kernel.arguments)[index], argument)) ++kernel.arguments_version;
  std::swap((*kernel.arguments)[index], argument);
}

}  // namespace

cl_int SetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void* arg_value) {
  Kernel* ours = object_cast<Kernel>(kernel);
  if (ours == nullptr) return CL_INVALID_KERNEL;
  ours->take_up_analysis();
  Translated translated;
  std::shared_ptr<KernelArguments> old;  // before the lock: what is let go of goes after it
  const Lock lock(ours->mutex);
  translate(*ours, arg_index, arg_size, arg_value, translated);
  const cl_int error = vendor::table(ours->native.get())
                           .clSetKernelArg(ours->native.get(), arg_index, arg_size, translated.value);
  if (error == CL_SUCCESS) store(*ours, arg_index, translated.argument, old);
  return error;
}

cl_int set_pointer_argument(cl_kernel kernel, cl_uint index, const void* pointer, SetPointer of_driver) {
  Kernel* ours = object_cast<Kernel>(kernel);
  if (ours == nullptr) return CL_INVALID_KERNEL;
  if (of_driver == nullptr) return CL_INVALID_OPERATION;
  KernelArgument argument;
  argument.kind = KernelArgument::Kind::other;
  std::shared_ptr<KernelArguments> old;
  const Lock lock(ours->mutex);
  const cl_int error = of_driver(ours->native.get(), index, pointer);
  if (error == CL_SUCCESS) {
    ours->uses_svm = true;
    store(*ours, index, argument, old);
  }
  return error;
}

cl_int SetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void* arg_value) {
  const Kernel* ours = object_cast<Kernel>(kernel);
  if (ours == nullptr) return CL_INVALID_KERNEL;
  return set_pointer_argument(kernel, arg_index, arg_value,
                              vendor::table(ours->native.get()).clSetKernelArgSVMPointer);
}

cl_int SetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name, size_t param_value_size,
                         const void* param_value) {
  Kernel* ours = object_cast<Kernel>(kernel);
  if (ours == nullptr) return CL_INVALID_KERNEL;
  const Lock lock(ours->mutex);
  const cl_int error = vendor_call<&cl_icd_dispatch::clSetKernelExecInfo>(ours->native.get(), param_name,
                                                                          param_value_size, param_value);
  if (error == CL_SUCCESS) ours->uses_svm = true;
  return error;
}

}  // namespace mkmd::api
