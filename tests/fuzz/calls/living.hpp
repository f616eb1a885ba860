// SPDX-License-Identifier: Apache-2.0
// What living_vendor.cpp tells the process that it is loaded into.
#pragma once

#include <cstddef>

extern "C" {
// What lives now is nobody's business.
void living_begin();
// How many objects came to live since, and still do; `text` says by which calls they were made.
size_t living_objects(char* text, size_t size);
// How often a call got an object of which no reference was held.
size_t living_faults();
}
