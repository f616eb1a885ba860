// SPDX-License-Identifier: Apache-2.0
#include "tools/inspect/advice.hpp"

namespace mkmd::inspect {

namespace {

// `part`: of the reason's text. The first row that fits counts.
struct Advice {
  std::string_view part, text;
};
constexpr Advice kAdvice[] = {
    {"a compiler may compute some of its floating-point numbers",
     "pass the constant factors on this line as arguments of the kernel"},
    {"the result of an atomic operation on global memory is used",
     "give each work-item a place that follows from its id, or from a prefix sum of an earlier kernel"},
    {"depends on the order of work-items", "use integer atomics whose order does not matter, such as "
                                           "atomic_add or atomic_max, and ignore their result"},
    {"update the same bytes, and a device that does so may be lost",
     "add up in each work-group, and let a second kernel add up the sums"},
    {"its work-groups touch the same",
     "write to another buffer than the one that is read, at places that follow from the work-item's id"},
    {"it may write anywhere",
     "write at places that follow from the work-item's id, or from an integer buffer"},
    {"may read anywhere in it", "write to another buffer than the one that is read"},
    {"what its index buffers hold was not known",
     "fill the index buffers earlier, without CL_MEM_USE_HOST_PTR, and do not change them between launches"},
    {"it has one work-group", "use more work-items, or a smaller local size"},
    {"printf", "remove printf, for example by a macro"},
    {"a program-scope variable", "pass the variable as a buffer"},
    {"it is not known which buffer is accessed",
     "pass the pointer as an argument, or keep indices in memory"},
    {"a pointer", "keep indices in memory, not pointers"},
    {"it may wait for what another command writes", "let the host wait, or an event"},
    {"a binary that MKMD has not seen", "let the program make this binary once more, under MKMD"},
    {"what it waits for is left to the driver",
     "give a local size that divides the global size, and set user events before the launch"},
    {"its code for pieces is being made", "MKMD_WAIT_FOR_CODE=1 makes launches wait for the code"},
};

}  // namespace

std::string advice_on(std::string_view reason) {
  for (const Advice& known : kAdvice)
    if (reason.find(known.part) != std::string_view::npos) return std::string(known.text);
  return {};
}

}  // namespace mkmd::inspect
