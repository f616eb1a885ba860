// SPDX-License-Identifier: Apache-2.0
// What a kernel's footprints mean for the buffers it was given.
#pragma once

#include "compiler/footprint.hpp"
#include "compiler/groups_apart.hpp"
#include "libinterpose/memory/buffer_use.hpp"
#include "libinterpose/memory/inspection.hpp"
#include "libinterpose/objects/objects.hpp"

namespace mkmd {

// What work-groups with these footprints do to their buffers; null: anything may happen to every buffer.
BufferUses buffer_uses(const KernelArguments& arguments, const std::vector<compiler::Footprint>* footprints);
// Tells uses by the work-groups in the box apart from others' by what was shown of the launch.
void tell_apart(BufferUses& uses, const Inspection& shown, const compiler::GroupBox& box, size_t most_blocks);

// Which buffers the arguments lead to, for compiler/groups_apart.hpp; contents are not set.
std::vector<compiler::Target> targets_of(const KernelArguments& arguments);
// The root buffers that it knows by these numbers.
std::vector<Memory*> roots_of(const KernelArguments& arguments, const std::vector<uint64_t>& numbers);

// Whether the device can have the images among a launch's arguments.
bool can_have_images(int device, const KernelArguments& arguments);
// A device other than the first of so many.
bool any_helper_can_have_images(size_t devices, const KernelArguments& arguments);

}  // namespace mkmd
