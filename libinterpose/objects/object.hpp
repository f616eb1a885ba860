// SPDX-License-Identifier: Apache-2.0
// What every handle we give to a program has in common. It begins with the ICD dispatch pointer
// (cl_khr_icd), says its type, and counts references. The program's references (clRetain*, clRelease*) are
// counted apart from ours. So an object released in flight lives until its last command is done, and
// CL_*_REFERENCE_COUNT tells the truth.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace mkmd {

extern const cl_icd_dispatch dispatch_table;  // ours; made by api/

enum class ObjectType : uint32_t {
  platform = 0x4d4b0001,
  device,
  context,
  queue,
  memory,
  sampler,
  program,
  kernel,
  event,
  command_buffer
};

// The first bytes of every handle. Objects have no virtual functions: a vtable would come before the dispatch
// pointer.
struct ObjectHeader {
  const cl_icd_dispatch* dispatch;
  ObjectType type;
};

template <typename Derived, ObjectType kType, typename ClHandle>
class Object : public ObjectHeader {
public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  static constexpr ObjectType kObjectType = kType;
  using Handle = ClHandle;

  Handle handle() { return reinterpret_cast<Handle>(static_cast<ObjectHeader*>(this)); }
  cl_uint program_references() const { return program_references_.load(std::memory_order_relaxed); }

  // The program's references; a new object has one.
  void program_retain() {
    program_references_.fetch_add(1, std::memory_order_relaxed);
    retain();
  }
  void program_release() {
    program_leave();
    release();
  }
  // The same, but for release(): how many references the program had. With none, nothing is given back.
  cl_uint program_leave() {
    cl_uint had = program_references_.load(std::memory_order_relaxed);
    while (had > 0 && !program_references_.compare_exchange_weak(had, had - 1, std::memory_order_acq_rel)) {
    }
    return had;
  }
  // All references, the program's and ours; the object goes with the last.
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  // False for an object whose destructor another thread has begun.
  bool retain_if_alive() {
    uint32_t count = references_.load(std::memory_order_relaxed);
    while (count > 0 && !references_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) {
    }
    return count > 0;
  }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete static_cast<Derived*>(this);
  }

protected:
  Object() : ObjectHeader{&dispatch_table, kType} {}
  ~Object() = default;

private:
  std::atomic<cl_uint> program_references_{1};
  std::atomic<uint32_t> references_{1};
};

// Holds one of our own references.
template <typename T>
class Ref {
public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref& other) const { return object_ == other.object_; }

private:
  T* object_ = nullptr;
};

// The object behind a handle of the program's, or null if it is none of ours or of another type.
template <typename T>
T* object_cast(typename T::Handle handle) {
  auto* header = reinterpret_cast<ObjectHeader*>(handle);
  if (header == nullptr || header->dispatch != &dispatch_table || header->type != T::kObjectType)
    return nullptr;
  return static_cast<T*>(header);
}

}  // namespace mkmd
