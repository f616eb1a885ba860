// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mkmd::tool {

// The folder that holds libinterpose.so: in the build tree or where it is installed. Empty if it is in
// neither.
std::string library_folder();
// The folder of a program that belongs to this command (mkmd-simulate, mkmd-kc). Empty if the program is in
// neither.
std::string program_folder(const char* program);
// The compiler helper: the one that MKMD_KC names, or else this command's own. Empty if there is none.
std::string helper_place();

}  // namespace mkmd::tool
