// SPDX-License-Identifier: Apache-2.0
#include "tests/libinterpose/capture/virtual_context.hpp"

#include "compiler/binary_origin.hpp"
#include "libinterpose/vendor/host_visible.hpp"
#include "libinterpose/vendor/silence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace mkmd {

// Every object begins with the table of api's functions, which nothing here calls.
const cl_icd_dispatch dispatch_table{};

namespace {

std::shared_ptr<compiler::Origin> some_origin() {
  auto origin = std::make_shared<compiler::Origin>();
  origin->recipe = compiler::recipe_of("", "");
  return origin;
}

// The program gives back its own reference at once.
template <typename T>
Ref<T> only_ours(T* object) {
  Ref<T> ours(object);
  object->program_release();
  return ours;
}

// The last argument is written, the others are read, each at the work-item's id.
compiler::KernelInfo describe(const char* name, int arguments) {
  using compiler::Access;
  compiler::KernelInfo info;
  info.name = name;
  info.split_allowed = true;
  info.expressions = {Expression(int64_t{0}), Expression(int64_t{sizeof(float)}),
                      Expression::real_constant(1), Expression::real_constant(1000),
                      Expression::real_constant(sizeof(float) * arguments)};
  info.cost = {.trips = 2, .operations = 3, .bytes = 4};
  for (int i = 0; i < arguments; ++i) {
    compiler::Argument argument;
    argument.kind = compiler::Argument::Kind::buffer;
    info.arguments.push_back(argument);
    Access access;
    access.argument = i;
    access.kind = i + 1 < arguments ? Access::Kind::read : Access::Kind::write;
    access.known = access.sure = true;
    access.bytes = sizeof(float);
    access.offset = {0, {{{compiler::Variable::Kind::global_id, 0}, 1}}};
    info.accesses.push_back(access);
  }
  return info;
}

float& element(const fake::Argument& argument, size_t i) {
  return reinterpret_cast<float*>(argument.buffer->data())[i];
}

// The last argument is updated, at any place of it.
compiler::KernelInfo describe_update(const char* name, compiler::Update::Kind kind) {
  compiler::KernelInfo info = describe(name, 2);
  compiler::Access& access = info.accesses.back();
  access.update = {kind, sizeof(int32_t)};
  if (kind == compiler::Update::Kind::store) {
    access.update.value = static_cast<uint32_t>(VirtualContext::kMark);
  } else {
    access.kind = compiler::Access::Kind::atomic;
  }
  access.known = access.sure = false;
  return info;
}

// As "add", and then the other argument changes as "twice" does.
compiler::KernelInfo describe_add_and_twice() {
  compiler::KernelInfo info = describe_update("add_and_twice", compiler::Update::Kind::add);
  compiler::Access change = info.accesses.front();
  change.kind = compiler::Access::Kind::write;
  info.accesses.push_back(change);
  return info;
}

// The last argument is changed where the other one says.
compiler::KernelInfo describe_scatter() {
  using compiler::Variable;
  compiler::KernelInfo info = describe("scatter", 2);
  info.expressions.emplace_back(int64_t{INT32_MIN});
  info.expressions.emplace_back(int64_t{INT32_MAX});
  info.loads.push_back({0, sizeof(int32_t), info.accesses.front().offset, {}});
  const int least = static_cast<int>(info.expressions.size()) - 2;
  info.derived.push_back({compiler::Derived::Op::hull, {least, {}}, {least + 1, {}}, 0});
  compiler::Access& write = info.accesses.back();
  write.sure = false;
  write.offset = {0, {{{Variable::Kind::derived, 0}, 1}}};
  compiler::Access read = write;
  read.kind = compiler::Access::Kind::read;
  info.accesses.push_back(read);
  return info;
}

compiler::KernelInfo describe_tally() {
  compiler::KernelInfo info = describe("tally", 2);
  info.split_allowed = false;
  info.runs_anywhere = true;
  info.reasons = {{"the result of an atomic operation on global memory is used"}};
  info.accesses.clear();
  return info;
}

int32_t& number(const std::vector<fake::Argument>& a, size_t i) {
  const size_t count = a[1].buffer->size / sizeof(int32_t);
  const auto place = static_cast<size_t>(element(a[0], i)) % count;
  return reinterpret_cast<int32_t*>(a[1].buffer->data())[place];
}

void add_kernels(fake::Driver& driver) {
  driver.kernels["twice"] = [](const std::vector<fake::Argument>& a, size_t i) {
    element(a[1], i) = element(a[0], i) * 2 + 1;
  };
  driver.kernels["sum"] = [](const std::vector<fake::Argument>& a, size_t i) {
    element(a[2], i) = element(a[0], i) + element(a[1], i);
  };
  driver.kernels["scatter"] = [](const std::vector<fake::Argument>& a, size_t i) {
    float& at = element(a[1], reinterpret_cast<const uint32_t*>(a[0].buffer->data())[i]);
    at = VirtualContext::scattered(at, i);
  };
  driver.kernels["add"] = [](const std::vector<fake::Argument>& a, size_t i) {
    number(a, i) += static_cast<int32_t>(element(a[0], i));
  };
  driver.kernels["tally"] = driver.kernels["add"];
  driver.kernels["add_and_twice"] = [](const std::vector<fake::Argument>& a, size_t i) {
    number(a, i) += static_cast<int32_t>(element(a[0], i));
    element(a[0], i) = element(a[0], i) * 2 + 1;
  };
  driver.kernels["least"] = [](const std::vector<fake::Argument>& a, size_t i) {
    number(a, i) = std::min(number(a, i), static_cast<int32_t>(element(a[0], i)));
  };
  driver.kernels["mark"] = [](const std::vector<fake::Argument>& a, size_t i) {
    int32_t& at = number(a, i);
    if ((&at - &reinterpret_cast<int32_t&>(element(a[1], 0))) % 3 == 0) at = VirtualContext::kMark;
  };
}

template <typename T>
vendor::Owned<T> owned(T handle) {
  return vendor::Owned<T>(handle);
}

// Nothing is known from earlier runs, or remembered for later ones, but in that folder.
void forget_files(const std::string& but_for_cache) {
  for (const char* name : {"XDG_CACHE_HOME", "XDG_DATA_HOME", "HOME"})
    unsetenv(name);
  if (!but_for_cache.empty()) setenv("XDG_CACHE_HOME", but_for_cache.c_str(), 1);
}

int domain_of(const VirtualContext::Machine& machine, int device) {
  return machine.separate || machine.losable ? device : 0;
}

}  // namespace

VirtualContext::VirtualContext(const Machine& machine)
    : driver_(machine.emulated ? machine.emulated->devices.size() : machine.devices, machine.host_bytes) {
  forget_files(machine.cache);
  virtual_time::reset();
  add_kernels(driver_);
  if (machine.emulated) kind_.emplace(*machine.emulated);
  if (machine.pocl) driver_.compiler.version = "OpenCL 3.0 PoCL 3.1";
  const size_t devices = kind_ ? static_cast<size_t>(emulated()->device_count()) : machine.devices;
  configure(machine, devices);
  session_ = std::make_unique<Session>(configuration_, kind_ ? *kind_ : real_devices());

  std::vector<cl_device_id> ids;
  for (size_t d = 0; d < devices; ++d) {
    if (configuration_.domain[d] == 0) ids.push_back(driver_.device(d));
  }
  cl_int error = CL_SUCCESS;
  const auto& table = vendor::table(ids.front());
  const cl_context native =
      table.clCreateContext(nullptr, static_cast<cl_uint>(ids.size()), ids.data(), nullptr, nullptr, &error);
  context_ = only_ours(new Context(owned(native), {}, {}));
  auto runtime = std::make_unique<Runtime>(*context_, *session_, false);
  if (!runtime->start()) std::abort();
  context_->runtime = std::move(runtime);
  queue_ = only_ours(new Queue(context_.get(), nullptr,
                               owned(table.clCreateCommandQueue(native, ids.front(), 0, &error)), 0, {}));
  program_ = only_ours(new Program(context_.get(), owned(driver_.make_program()), nullptr, ""));
  auto made = std::make_shared<SubKernels>();
  made->module.sources = {fake::Driver::pieces(machine.in_spirv)};
  made->built_from = some_origin();
  made->module.kernels = {describe("twice", 2),
                          describe("sum", 3),
                          describe_update("add", compiler::Update::Kind::add),
                          describe_update("least", compiler::Update::Kind::smin),
                          describe_update("mark", compiler::Update::Kind::store),
                          describe_add_and_twice(),
                          describe_scatter(),
                          describe_tally()};
  program_->analysis = std::make_shared<Analysis>();
  program_->analysis->end({made, ""});
  for (const compiler::KernelInfo& info : made->module.kernels)
    add_kernel(info);
}

void VirtualContext::configure(const Machine& machine, size_t devices) {
  for (size_t d = 0; d < devices; ++d) {
    vendor::Device device{};
    device.platform = driver_.platform();
    device.id = driver_.device(d);
    device.name = device.device_name = driver_[d].name;
    device.synchronous = kind_.has_value();
    configuration_.devices.push_back(device);
    const int index = static_cast<int>(d);
    driver_[d].is_remote = machine.losable && d > (machine.host_bytes ? 1 : 0);
    configuration_.may_be_lost.push_back(kind_ ? emulated()->platform().can_fail() : driver_[d].is_remote);
    configuration_.domain.push_back(kind_ ? emulated()->domain_of(index) : domain_of(machine, index));
  }
  std::vector<cl_device_id> in_use;
  for (size_t d = 0; !kind_ && d < devices; ++d)
    in_use.push_back(driver_.device(d));
  vendor::set_in_use(std::move(in_use));
  configuration_.team.assign(devices, 0);
  for (size_t d = 0; machine.rivals && d < devices; ++d)
    configuration_.team[d] = static_cast<int>(d) + 1;
  configuration_.domain_count =
      1 + *std::max_element(configuration_.domain.begin(), configuration_.domain.end());
  configuration_.home = configuration_.devices.front();
  configuration_.settings.separate_memory = machine.separate && !machine.host_bytes;
  configuration_.settings.policy = machine.policy;
  configuration_.settings.wait_for_code = true;  // its builds would take real time
}

VirtualContext::~VirtualContext() {
  runtime().finish_all();
  runtime().forget_history();
  kernels_.clear();
  program_ = {};
  queue_ = {};
  context_->runtime.reset();
}

void VirtualContext::add_kernel(const compiler::KernelInfo& info) {
  const cl_program program = program_->native.get();
  cl_int error = CL_SUCCESS;
  const cl_kernel native = vendor::table(program).clCreateKernel(program, info.name.c_str(), &error);
  kernels_[info.name] = only_ours(
      new Kernel(program_.get(), owned(native), info.name, static_cast<cl_uint>(info.arguments.size())));
}

Ref<Memory> VirtualContext::buffer(const std::vector<float>& values) {
  const cl_context native = context_->native.get();
  cl_int error = CL_SUCCESS;
  const size_t size = values.size() * sizeof(float);
  std::vector<float> copy = values;
  if (driver_.on_host_bytes) {
    auto visible = vendor::make_host_visible(native, CL_MEM_READ_WRITE, size, copy.data());
    const VisibleBytes bytes{visible.bytes};
    return only_ours(new Memory(context_.get(), std::move(visible.buffer), nullptr, 0, size, true, bytes));
  }
  return only_ours(new Memory(
      context_.get(),
      owned(vendor::table(native).clCreateBuffer(native, CL_MEM_COPY_HOST_PTR, size, copy.data(), &error)),
      nullptr, 0, size, true));
}

Ref<Command> VirtualContext::launch(const std::string& name, const std::vector<Ref<Memory>>& buffers) {
  const Ref<Kernel>& kernel = kernels_.at(name);
  KernelLaunch launch;
  launch.kernel = kernel;
  auto arguments = std::make_shared<KernelArguments>(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    (*arguments)[i].kind = KernelArgument::Kind::memory;
    (*arguments)[i].memory = buffers[i];
  }
  launch.arguments = std::move(arguments);
  launch.shape.global[0] = buffers.front()->size / sizeof(float);
  launch.shape.local[0] = kLocal;
  launch.shape.scalars.resize(buffers.size());
  launch.groups[0] = launch.shape.global[0] / kLocal;
  const std::lock_guard lock(kernel->mutex);
  launch.facts = facts_of(*kernel, launch.shape);
  return command(KernelCommand{std::move(launch)});
}

Ref<Command> VirtualContext::twice(const Ref<Memory>& in, const Ref<Memory>& out) {
  return launch("twice", {in, out});
}

Ref<Command> VirtualContext::sum(const Ref<Memory>& a, const Ref<Memory>& b, const Ref<Memory>& out) {
  return launch("sum", {a, b, out});
}

float VirtualContext::scattered(float value, size_t i) {
  return std::fmod(value * 2 + static_cast<float>(i), 65536.0F);
}

Ref<Command> VirtualContext::scatter(const Ref<Memory>& index, const Ref<Memory>& out) {
  Ref<Command> command = launch("scatter", {index, out});
  runtime().inspect(command->kernel()->launch);
  return command;
}

Ref<Command> VirtualContext::update(compiler::Update::Kind kind, const Ref<Memory>& in,
                                    const Ref<Memory>& numbers, bool and_twice) {
  using Kind = compiler::Update::Kind;
  if (and_twice) return launch("add_and_twice", {in, numbers});
  return launch(kind == Kind::add ? "add" : kind == Kind::store ? "mark" : "least", {in, numbers});
}

Ref<Command> VirtualContext::fill(const Ref<Memory>& buffer, float value) {
  std::vector<unsigned char> pattern(sizeof value);
  std::memcpy(pattern.data(), &value, sizeof value);
  return command(FillCommand{{buffer}, buffer->size, std::move(pattern)});
}

Ref<Command> VirtualContext::copy(const Ref<Memory>& from, const Ref<Memory>& to) {
  return command(CopyCommand{{from}, {to}, to->size});
}

Ref<Command> VirtualContext::write(const Ref<Memory>& to, const std::vector<float>& values) {
  return command(WriteCommand{{to}, values.size() * sizeof(float), values.data()});
}

Ref<Command> VirtualContext::read(const Ref<Memory>& from, std::vector<float>& values) {
  values.resize(from->size / sizeof(float));
  return command(ReadCommand{{from}, from->size, values.data()});
}

Ref<Event> VirtualContext::with_event(const Ref<Command>& command) {
  command->event = only_ours(new Event(context_.get(), queue_.get(), CL_COMMAND_NDRANGE_KERNEL));
  return command->event;
}

Ref<Command> VirtualContext::capture(Ref<Command> command, const std::vector<Event*>& waits) {
  if (!runtime().capture(command, waits)) std::abort();
  return command;
}

std::vector<float> VirtualContext::values(const Ref<Memory>& buffer, cl_int* status) {
  std::vector<float> result;
  if (runtime().capturing() || emulated() != nullptr) {
    const Ref<Command> command = capture(read(buffer, result));
    runtime().wait(*command);
    if (status != nullptr) *status = command->status;
    return result;
  }
  result.resize(buffer->size / sizeof(float));
  const Touched touched{buffer.get(), false};
  const Runtime::NativeTurn turn(runtime(), {&touched, 1});
  const cl_command_queue native = queue_->native.get();
  cl_int outcome = turn.status();
  if (outcome == CL_SUCCESS)
    outcome = vendor::table(native).clEnqueueReadBuffer(native, buffer->native.get(), CL_TRUE, 0,
                                                        buffer->size, result.data(), 0, nullptr, nullptr);
  if (status != nullptr) *status = outcome;
  return result;
}

cl_int VirtualContext::native_twice(const Ref<Memory>& in, const Ref<Memory>& out) {
  const std::vector<Touched> touched{{in.get(), false}, {out.get(), true}};
  const Runtime::NativeTurn turn(runtime(), touched);
  if (turn.status() < 0) return turn.status();
  const cl_kernel native = kernels_.at("twice")->native.get();
  const cl_command_queue queue = queue_->native.get();
  const auto& table = vendor::table(queue);
  const cl_mem memories[] = {in->native.get(), out->native.get()};
  for (cl_uint i = 0; i < 2; ++i)
    table.clSetKernelArg(native, i, sizeof memories[i], &memories[i]);
  const size_t global = in->size / sizeof(float);
  const size_t local = kLocal;
  runtime().native_work().note(*queue_);
  return table.clEnqueueNDRangeKernel(queue, native, 1, nullptr, &global, &local, 0, nullptr, nullptr);
}

cl_int VirtualContext::native_write(const Ref<Memory>& to, const std::vector<float>& values) {
  const Touched touched{to.get(), true};
  const Runtime::NativeTurn turn(runtime(), {&touched, 1});
  if (turn.status() < 0) return turn.status();
  const cl_command_queue queue = queue_->native.get();
  runtime().native_work().note(*queue_);
  return vendor::table(queue).clEnqueueWriteBuffer(
      queue, to->native.get(), CL_TRUE, 0, values.size() * sizeof(float), values.data(), 0, nullptr, nullptr);
}

}  // namespace mkmd
