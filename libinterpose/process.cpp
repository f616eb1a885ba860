// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/process.hpp"
#include "libinterpose/capture/at_exit.hpp"
#include "libinterpose/capture/session.hpp"
#include "libinterpose/device/emulated_kind.hpp"
#include "libinterpose/device/real_kind.hpp"
#include "libinterpose/profiling/profile.hpp"
#include "libinterpose/vendor/callbacks.hpp"
#include "libinterpose/vendor/careful.hpp"
#include "libinterpose/vendor/memories.hpp"
#include "libinterpose/vendor/pocl.hpp"
#include "libinterpose/vendor/rivals.hpp"
#include "libinterpose/vendor/silence.hpp"
#include "libinterpose/verify/verify.hpp"

#include "common/inside_call.hpp"
#include "common/log.hpp"
#include "common/untrapped.hpp"
#include "libinterpose/life/callback_thread.hpp"
#include "libinterpose/life/roomy_stack.hpp"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <future>
#include <mutex>
#include <pthread.h>
#include <set>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace mkmd {

std::atomic<bool> process_forked{false};

namespace {

thread_local bool starting = false;

std::once_flag once;
std::atomic<Process*> ready{nullptr};

// Where the compiler helper may lie, seen from the folder of this library: installed (with and without a
// multiarch folder), and in a build tree.
constexpr const char* kHelperPlaces[] = {
    "/../../libexec/mkmd/mkmd-kc",
    "/../../../libexec/mkmd/mkmd-kc",
    "/../../bin/mkmd-kc",
};

// Where this library was loaded from. The dynamic loader knows it as somebody named it. That name may be
// relative to a folder that is no longer the current one. Then the kernel is asked.
std::string own_file() {
  const auto here = reinterpret_cast<uintptr_t>(&own_file);
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(here), &self) != 0 && self.dli_fname != nullptr &&
      self.dli_fname[0] == '/')
    return self.dli_fname;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2 || here < begin || here >= end)
      continue;
    const size_t path = line.find('/');
    return path == std::string::npos ? "" : line.substr(path);
  }
  return {};
}

std::string helper_path(const Settings& settings) {
  if (!settings.compiler.empty()) return settings.compiler;
  std::string folder = own_file();
  // Links are followed: a link to us in another folder has no helper beside it.
  if (char* real = realpath(folder.c_str(), nullptr); real != nullptr) {
    folder = real;
    std::free(real);
  }
  const size_t slash = folder.rfind('/');
  folder = slash == std::string::npos ? "." : folder.substr(0, slash);
  for (const char* place : kHelperPlaces) {
    const std::string path = folder + place;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return folder + kHelperPlaces[0];
}

void assign_domains(Configuration& configuration) {
  if (configuration.devices.empty()) return;
  std::vector<vendor::MemoryPlace> places;
  for (const vendor::Device& device : configuration.devices)
    places.push_back(configuration.settings.separate_memory ? vendor::MemoryPlace{}
                                                            : vendor::place_of(device));
  configuration.domain = vendor::memory_domains(places);
  configuration.domain_count =
      1 + *std::max_element(configuration.domain.begin(), configuration.domain.end());
  // What is lost with home cannot be made good.
  for (size_t d = 0; d < configuration.devices.size(); ++d)
    configuration.may_be_lost.push_back(configuration.domain[d] != 0 &&
                                        vendor::may_be_lost(configuration.devices[d].id));
  std::vector<cl_device_id> in_use;
  for (const vendor::Device& device : configuration.devices)
    in_use.push_back(device.id);
  vendor::set_in_use(std::move(in_use));
}

// Any real device may play an emulated one. PoCL's run the code our compiler makes. A driver's threads
// inherit their priority from the thread that loads it. These threads yield to those that keep the emulated
// time. There a copy must not wait for the kernel of another device that is computed on the same core.
std::vector<vendor::Device> emulating_devices(const std::string& specification) {
  constexpr int kYielding = 5;
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kYielding);
  for (const std::string& wanted : {specification, std::string("pocl"), std::string()}) {
    auto devices = vendor::select_devices(wanted);
    if (devices) return std::move(*devices);
    if (!wanted.empty() && wanted == specification)
      log(LogLevel::warning, "MKMD_DEVICES: " + devices.status().message());
  }
  return {};
}

// Null if there is nothing to emulate, or no way to.
DeviceKind* choose_emulated(Configuration& configuration) {
  const std::string& file = configuration.settings.platform;
  if (file.empty()) return nullptr;
  auto platform = emulation::read_platform(file);
  if (!platform) {
    log(LogLevel::warning, "MKMD_PLATFORM: " + platform.status().message() + "; the program runs without it");
    return nullptr;
  }
  std::vector<vendor::Device> hosts;
  std::thread([&] {
    starting = true;
    hosts = emulating_devices(configuration.settings.devices);
  }).join();
  if (hosts.empty()) return nullptr;
  auto* const kind = new EmulatedKind(std::move(*platform));
  const emulation::Machine& machine = kind->machine();
  for (const platform::Device& spec : machine.platform().devices) {
    vendor::Device device = hosts[configuration.devices.size() % hosts.size()];
    device.name = spec.name;
    device.synchronous = true;  // a thread of ours lets it take its time
    device.type = spec.device_class == platform::DeviceClass::cpu   ? CL_DEVICE_TYPE_CPU
                  : spec.device_class == platform::DeviceClass::gpu ? CL_DEVICE_TYPE_GPU
                                                                    : CL_DEVICE_TYPE_ACCELERATOR;
    configuration.devices.push_back(std::move(device));
  }
  configuration.domain_count = machine.domain_count();
  for (int d = 0; d < machine.device_count(); ++d)
    configuration.domain.push_back(machine.domain_of(d));
  configuration.may_be_lost.assign(configuration.devices.size(), machine.platform().can_fail());
  configuration.home = configuration.devices.front();
  return kind;
}

void find_rivals(Configuration& configuration) {
  configuration.cores = vendor::usable_cores();
  configuration.team = vendor::rival_teams(configuration.devices);
  std::string names;
  for (size_t d = 0; d < configuration.devices.size(); ++d) {
    if (configuration.team[d] > 0) names += (names.empty() ? "" : ", ") + configuration.devices[d].name;
  }
  if (!names.empty())
    log(LogLevel::info,
        names + " use the same cores: drivers take turns, and each kernel goes to the quickest");
}

// Null: the driver has bound none, or the user has chosen that it does.
std::unique_ptr<vendor::BoundThreads> threads_bound_since(std::vector<pid_t> before, bool was_chosen,
                                                          const std::vector<vendor::Device>& devices) {
  std::set<cl_device_id> divided;
  for (const vendor::Device& device : devices) {
    if (device.parent != nullptr && vendor::pocl_version(device.platform)) divided.insert(device.parent);
  }
  if (was_chosen || divided.size() != 1 || std::getenv(vendor::kBindsThreads) == nullptr) return nullptr;
  const auto count = vendor::device_value<cl_uint>(*divided.begin(), CL_DEVICE_MAX_COMPUTE_UNITS);
  return std::make_unique<vendor::BoundThreads>(std::move(before), count);
}

DeviceKind* choose_real(Configuration& configuration) {
  const bool was_chosen = std::getenv(vendor::kBindsThreads) != nullptr;
  std::vector<pid_t> before = vendor::threads_of_process();
  auto devices = vendor::select_devices(configuration.settings.devices);
  if (!devices && !configuration.settings.devices.empty()) {
    log(LogLevel::warning,
        "MKMD_DEVICES: " + devices.status().message() + "; the program runs on the first device alone");
    devices = vendor::select_devices("");
    if (devices && devices->size() > 1) devices->resize(1);
  }
  if (devices) configuration.devices = std::move(*devices);
  if (!configuration.devices.empty()) configuration.home = vendor::whole_of(configuration.devices.front());
  assign_domains(configuration);
  find_rivals(configuration);
  auto threads = threads_bound_since(std::move(before), was_chosen, configuration.devices);
  return threads ? new RealKind(std::move(threads)) : &real_devices();
}

// Something may have been split. False, too, where the program has not used OpenCL.
bool splits() {
  return ready.load(std::memory_order_acquire) != nullptr && process().configuration.splits();
}

// A child whose home's driver is quiet shall not wait for a helper's.
void before_fork() {
  if (!splits() || process_forked.load(std::memory_order_relaxed)) return;
  pause_helpers(*process().session);
}

void after_fork() {
  if (splits() && !process_forked.load(std::memory_order_relaxed)) resume_helpers(*process().session);
}

Process* start() {
  auto* process = new Process;  // never destroyed: programs call OpenCL from global destructors
  Configuration& configuration = process->configuration;
  const Settings& settings = configuration.settings;
  std::vector<std::string> problems;
  configuration.settings = read_settings(problems);
  set_log_level(settings.log_level);
  for (const std::string& problem : problems)
    log(LogLevel::warning, problem);

  DeviceKind* kind = settings.enabled ? choose_emulated(configuration) : &real_devices();
  if (kind == nullptr) kind = choose_real(configuration);
  if (!configuration.devices.empty()) {
    process->platform = new Platform(configuration.home.platform);
    process->device = new Device(process->platform, configuration.home.id, true, nullptr);
    process->ends_callbacks_before_waits = vendor::ends_callbacks_before_waits(configuration.home.id);
  }
  process->session = new Session(configuration, *kind, register_exit_handler);
  if (settings.profile > 0) process->profiler = new Profiler;
  if (!settings.verify.empty()) process->verifier = new verify::Verifier(configuration);
  if (configuration.splits()) {
    if (cache_directory().empty()) {
      log(LogLevel::warning,
          "neither XDG_CACHE_HOME nor HOME names a folder: nothing is kept for the next run");
    }
    process->compiler = new compiler::Client(helper_path(settings), cache_directory(),
                                             static_cast<int>(settings.compiler_seconds.count()));
    process->analyses = new BesideThread;
  }
  pthread_atfork(before_fork, after_fork, [] { process_forked.store(true, std::memory_order_relaxed); });
  register_exit_handler();
  return process;
}

// On a thread of its own: who exits may have interrupted one that holds our locks.
bool run_and_wait(void (*step)(Session&), std::chrono::steady_clock::time_point latest) {
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> future = done->get_future();
  try {
    std::thread([done, step] {
      step(*process().session);
      done->set_value();
    }).detach();
  } catch (const std::system_error&) {
    return true;
  }
  return future.wait_until(latest) == std::future_status::ready;
}

bool finish(void (*step)(Session&)) {
  static const auto latest = std::chrono::steady_clock::now() + kLongestExit;
  return run_and_wait(step, latest);
}

// exit() was called in the midst of a call of ours. A signal's handler called it, and must not wait for what
// it has interrupted.
bool interrupted() {
  return calls_under_way > 0;
}

// No thread of ours is in a driver's compiler, or reads what the helper has said, any more.
void stop_compilers(Session& session) {
  process().compiler->cancel_beside();
  session.code.stop();
  process().analyses->stop();
}

void settle() {
  if (splits() && !finish([](Session& session) {
        stop_compilers(session);
        settle_all(session);
      }))
    log(LogLevel::warning, "the process exits while work that it has split is under way");
}

// A return from main() comes to exit() inside the C library, which destroys what is local to its thread
// before it calls any handler.
struct MainThread {
  ~MainThread() { before_exit_handlers(); }
};

// The loader calls this on the main thread.
__attribute__((constructor)) void watch_main_thread() {
  if (gettid() != getpid()) return;  // loaded later, by another thread
  thread_local const MainThread main_thread;
  (void)&main_thread;
}

void report(Session& session) {
  session.trace.flush();
  session.summary.write(session.kind);
  if (splits())
    session.summary.say_unused([&session](int device) { return session.trouble.left_out(device); });
  if (process().verifier != nullptr) process().verifier->write_verdict();
  session.kind.report();
}

void on_exit() {
  if (process_forked.load(std::memory_order_relaxed)) return;
  if (process_exiting.exchange(true)) return;
  const Untrapped untrapped;  // our threads inherit that
  if (!interrupted()) {
    settle();
    drain_callbacks();
  }
  if (splits()) (void)finish([](Session& session) { session.keep_learned(); });
  if (interrupted() || !has_room_on_stack()) {
    (void)finish(report);
  } else {
    report(*process().session);
  }
}

}  // namespace

void before_exit_handlers() {
  if (process_forked.load(std::memory_order_relaxed) || process_exiting.load()) return;
  if (!splits()) return;
  const Untrapped untrapped;
  // A compiler ends, unless it has a fault: a driver that exits while it compiles waits for itself.
  constexpr std::chrono::seconds kLongestBuild{30};
  (void)run_and_wait(stop_compilers, std::chrono::steady_clock::now() + kLongestBuild);
  if (!interrupted()) (void)finish(finish_all_of);
}

void register_exit_handler() {
  std::atexit(on_exit);
}

bool process_starting() {
  return starting;
}

Process& process() {
  if (Process* process = ready.load(std::memory_order_acquire); process != nullptr) return *process;
  std::call_once(once, [] {
    starting = true;
    Process* process = start();
    starting = false;
    ready.store(process, std::memory_order_release);
  });
  return *ready.load(std::memory_order_acquire);
}

}  // namespace mkmd
