// SPDX-License-Identifier: Apache-2.0
// How objects begin and end. Members release what they own; what is written here is what has to be known
// elsewhere.
#include "libinterpose/objects/objects.hpp"

#include "libinterpose/objects/registry.hpp"

#include <algorithm>
#include <utility>

namespace mkmd {

namespace {

clGetKernelSuggestedLocalWorkSizeKHR_fn suggested_local_size_of(cl_device_id device) {
  if (!vendor::has_extension(device, "cl_khr_suggested_local_work_size")) return nullptr;
  const auto platform = vendor::device_value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  if (platform == nullptr) return nullptr;
  return reinterpret_cast<clGetKernelSuggestedLocalWorkSizeKHR_fn>(
      vendor::extension_function(platform, "clGetKernelSuggestedLocalWorkSizeKHR"));
}

}  // namespace

Device::Device(Platform* platform, cl_device_id home, bool is_virtual, Device* parent)
    : platform(platform), home(home), is_virtual(is_virtual), parent(parent),
      suggested_local_size(suggested_local_size_of(home)) {}

Device::~Device() {
  // A sub-device the program made is the vendor's, with one reference that is ours.
  if (!is_virtual) vendor::release(home);
}

Context::Context(vendor::Owned<cl_context> native_context, std::vector<Ref<Device>> program_devices,
                 std::vector<cl_context_properties> given)
    : native(std::move(native_context)), devices(std::move(program_devices)), properties(std::move(given)) {}

Context::~Context() {
  if (runtime) runtime.release()->retire();
}

Queue::Queue(Context* of_context, Device* on_device, vendor::Owned<cl_command_queue> native_queue,
             cl_command_queue_properties flags, std::vector<cl_queue_properties> list, bool is_traced)
    : context(of_context), device(on_device), native(std::move(native_queue)), properties(flags),
      property_list(std::move(list)), traced(is_traced) {
  remember_handle(this);
}

Queue::~Queue() {
  forget_handle(this);
  if (context->runtime) context->runtime->note_end(*this);
}

Memory::Memory(Context* of_context, vendor::Owned<cl_mem> native_memory, Memory* of_parent,
               size_t origin_in_root, size_t bytes, bool buffer, const VisibleBytes& at_home)
    : context(of_context), native(std::move(native_memory)), parent(of_parent), origin(origin_in_root),
      size(bytes), is_buffer(buffer), visible_bytes(at_home) {
  if (is_buffer && !parent && context->runtime) storage = context->runtime->make_storage(*this);
  remember_handle(this);
}

Memory::Memory(Context* of_context, vendor::Owned<cl_mem> native_memory, Memory* of_parent,
               const ImageShape& shape, bool stands_alone)
    : context(of_context), native(std::move(native_memory)), parent(of_parent), origin(0),
      size(shape.bytes()), is_buffer(false), image(shape) {
  if (size > 0 && stands_alone && context->runtime) storage = context->runtime->make_storage(*this);
  remember_handle(this);
}

Memory::~Memory() {
  forget_handle(this);
}

Sampler::Sampler(Context* of_context, vendor::Owned<cl_sampler> native_sampler,
                 std::vector<cl_sampler_properties> list)
    : context(of_context), native(std::move(native_sampler)), property_list(std::move(list)) {
  remember_handle(this);
}

Sampler::~Sampler() {
  forget_handle(this);
}

bool Sampler::is_plain() const {
  for (size_t i = 0; i + 1 < property_list.size(); i += 2) {
    const cl_sampler_properties name = property_list[i];
    if (name != CL_SAMPLER_NORMALIZED_COORDS && name != CL_SAMPLER_ADDRESSING_MODE &&
        name != CL_SAMPLER_FILTER_MODE)
      return false;
  }
  return true;
}

cl_sampler Sampler::in(cl_context vendor_context) {
  {
    const Lock lock(mutex_);
    if (const auto known = elsewhere_.find(vendor_context); known != elsewhere_.end())
      return known->second.get();
  }
  cl_bool normalized = CL_FALSE;
  cl_addressing_mode addressing = CL_ADDRESS_NONE;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  const auto ask = [&](cl_sampler_info what, auto& value) {
    return vendor::table(native.get()).clGetSamplerInfo(native.get(), what, sizeof value, &value, nullptr) ==
           CL_SUCCESS;
  };
  if (!ask(CL_SAMPLER_NORMALIZED_COORDS, normalized) || !ask(CL_SAMPLER_ADDRESSING_MODE, addressing) ||
      !ask(CL_SAMPLER_FILTER_MODE, filter))
    return nullptr;
  cl_int error = CL_SUCCESS;
  vendor::Owned<cl_sampler> there(
      vendor::table(vendor_context).clCreateSampler(vendor_context, normalized, addressing, filter, &error));
  if (!there) return nullptr;
  const Lock lock(mutex_);
  return elsewhere_.try_emplace(vendor_context, std::move(there)).first->second.get();
}

Program::Program(Context* of_context, vendor::Owned<cl_program> native_program,
                 std::shared_ptr<const compiler::Origin> made_from, std::string why_not)
    : context(of_context), native(std::move(native_program)), devices(of_context->devices),
      origin(std::move(made_from)), not_analysed(std::move(why_not)) {}

Program::~Program() = default;

void Analysis::end(Result result) {
  result_ = std::move(result);
  ended_.store(true, std::memory_order_release);
}

namespace {

std::shared_ptr<const Analysis> analysis_of(Program& program) {
  const Lock lock(program.mutex);
  return program.analysis;
}

}  // namespace

Kernel::Kernel(Program* of_program, vendor::Owned<cl_kernel> native_kernel, std::string kernel_name,
               cl_uint argument_count)
    : program(of_program), native(std::move(native_kernel)), name(std::move(kernel_name)),
      arguments(std::make_shared<KernelArguments>(argument_count)), analysis_(analysis_of(*of_program)) {
  take_up_analysis();
  remember_kernel(this);
}

bool KernelAnalysis::is_to_be_taken_up() const {
  return program_ != nullptr && !taken_up_.load(std::memory_order_relaxed) && program_->has_ended();
}

void KernelAnalysis::take_up(const std::string& name, size_t argument_count) {
  if (!is_to_be_taken_up()) return;
  taken_up_.store(true, std::memory_order_relaxed);
  const std::shared_ptr<SubKernels>& made = program_->result().sub_kernels;
  if (made == nullptr) return;
  const auto& kernels = made->module.kernels;
  const auto found = std::ranges::find(kernels, name, &compiler::KernelInfo::name);
  // What was analysed must be what the vendor built: a mismatch means that the two read the program
  // differently.
  if (found == kernels.end() || found->arguments.size() != argument_count) return;
  sub_kernels_ = made;
  info_.store(&*found, std::memory_order_release);
}

void Kernel::take_up_analysis() {
  if (!analysis_.is_to_be_taken_up()) return;
  const Lock lock(mutex);
  analysis_.take_up(name, arguments->size());
}

std::string Kernel::why_not_analysed() const {
  const Analysis* const analysis = analysis_.program();
  if (analysis == nullptr) {
    const Lock lock(program->mutex);
    return program->not_analysed;
  }
  if (!analysis->has_ended()) return "its program is being analysed";
  return analysis->result().sub_kernels != nullptr ? "its arguments are not those that its source says"
                                                   : analysis->result().why_not;
}

Kernel::~Kernel() {
  forget_kernel(this);
}

}  // namespace mkmd
