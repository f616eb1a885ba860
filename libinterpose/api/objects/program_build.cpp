// SPDX-License-Identifier: Apache-2.0
// Building, compiling and linking programs. The vendor does it for the home as it would without us; beside it
// our compiler makes sub-kernels of the sources. When ours fails nothing is lost: the program's kernels run
// whole at home.
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/objects/home_compiler.hpp"
#include "libinterpose/api/objects/program_devices.hpp"
#include "libinterpose/api/objects/program_origin.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"
#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/life/callback_thread.hpp"

#include "common/log.hpp"
#include "common/signals_blocked.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

namespace mkmd::api {

namespace {

using Notify = void(CL_CALLBACK*)(cl_program, void*);
using Compiled = Result<compiler::Module>;

compiler::Request request_for(const std::vector<compiler::Unit>& units) {
  compiler::Request request;
  const cl_device_id home = process().device->home;
  request.units = units;
  std::istringstream extensions(vendor::device_string(home, CL_DEVICE_EXTENSIONS));
  for (std::string name; extensions >> name;)
    request.extensions.push_back(name);
  std::vector<cl_name_version> features;
  if (read_list(features, [&](size_t size, void* value, size_t* size_ret) {
        return vendor::table(home).clGetDeviceInfo(home, CL_DEVICE_OPENCL_C_FEATURES, size, value, size_ret);
      }) == CL_SUCCESS) {
    for (const cl_name_version& feature : features)
      request.extensions.emplace_back(feature.name);
  }
  request.device_version = vendor::device_string(home, CL_DEVICE_VERSION);
  request.c_version = vendor::device_string(home, CL_DEVICE_OPENCL_C_VERSION);
  request.address_bits = vendor::device_value<cl_uint>(home, CL_DEVICE_ADDRESS_BITS, 64);
  request.images = vendor::device_value<cl_bool>(home, CL_DEVICE_IMAGE_SUPPORT, CL_TRUE) != CL_FALSE;
  return request;
}

// With such an option a driver may reassociate, and how it does so depends on the shape of the code. Then
// the last bits differ between the program's source and our sub-kernels.
const char* relaxing_option(const compiler::Recipe& recipe) {
  for (const char* option : {"-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations"}) {
    const auto has_it = [&](const auto& step) { return step.options.find(option) != std::string::npos; };
    if (std::ranges::any_of(recipe.units, has_it) || std::ranges::any_of(recipe.links, has_it)) return option;
  }
  return nullptr;
}

void keep_whole(SubKernels& sub_kernels, const std::string& why) {
  for (compiler::KernelInfo& kernel : sub_kernels.module.kernels)
    keep_whole(kernel, {why, 0});
}

// What is known of a program that our compiler has read. `known`: origin_as_read().
Analysis::Result analysed(const KnownOrigin& known, Compiled compiled) {
  if (!compiled || !known.why_not.empty()) return {nullptr, known.why_not};
  auto made = std::make_shared<SubKernels>();
  made->module = std::move(*compiled);
  made->built_from = known.origin;
  if (!made->module.no_source.empty())
    keep_whole(*made, "there is no code for its pieces: " + made->module.no_source);
  if (process().configuration.settings.relaxed) return {std::move(made), {}};
  if (const char* option = relaxing_option(known.origin->recipe); option != nullptr)
    keep_whole(*made, std::string("built with ") + option + " (MKMD_RELAXED=1 splits it)");
  std::ranges::for_each(made->module.kernels, compiler::keep_bits);
  return {std::move(made), {}};
}

// Files may be others later. So those that the program has seen must be known. Launches that wait for code
// wait for what it is made of.
bool can_be_read_later(const compiler::Request& request) {
  return request.included && !process().session->waits_for_code();
}

// Our compiler at work on one program, beside the vendor's, whose failure is the program's to hear of. What
// it has said before is known when the program is built. Else the program goes on, and its kernels run whole
// until it is known (Analysis).
class SubKernelBuild {
public:
  // `known`: what the vendor makes. `program`: which it makes that of; null: the program has no handle of it
  // yet.
  SubKernelBuild(const Context& context, Program* program, KnownOrigin known) {
    if (program != nullptr) turn_.emplace(*program);
    if (process().compiler == nullptr || !context.runtime) return;
    known_ = std::move(known);
    reads_ = known_.origin != nullptr && is_to_be_read(*known_.origin);
    if (!reads_) return;
    request_ = request_for(known_.origin->recipe.units);
    const SignalsBlocked blocked;
    try {
      thread_ = std::thread([this] { compile(); });
    } catch (const std::system_error&) {  // no more threads: one after the other, then
    }
  }

  ~SubKernelBuild() {
    if (thread_.joinable()) thread_.join();
  }
  SubKernelBuild(const SubKernelBuild&) = delete;
  SubKernelBuild& operator=(const SubKernelBuild&) = delete;

  // Afterwards kernels of the program know their sub-kernels, at once or later.
  void finish(Program& program) {
    if (thread_.joinable()) {
      thread_.join();
    } else if (reads_) {
      compile();
    }
    if (compiled_) known_ = origin_as_read(std::move(known_), *compiled_);
    std::shared_ptr<Analysis> analysis;
    if (reads_ && known_.origin != nullptr && known_.origin->kind == compiler::Origin::Kind::executable)
      analysis = std::make_shared<Analysis>();
    if (analysis != nullptr && compiled_) {
      analysis->end(analysed(known_, std::move(*compiled_)));
      const std::shared_ptr<SubKernels>& made = analysis->result().sub_kernels;
      Runtime* const runtime = runtime_of(*program.context);
      if (made != nullptr && runtime != nullptr) runtime->code().expect(*made);
    }
    if (publish(program, analysis) && analysis != nullptr && !compiled_) read_beside(analysis);
    turn_.reset();
  }

private:
  // On a thread of its own, or on the caller's.
  void compile() {
    try {
      request_.included = compiler::read_included_files(request_.units);
    } catch (const std::exception&) {  // the helper reads them
    }
    if (request_.included) known_ = origin_with_files(std::move(known_), *request_.included);
    const bool has_kernels = known_.origin->kind == compiler::Origin::Kind::executable;
    if (!has_kernels && request_.included) return;  // its files are all that is to be known
    if (!can_be_read_later(request_)) {
      compiled_ = process().compiler->compile(request_, macros_of_home);
    } else if (auto module = process().compiler->recall(request_, macros_of_home); module) {
      compiled_ = Compiled(std::move(*module));
    }
  }

  // No call of the program waits for it.
  void read_beside(const std::shared_ptr<Analysis>& analysis) {
    using Pace = compiler::Client::Pace;
    const auto read = [analysis, known = known_, request = std::move(request_)](auto macros, Pace pace) {
      Compiled compiled = process().compiler->compile(request, macros, pace);
      const KnownOrigin as_read = origin_as_read(known, compiled);
      analysis->end(analysed(as_read, std::move(compiled)));
    };
    const bool begins = process().analyses->add([read, result = std::weak_ptr(analysis)] {
      if (result.use_count() > 1) read(macros_beside, Pace::beside);  // else the program has gone
    });
    if (!begins) read(macros_of_home, Pace::waited_for);
  }

  // What the program is now. False: no driver may have seen it.
  bool publish(Program& program, std::shared_ptr<Analysis> analysis) {
    const Lock lock(program.mutex);
    const bool alone = !turn_ || turn_->alone();
    if (!alone) {
      analysis = nullptr;
      known_ = {nullptr, "its program was built twice at the same time"};
    }
    before_ = std::exchange(program.analysis, std::move(analysis));
    program.built_from = known_.origin;
    if (known_.origin != nullptr || !known_.why_not.empty()) program.not_analysed = known_.why_not;
    return alone;
  }

  std::optional<BuildTurn> turn_;
  KnownOrigin known_;
  bool reads_ = false;
  // The thread's until it is joined.
  compiler::Request request_;
  std::optional<Compiled> compiled_;  // null: it is read later
  std::thread thread_;
  std::shared_ptr<Analysis> before_;  // of the program's build before; goes without the mutex
};

// A call with a callback for its end. The program's callback runs when the vendor has called back and the
// call has returned, whichever comes last.
class NotifiedCall {
public:
  NotifiedCall(Notify function, void* user_data, std::unique_ptr<SubKernelBuild> sub_kernels)
      : function_(function), user_data_(user_data), sub_kernels_(std::move(sub_kernels)) {}

  static void CL_CALLBACK call_back(cl_program, void* data) { static_cast<NotifiedCall*>(data)->one_came(); }

  // `program` may be null. What was refused (`error`, and it is not `failure`) has called back, as PoCL 3.1
  // does, or never will.
  void returned(Ref<Program> program, cl_int error, cl_int failure) {
    program_ = std::move(program);
    succeeded_ = error == CL_SUCCESS;
    if (!succeeded_ && error != failure && to_come_.load() == 2) {
      delete this;
    } else {
      one_came();
    }
  }

private:
  void one_came() {
    if (to_come_.fetch_sub(1) > 1) return;
    run_callback([call = std::shared_ptr<NotifiedCall>(this)] {
      if (call->succeeded_ && call->sub_kernels_) call->sub_kernels_->finish(*call->program_);
      call->function_(call->program_ ? call->program_->handle() : nullptr, call->user_data_);
    });
  }

  const Notify function_;
  void* const user_data_;
  const std::unique_ptr<SubKernelBuild> sub_kernels_;  // null if there is nothing to do
  Ref<Program> program_;
  bool succeeded_ = false;
  std::atomic<int> to_come_{2};
};

// Headers or input programs: ours, and as the vendor's.
struct ProgramList {
  std::vector<Program*> ours;
  std::vector<cl_program> natives;
  const cl_program* given = nullptr;

  cl_int read(cl_uint count, const cl_program* programs) {
    given = programs;
    for (cl_uint i = 0; programs != nullptr && i < count; ++i) {
      Program* const program = object_cast<Program>(programs[i]);
      if (program == nullptr) return CL_INVALID_PROGRAM;
      ours.push_back(program);
      natives.push_back(program->native.get());
    }
    return CL_SUCCESS;
  }
  // For a driver, who sees whether there is a list at all.
  const cl_program* get() const { return natives.empty() ? given : natives.data(); }
};

std::string text_of(const char* options) {
  return options != nullptr ? options : "";
}

}  // namespace

cl_int BuildProgram(cl_program program, cl_uint num_devices, const cl_device_id* device_list,
                    const char* options, Notify pfn_notify, void* user_data) {
  Program* ours = object_cast<Program>(program);
  if (ours == nullptr) return CL_INVALID_PROGRAM;
  ProgramDevices all;
  std::vector<cl_device_id> natives;
  if (const cl_int error = native_devices(*ours->context, num_devices, device_list, natives);
      error != CL_SUCCESS) {
    return error;
  }
  if (device_list == nullptr) {  // a program made from binaries may be for fewer devices than the context has
    if (const cl_int error = read_devices(*ours, all); error != CL_SUCCESS) return error;
    if (!all.natives.empty()) natives = all.natives;
  }
  const auto build = [&](Notify notify, void* data) {
    const CompilerTurns::Build turn(process().home_compiler);
    return vendor_call<&cl_icd_dispatch::clBuildProgram>(
        ours->native.get(), static_cast<cl_uint>(natives.size()), natives.data(), options, notify, data);
  };
  auto sub_kernels =
      std::make_unique<SubKernelBuild>(*ours->context, ours, origin_of_build(*ours, text_of(options)));
  if (pfn_notify == nullptr) {
    const cl_int error = build(nullptr, user_data);
    if (error == CL_SUCCESS) sub_kernels->finish(*ours);
    return error;
  }
  auto* const call = new NotifiedCall(pfn_notify, user_data, std::move(sub_kernels));
  const cl_int error = build(&NotifiedCall::call_back, call);
  call->returned(Ref<Program>(ours), error, CL_BUILD_PROGRAM_FAILURE);
  return error;
}

cl_int CompileProgram(cl_program program, cl_uint num_devices, const cl_device_id* device_list,
                      const char* options, cl_uint num_input_headers, const cl_program* input_headers,
                      const char** header_include_names, Notify pfn_notify, void* user_data) {
  Program* ours = object_cast<Program>(program);
  if (ours == nullptr) return CL_INVALID_PROGRAM;
  std::vector<cl_device_id> devices;
  cl_int error = native_devices(*ours->context, num_devices, device_list, devices);
  if (error != CL_SUCCESS) return error;
  ProgramList headers;
  error = headers.read(num_input_headers, input_headers);
  if (error != CL_SUCCESS) return error;
  Headers named;
  for (size_t i = 0; header_include_names != nullptr && i < headers.ours.size(); ++i)
    named.emplace_back(text_of(header_include_names[i]), headers.ours[i]);
  const auto compile = [&](Notify notify, void* data) {
    const CompilerTurns::Build turn(process().home_compiler);
    return vendor_call<&cl_icd_dispatch::clCompileProgram>(
        ours->native.get(), static_cast<cl_uint>(devices.size()), devices.data(), options, num_input_headers,
        headers.get(), header_include_names, notify, data);
  };
  auto sub_kernels = std::make_unique<SubKernelBuild>(*ours->context, ours,
                                                      origin_of_compilation(*ours, text_of(options), named));
  if (pfn_notify == nullptr) {
    error = compile(nullptr, user_data);
    if (error == CL_SUCCESS) sub_kernels->finish(*ours);
    return error;
  }
  auto* const call = new NotifiedCall(pfn_notify, user_data, std::move(sub_kernels));
  error = compile(&NotifiedCall::call_back, call);
  call->returned(Ref<Program>(ours), error, CL_COMPILE_PROGRAM_FAILURE);
  return error;
}

namespace {

// The linked program, with what our compiler made of it beside the vendor.
Program* linked_program(Context& context, vendor::Owned<cl_program> native, const std::vector<Program*>& from,
                        const Inputs& inputs, SubKernelBuild& sub_kernels) {
  auto* program =
      new Program(&context, std::move(native), nullptr, "its program was built after it was linked");
  const auto same = [](const KnownOrigin& a, const KnownOrigin& b) { return a.origin == b.origin; };
  if (std::ranges::equal(inputs, origins_of_inputs(from), same)) {
    sub_kernels.finish(*program);
  } else {
    const Lock lock(program->mutex);
    program->not_analysed = "its program was linked from one that was being built";
  }
  return program;
}

}  // namespace

cl_program LinkProgram(cl_context context, cl_uint num_devices, const cl_device_id* device_list,
                       const char* options, cl_uint num_input_programs, const cl_program* input_programs,
                       Notify pfn_notify, void* user_data, cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  std::vector<cl_device_id> devices;
  cl_int error = native_devices(*ours, num_devices, device_list, devices);
  if (error != CL_SUCCESS) return fail(errcode_ret, error);
  ProgramList inputs;
  error = inputs.read(num_input_programs, input_programs);
  if (error != CL_SUCCESS) return fail(errcode_ret, error);
  const auto link = vendor::table(ours->native.get()).clLinkProgram;
  if (link == nullptr) return fail(errcode_ret, CL_INVALID_OPERATION);
  const Inputs origins = origins_of_inputs(inputs.ours);
  SubKernelBuild sub_kernels(*ours, nullptr, origin_of_link(origins, text_of(options)));
  auto* const call = pfn_notify != nullptr ? new NotifiedCall(pfn_notify, user_data, nullptr) : nullptr;
  error = CL_SUCCESS;
  const auto linked = [&] {
    const CompilerTurns::Build turn(process().home_compiler);
    return link(ours->native.get(), static_cast<cl_uint>(devices.size()), devices.data(), options,
                num_input_programs, inputs.get(), call != nullptr ? &NotifiedCall::call_back : nullptr,
                call != nullptr ? call : user_data, &error);
  };
  vendor::Owned<cl_program> native(linked());
  // A failed link may still give a program, whose build log says why.
  if (errcode_ret != nullptr) *errcode_ret = native || error != CL_SUCCESS ? error : CL_OUT_OF_RESOURCES;
  if (!native) {
    if (call != nullptr) call->returned({}, error != CL_SUCCESS ? error : CL_OUT_OF_RESOURCES, CL_SUCCESS);
    return nullptr;
  }
  Program* const program = linked_program(*ours, std::move(native), inputs.ours, origins, sub_kernels);
  if (num_devices > 0) program->devices.clear();
  for (cl_uint i = 0; i < num_devices; ++i)
    program->devices.emplace_back(object_cast<Device>(device_list[i]));
  if (call != nullptr) call->returned(Ref<Program>(program), CL_SUCCESS, CL_SUCCESS);
  return program->handle();
}

}  // namespace mkmd::api
