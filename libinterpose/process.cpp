// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/process.hpp"
#include "libinterpose/emulation/machine.hpp"
#include "libinterpose/runtime/runtime.hpp"
#include "libinterpose/runtime/summary.hpp"
#include "libinterpose/runtime/trace.hpp"
#include "libinterpose/verify/verify.hpp"

#include "common/log.hpp"
#include "libinterpose/callback_thread.hpp"
#include "libinterpose/emulation/report.hpp"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <future>
#include <mutex>
#include <pthread.h>
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

// Where this library was loaded from. The dynamic loader knows it as somebody named it, which may be relative
// to a folder that is no longer the current one: then the kernel is asked.
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

bool share_memory(const vendor::Device& a, const vendor::Device& b) {
  if (a.platform != b.platform) return false;
  if (a.parent != nullptr && a.parent == b.parent) return true;
  const auto is_cpu = [](const vendor::Device& device) {
    return (vendor::device_value<cl_device_type>(device.id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
  };
  return is_cpu(a) && is_cpu(b);
}

void assign_domains(Process& process) {
  for (size_t i = 0; i < process.devices.size(); ++i) {
    int domain = process.domain_count;
    for (size_t j = 0; j < i && !process.settings.separate_memory; ++j) {
      if (share_memory(process.devices[j], process.devices[i])) {
        domain = process.domain[j];
        break;
      }
    }
    if (domain == process.domain_count) ++process.domain_count;
    process.domain.push_back(domain);
  }
}

// Any real device may play an emulated one. PoCL's run the code our compiler makes. A driver's threads
// inherit how eager they are: these yield to the threads that keep the emulated time, on which a copy must
// not wait for the kernel of another device that happens to be computed on the same core.
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

// False if there is nothing to emulate, or no way to.
bool choose_emulated(Process& process) {
  const std::string& file = process.settings.platform;
  if (file.empty()) return false;
  auto platform = emulation::read_platform(file);
  if (!platform) {
    log(LogLevel::warning, "MKMD_PLATFORM: " + platform.status().message() + "; the program runs without it");
    return false;
  }
  std::vector<vendor::Device> hosts;
  std::thread([&] {
    starting = true;
    hosts = emulating_devices(process.settings.devices);
  }).join();
  if (hosts.empty()) return false;
  process.machine = new emulation::Machine(std::move(*platform));
  for (const platform::Device& spec : process.machine->platform().devices) {
    vendor::Device device = hosts[process.devices.size() % hosts.size()];
    device.name = spec.name;
    device.synchronous = true;  // a thread of ours lets it take its time
    device.type = spec.device_class == platform::DeviceClass::cpu   ? CL_DEVICE_TYPE_CPU
                  : spec.device_class == platform::DeviceClass::gpu ? CL_DEVICE_TYPE_GPU
                                                                    : CL_DEVICE_TYPE_ACCELERATOR;
    process.devices.push_back(std::move(device));
  }
  process.domain_count = process.machine->domain_count();
  for (int d = 0; d < process.machine->device_count(); ++d)
    process.domain.push_back(process.machine->domain_of(d));
  return true;
}

void choose_devices(Process& process) {
  auto devices = vendor::select_devices(process.settings.devices);
  if (!devices && !process.settings.devices.empty()) {
    log(LogLevel::warning,
        "MKMD_DEVICES: " + devices.status().message() + "; the program runs on the first device alone");
    devices = vendor::select_devices("");
    if (devices && devices->size() > 1) devices->resize(1);
  }
  if (devices) process.devices = std::move(*devices);
}

// A child whose home's driver is quiet shall not wait for a helper's.
void before_fork() {
  if (ready.load(std::memory_order_acquire) == nullptr || process_forked.load(std::memory_order_relaxed))
    return;
  if (process().splits()) Runtime::finish_helpers();
}

Process* start() {
  auto* process = new Process;  // never destroyed: programs call OpenCL from global destructors
  std::vector<std::string> problems;
  process->settings = read_settings(problems);
  set_log_level(process->settings.log_level);
  for (const std::string& problem : problems)
    log(LogLevel::warning, problem);

  if (process->settings.enabled) {
    if (!choose_emulated(*process)) {
      choose_devices(*process);
      assign_domains(*process);
    }
  }
  if (!process->devices.empty()) {
    process->home =
        process->machine != nullptr ? process->devices.front() : vendor::whole_of(process->devices.front());
    process->platform = new Platform(process->home.platform);
    process->device = new Device(process->platform, process->home.id, true, nullptr);
  }
  if (process->splits()) {
    if (cache_directory().empty()) {
      log(LogLevel::warning,
          "neither XDG_CACHE_HOME nor HOME names a folder: nothing is kept for the next run");
    }
    process->compiler = new compiler::Client(helper_path(process->settings), cache_directory(),
                                             static_cast<int>(process->settings.compiler_seconds.count()));
  }
  pthread_atfork(before_fork, nullptr, [] { process_forked.store(true, std::memory_order_relaxed); });
  register_exit_handler();
  return process;
}

// On a thread of its own: who exits may have interrupted one that holds our locks, and a kernel may never
// end.
void settle() {
  constexpr std::chrono::seconds kLongest{5};
  if (ready.load(std::memory_order_acquire) == nullptr || !process().splits()) return;
  auto settled = std::make_shared<std::promise<void>>();
  std::future<void> future = settled->get_future();
  try {
    std::thread([settled] {
      Runtime::settle_all();
      settled->set_value();
    }).detach();
  } catch (const std::system_error&) {
    return;
  }
  if (future.wait_for(kLongest) != std::future_status::ready)
    log(LogLevel::warning, "the process exits while work that it has split is under way");
}

void on_exit() {
  if (process_forked.load(std::memory_order_relaxed)) return;
  if (process_exiting.exchange(true)) return;
  settle();
  drain_callbacks();
  trace_flush();
  write_summary();
  write_verdict();
  if (process().machine != nullptr) emulation::report(*process().machine);
}

}  // namespace

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
