// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/door.hpp"

#include "common/log.hpp"

#include <cxxabi.h>
#include <exception>
#include <new>

namespace mkmd::door {

namespace {
void log_noexcept(const char* what) noexcept {
  try {
    log(LogLevel::error, std::string("internal error: ") + what);
  } catch (...) {  // no memory for the line either
  }
}
}  // namespace

cl_int caught() {
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    throw;  // the thread is being cancelled: that is the program's wish, and may not be stopped
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  } catch (const std::exception& exception) {
    log_noexcept(exception.what());
  } catch (...) {
    log_noexcept("unknown exception");
  }
  return CL_OUT_OF_RESOURCES;
}

}  // namespace mkmd::door
