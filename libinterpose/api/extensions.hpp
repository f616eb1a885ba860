// SPDX-License-Identifier: Apache-2.0
// Extensions of the home that bring functions. Such functions take our handles, which only we understand.
// Some of these functions are ours. The extensions of the others are left out of every answer, so that no
// program asks for them.
#pragma once

#include <CL/cl.h>

#include <string>
#include <string_view>
#include <vector>

namespace mkmd::api {

bool is_served(std::string_view extension);
std::string served_only(const std::string& extensions);
std::vector<cl_name_version> served_only(std::vector<cl_name_version> extensions);

// A function of an extension (or of the loader) that we serve, or null.
void* extension_function(const char* name);

}  // namespace mkmd::api
