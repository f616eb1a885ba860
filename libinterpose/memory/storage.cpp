// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/storage.hpp"

#include "libinterpose/setup/hardware.hpp"
#include "libinterpose/vendor/host_visible.hpp"
#include "libinterpose/vendor/silence.hpp"

namespace mkmd {

bool works_in_host_bytes(cl_context context) {
  return vendor::works_in_host_bytes(context);
}

Storage::Storage(Memory& memory, int domains, uint32_t of_home, Hardware& hardware, bool with_history)
    : regions(memory.size, domains, of_home), stand_in(memory.size), mapped(domains), root_(memory),
      hardware_(hardware), roots_(domains), host_bytes_(domains) {
  host_bytes_[0] = memory.visible_bytes.begin;
  if (with_history) history = std::make_unique<History>(memory.size, domains, of_home);
}

uint64_t Storage::next_version() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

Storage::~Storage() {
  for (size_t d = 1; d < roots_.size(); ++d) {
    if (!roots_[d]) continue;
    hardware_.release(static_cast<int>(d), root_.size);
    if (history) vendor::release_patiently(std::move(roots_[d]));
  }
}

vendor::Owned<cl_mem> Storage::make_in(int domain, cl_context domain_context) {
  cl_int error = CL_SUCCESS;
  if (image() != nullptr) return make_image(domain_context, *image(), error);
  if (regions.is_home(domain)) {
    host_bytes_[domain] = host_bytes_[0];
    return vendor::make_over(domain_context, host_bytes_[0], root_.size);
  }
  auto visible = vendor::make_host_visible(domain_context, CL_MEM_READ_WRITE, root_.size, nullptr);
  host_bytes_[domain] = visible.bytes;
  if (visible.buffer) return std::move(visible.buffer);
  return vendor::Owned<cl_mem>(
      vendor::table(domain_context)
          .clCreateBuffer(domain_context, CL_MEM_READ_WRITE, root_.size, nullptr, &error));
}

cl_mem Storage::in_domain(Memory& memory, int domain, cl_context domain_context) {
  if (domain == 0) return memory.native.get();
  vendor::Owned<cl_mem>& root = roots_[domain];
  if (!root) {
    if (!hardware_.allocate(domain, root_.size)) return nullptr;
    root = make_in(domain, domain_context);
    if (!root) {
      hardware_.release(domain, root_.size);
      return nullptr;
    }
  }
  if (memory.origin == 0 && memory.size == root_.size) return root.get();
  memory.elsewhere.resize(roots_.size());
  vendor::Owned<cl_mem>& part = memory.elsewhere[domain];
  if (!part) {
    cl_int error = CL_SUCCESS;
    const cl_buffer_region region{memory.origin, memory.size};
    part = vendor::Owned<cl_mem>(
        vendor::table(root.get())
            .clCreateSubBuffer(root.get(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
  }
  return part.get();
}

}  // namespace mkmd
