// SPDX-License-Identifier: Apache-2.0
// Kernel arguments that are pointers of the program's, whoever allocated what they point to.
#pragma once

#include <CL/cl.h>

namespace mkmd::api {

using SetPointer = cl_int(CL_API_CALL*)(cl_kernel, cl_uint, const void*);

// Calls the driver's function, which may be null. The kernel runs whole at home from then on.
cl_int set_pointer_argument(cl_kernel kernel, cl_uint index, const void* pointer, SetPointer of_driver);

}  // namespace mkmd::api
