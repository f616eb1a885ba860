// SPDX-License-Identifier: Apache-2.0
// What a kernel's footprints mean for the buffers it was given.
#pragma once

#include "compiler/footprint.hpp"
#include "libinterpose/memory/buffer_use.hpp"
#include "libinterpose/objects/objects.hpp"

namespace mkmd {

// What work-groups with these footprints do to their buffers; null: anything may happen to every buffer.
BufferUses buffer_uses(const KernelArguments& arguments, const std::vector<compiler::Footprint>* footprints);

// Whether the device can have the images among a launch's arguments.
bool can_have_images(int device, const KernelArguments& arguments);
// A device other than the first of so many.
bool any_helper_can_have_images(size_t devices, const KernelArguments& arguments);

}  // namespace mkmd
