// SPDX-License-Identifier: Apache-2.0
// The entries of the compiler's cache as files: only our own are believed (common/own_files.hpp), and all
// together never take more than a bound. What is in an entry and when it answers a request is the client's
// matter.
#pragma once

#include "common/status.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace mkmd::compiler {

inline constexpr uint64_t kMostCacheBytes = uint64_t{256} << 20;

// The bytes of an entry of at most `most` bytes, which has now been used.
Result<std::string> read_entry(const std::string& path, uint64_t most = kMostCacheBytes);

// Keeps an entry. From time to time it checks whether the folder holds more than `most` bytes. If it does,
// the least recently used entries are removed until a quarter of the bound is free. Any process may do this
// at any moment. A process that is reading an entry keeps it open. One that comes later has the program
// compiled again.
Status write_entry(const std::string& path, std::string_view bytes, uint64_t most = kMostCacheBytes);

}  // namespace mkmd::compiler
