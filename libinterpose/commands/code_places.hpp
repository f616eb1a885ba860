// SPDX-License-Identifier: Apache-2.0
// Where sub-kernels are built. Lanes of one place run the same program; some drivers can have only so many of
// them run it at the same time (vendor::queues_of_a_program).
#pragma once

#include "libinterpose/setup/configuration.hpp"

#include <string>
#include <vector>

namespace mkmd {

class Lane;

struct CodePlace {
  cl_context context = nullptr;
  std::string options;    // what tells this copy of the code from others, to the driver
  std::string devices;    // whose code it is, as the user names them
  bool by_offset = true;  // pieces are launched with a global offset (Lane::Code::by_offset)

  bool operator==(const CodePlace& other) const {
    return context == other.context && options == other.options;
  }
};

// Of a runtime.
struct CodePlaces {
  std::vector<CodePlace> all;     // by Lane::Code::place
  std::vector<size_t> of_device;  // the place of each device
};

// The options of a lane's code, and how the lane launches it. `copy` is empty or tells its code from others.
std::string choose_code(Lane& lane, cl_platform_id platform, const std::string& copy);

// Gives each of a runtime's lanes that compute its place. `home` is the whole of other lanes' devices, or
// null: they do not run while it does. Copies are the process's, since drivers do not tell contexts apart
// either.
CodePlaces place_code(const Configuration& configuration, const std::vector<Lane*>& lanes, const Lane* home,
                      size_t runtime);

}  // namespace mkmd
