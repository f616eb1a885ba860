// SPDX-License-Identifier: Apache-2.0
// What a kernel's footprints mean for the buffers it was given.
#pragma once

#include "compiler/footprint.hpp"
#include "libinterpose/memory/buffer_use.hpp"
#include "libinterpose/objects/objects.hpp"

namespace mkmd {

// What work-groups with these footprints do to their buffers; null: anything may happen to every buffer.
BufferUses buffer_uses(const KernelArguments& arguments, const std::vector<compiler::Footprint>* footprints);

}  // namespace mkmd
