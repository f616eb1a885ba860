// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory passes through: the memory is the home's, and kernels that use it run whole there.
#include "libinterpose/api/commands/touched_memories.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/objects/shared_virtual.hpp"

namespace mkmd::api {

namespace {

// clEnqueueSVMFree with a function of the program's, which is told its own queue.
struct FreeCall {
  Ref<Queue> queue;
  void(CL_CALLBACK* function)(cl_command_queue, cl_uint, void*[], void*);
  void* user_data;

  static void CL_CALLBACK call(cl_command_queue, cl_uint count, void* pointers[], void* data) {
    const std::unique_ptr<const FreeCall> call(static_cast<const FreeCall*>(data));
    // At once: the command is complete only when the memory is free.
    call->function(call->queue->handle(), count, pointers, call->user_data);
  }
};

}  // namespace

void* SVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return nullptr;
  const auto slot = vendor::table(ours->native.get()).clSVMAlloc;
  void* const made = slot != nullptr ? slot(ours->native.get(), flags, size, alignment) : nullptr;
  if (made != nullptr) remember_shared_virtual(made, size);
  return made;
}

void SVMFree(cl_context context, void* svm_pointer) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return;
  forget_shared_virtual(svm_pointer);
  if (const auto slot = vendor::table(ours->native.get()).clSVMFree; slot != nullptr) {
    slot(ours->native.get(), svm_pointer);
  }
}

cl_int EnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void* svm_pointers[],
                      void(CL_CALLBACK* pfn_free_func)(cl_command_queue, cl_uint, void*[], void*),
                      void* user_data, cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                      cl_event* event) {
  return enqueue_pointers(
      command_queue, CL_COMMAND_SVM_FREE, {num_events_in_wait_list, event_wait_list}, event, false,
      [&](const NativeCall& n) {
        if (pfn_free_func == nullptr) {
          for (cl_uint i = 0; svm_pointers != nullptr && i < num_svm_pointers; ++i)
            forget_shared_virtual(svm_pointers[i]);
          return vendor_call<&cl_icd_dispatch::clEnqueueSVMFree>(
              n.queue, num_svm_pointers, svm_pointers, nullptr, nullptr, n.wait_count, n.waits, n.event);
        }
        Ref<Queue> queue(object_cast<Queue>(command_queue));
        std::unique_ptr<FreeCall> call(new FreeCall{std::move(queue), pfn_free_func, user_data});
        // The function may wait for what the program does next.
        const cl_int error = enqueue_waiting(*call->queue, true, n, [&](const NativeCall& with_event) {
          return vendor_call<&cl_icd_dispatch::clEnqueueSVMFree>(
              n.queue, num_svm_pointers, svm_pointers, &FreeCall::call, static_cast<void*>(call.get()),
              n.wait_count, n.waits, with_event.event);
        });
        if (error == CL_SUCCESS) (void)call.release();
        return error;
      });
}

cl_int EnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void* dst_ptr,
                        const void* src_ptr, size_t size, cl_uint num_events_in_wait_list,
                        const cl_event* event_wait_list, cl_event* event) {
  return enqueue_pointers(command_queue, CL_COMMAND_SVM_MEMCPY, {num_events_in_wait_list, event_wait_list},
                          event, blocking_copy != CL_FALSE, [&](const NativeCall& n) {
                            return vendor_call<&cl_icd_dispatch::clEnqueueSVMMemcpy>(
                                n.queue, CL_FALSE, dst_ptr, src_ptr, size, n.wait_count, n.waits, n.event);
                          });
}

cl_int EnqueueSVMMemFill(cl_command_queue command_queue, void* svm_ptr, const void* pattern,
                         size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                         const cl_event* event_wait_list, cl_event* event) {
  return enqueue_pointers(command_queue, CL_COMMAND_SVM_MEMFILL, {num_events_in_wait_list, event_wait_list},
                          event, false, [&](const NativeCall& n) {
                            return vendor_call<&cl_icd_dispatch::clEnqueueSVMMemFill>(
                                n.queue, svm_ptr, pattern, pattern_size, size, n.wait_count, n.waits,
                                n.event);
                          });
}

cl_int EnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags, void* svm_ptr,
                     size_t size, cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                     cl_event* event) {
  return enqueue_pointers(command_queue, CL_COMMAND_SVM_MAP, {num_events_in_wait_list, event_wait_list},
                          event, blocking_map != CL_FALSE, [&](const NativeCall& n) {
                            return vendor_call<&cl_icd_dispatch::clEnqueueSVMMap>(
                                n.queue, CL_FALSE, flags, svm_ptr, size, n.wait_count, n.waits, n.event);
                          });
}

cl_int EnqueueSVMUnmap(cl_command_queue command_queue, void* svm_ptr, cl_uint num_events_in_wait_list,
                       const cl_event* event_wait_list, cl_event* event) {
  return enqueue_pointers(command_queue, CL_COMMAND_SVM_UNMAP, {num_events_in_wait_list, event_wait_list},
                          event, false, [&](const NativeCall& n) {
                            return vendor_call<&cl_icd_dispatch::clEnqueueSVMUnmap>(
                                n.queue, svm_ptr, n.wait_count, n.waits, n.event);
                          });
}

cl_int EnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                            const void** svm_pointers, const size_t* sizes, cl_mem_migration_flags flags,
                            cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                            cl_event* event) {
  return enqueue_pointers(command_queue, CL_COMMAND_SVM_MIGRATE_MEM,
                          {num_events_in_wait_list, event_wait_list}, event, false, [&](const NativeCall& n) {
                            return vendor_call<&cl_icd_dispatch::clEnqueueSVMMigrateMem>(
                                n.queue, num_svm_pointers, svm_pointers, sizes, flags, n.wait_count, n.waits,
                                n.event);
                          });
}

}  // namespace mkmd::api
