// SPDX-License-Identifier: Apache-2.0
// The sub-commands of mkmd. Each gets the arguments after its name and gives the exit code.
#pragma once

#include <string>
#include <vector>

namespace mkmd::tool {

inline constexpr int kWrongUse = 2;

// One line on stderr, whatever is in it.
void say(const std::string& sentence);
// The same, and the exit code for a mistake in how mkmd was called.
int wrong_use(const std::string& sentence);
// A line each on stderr.
void print_notices(const std::vector<std::string>& notices);

int run(const std::vector<std::string>& arguments);
int profile(const std::vector<std::string>& arguments);
int verify(const std::vector<std::string>& arguments);
int models(const std::vector<std::string>& arguments);
int kernels(const std::vector<std::string>& arguments);
int devices(const std::vector<std::string>& arguments);
int help(const std::vector<std::string>& arguments);
int version(const std::vector<std::string>& arguments);

}  // namespace mkmd::tool
