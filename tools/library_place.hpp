// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mkmd::tool {

// The folder that holds libinterpose.so: in the build tree or where it is installed. Empty if it is in
// neither.
std::string library_folder();
// The folder of mkmd-simulate, which `mkmd simulate` becomes; empty if it is not there.
std::string program_folder();

}  // namespace mkmd::tool
