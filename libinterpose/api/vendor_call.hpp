// SPDX-License-Identifier: Apache-2.0
// Calls to the vendor: slots that a vendor's table may leave empty, and callbacks of the program. A vendor
// must not call these itself, since it may do so on any thread, inside its own locks (Rule 2 of
// docs/architecture.md).
#pragma once

#include "libinterpose/life/callback_thread.hpp"
#include "libinterpose/process.hpp"

#include <memory>

namespace mkmd::api {

// Calls a slot of the vendor's with `handle` as its first argument.
template <auto kSlot, typename Handle, typename... Args>
cl_int vendor_call(Handle handle, Args... args) {
  const auto slot = vendor::table(handle).*kSlot;
  return slot != nullptr ? slot(handle, args...) : CL_INVALID_OPERATION;
}

// The same for a slot that makes an object: what it made, or nothing and a code that is not CL_SUCCESS.
template <auto kSlot, typename Handle, typename... Args>
auto vendor_create(cl_int& code, Handle handle, Args... args) {
  using Made = decltype((vendor::table(handle).*kSlot)(handle, args..., &code));
  const auto slot = vendor::table(handle).*kSlot;
  code = CL_INVALID_OPERATION;
  vendor::Owned<Made> made;
  if (slot != nullptr) {
    code = CL_SUCCESS;
    made = vendor::Owned<Made>(slot(handle, args..., &code));
    if (!made && code == CL_SUCCESS) code = CL_OUT_OF_RESOURCES;
  }
  return made;
}

// A callback that comes once, when something ends. Give the vendor `function` and `data()`; forget it if that
// failed.
template <typename Handle>
class Farewell {
public:
  using Function = void(CL_CALLBACK*)(Handle, void*);

  Farewell(Handle ours, Function program_function, void* user_data)
      : call_(std::make_unique<Call>(ours, program_function, user_data)) {}

  static void CL_CALLBACK function(Handle, void* data) {
    const auto* call = static_cast<const Call*>(data);
    run_callback(
        [kept = std::shared_ptr<const Call>(call)] { kept->function(kept->handle, kept->user_data); });
  }
  void* data() { return call_.get(); }
  void taken() { (void)call_.release(); }

private:
  struct Call {
    Call(Handle h, Function f, void* u) : handle(h), function(f), user_data(u) {}
    Handle handle;
    Function function;
    void* user_data;
  };
  std::unique_ptr<Call> call_;
};

}  // namespace mkmd::api
