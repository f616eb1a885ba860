// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace mkmd::fake {

// Large ones are calibration's. Nobody reads them, and their pages take more time than all else in the tests.
// So they are mapped: the heap would clear them when it gives them out again.
inline std::shared_ptr<unsigned char> new_bytes(size_t size) {
  constexpr size_t kLarge = 1 << 20;
  if (size < kLarge) {
    std::shared_ptr<unsigned char> bytes(new unsigned char[size], std::default_delete<unsigned char[]>());
    std::memset(bytes.get(), 0xCD, size);
    return bytes;
  }
  void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<unsigned char*>(pages), [size](unsigned char* mapped) { munmap(mapped, size); }};
}

}  // namespace mkmd::fake
