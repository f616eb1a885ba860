// SPDX-License-Identifier: Apache-2.0
// A fuzzer of calls: random sequences of OpenCL calls, most of them valid, from one or several threads.
// They are checked against a model of references, order and contents. It knows nothing of any layer. With
// one thread and --log its output depends on the seed alone, so that two runs can be compared line by line.
#include "kernels.hpp"
#include "living.hpp"
#include "player.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <thread>

namespace {

struct Options {
  uint64_t seed = 1, calls = 10000;
  unsigned threads = 1;
  bool log = false;
  std::string without;       // kinds of steps that are left out
  std::string forget;        // a kind of release, the first of which is left out
  std::set<uint64_t> steps;  // only these; empty: all
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--log") {
      options.log = true;
      continue;
    }
    if (i + 1 == argc) break;
    const char* const value = argv[++i];
    if (name == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--calls") {
      options.calls = std::strtoull(value, nullptr, 10);
    } else if (name == "--threads") {
      options.threads = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (name == "--without") {  // kinds of steps, comma-separated
      options.without = std::string(",") + value + ",";
    } else if (name == "--forget") {
      options.forget = value;
    } else if (name == "--steps") {  // numbers in a file: what a failure has been shrunk to
      std::FILE* file = std::fopen(value, "r");
      unsigned long long step = 0;
      while (file != nullptr && std::fscanf(file, "%llu", &step) == 1)
        options.steps.insert(step);
      if (file != nullptr) std::fclose(file);
    } else {
      std::fprintf(stderr, "calls [--seed S] [--calls N] [--threads T] [--log] [--without KINDS] "
                           "[--forget RELEASE] [--steps FILE]\n");
      std::exit(2);
    }
  }
  return options;
}

void check(cl_int code, const char* call) {
  if (code == CL_SUCCESS) return;
  std::printf("FAULT %s gave %d\n", call, code);
  std::exit(3);
}

// The log up to the last call, for whoever looks at a crash.
void crashed(int signal) {
  std::fflush(stdout);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Drivers may take their time with callbacks, and a busy machine too.
bool come(const std::atomic<uint64_t>& called, const std::atomic<uint64_t>& expected, const char* what) {
  for (int i = 0; i < 6000 && called.load() < expected.load(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (called.load() == expected.load()) return true;
  std::printf("FAULT %llu of %llu callbacks of %s came\n", static_cast<unsigned long long>(called.load()),
              static_cast<unsigned long long>(expected.load()), what);
  return false;
}

// What the vendor library knows of its objects, where it is living_vendor.cpp.
class Living {
public:
  Living() {
    const char* const path = std::getenv("LIVING_VENDOR");
    if (path == nullptr) return;
    void* const library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) {
      std::printf("FAULT %s is not loaded\n", path);
      std::exit(3);
    }
    objects_ = reinterpret_cast<decltype(&living_objects)>(dlsym(library, "living_objects"));
    faults_ = reinterpret_cast<decltype(&living_faults)>(dlsym(library, "living_faults"));
    reinterpret_cast<decltype(&living_begin)>(dlsym(library, "living_begin"))();
  }

  // Whether everything has gone. What was under way last may take a while; where it will not go, less is
  // enough.
  bool none(int hundredths) const {
    if (objects_ == nullptr) return true;
    char text[1000];
    size_t count = 0;
    for (int i = 0; i < hundredths; ++i) {
      count = objects_(text, sizeof text);
      if (count == 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (count > 0) std::printf("FAULT %zu objects are left: %s\n", count, text);
    if (faults_() > 0) std::printf("FAULT %zu calls with objects that are gone\n", faults_());
    return count == 0 && faults_() == 0;
  }

private:
  decltype(&living_objects) objects_ = nullptr;
  decltype(&living_faults) faults_ = nullptr;
};

void describe_device(fuzz::Shared& shared) {
  check(clGetPlatformIDs(1, &shared.platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(shared.platform, CL_DEVICE_TYPE_ALL, 1, &shared.device, nullptr), "clGetDeviceIDs");
  cl_bool images = CL_FALSE;
  clGetDeviceInfo(shared.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
  shared.images = images != CL_FALSE;
  cl_device_svm_capabilities svm = 0;
  clGetDeviceInfo(shared.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, nullptr);
  shared.svm = (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
}

// What several players share.
void make_common(fuzz::Shared& shared) {
  cl_int error = 0;
  shared.context = clCreateContext(nullptr, 1, &shared.device, nullptr, nullptr, &error);
  check(error, "clCreateContext");
  shared.queue = clCreateCommandQueue(shared.context, shared.device, 0, &error);
  check(error, "clCreateCommandQueue");
  // PoCL 3.1's first build must not meet others.
  const char* text = fuzz::sources()[0].text;
  const cl_program program = clCreateProgramWithSource(shared.context, 1, &text, nullptr, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), "clBuildProgram");
  check(clReleaseProgram(program), "clReleaseProgram");
}

// With the objects that nobody took over.
void release_common(fuzz::Shared& shared) {
  for (const fuzz::EventPtr& event : shared.events)
    check(clReleaseEvent(event->handle), "clReleaseEvent");
  for (const fuzz::MemoryPtr& memory : shared.memories) {
    for (; memory->references > 0; --memory->references)
      check(clReleaseMemObject(memory->handle), "clReleaseMemObject");
  }
  shared.events.clear();
  shared.memories.clear();
  if (shared.queue == nullptr) return;
  check(clFinish(shared.queue), "clFinish");
  check(clReleaseCommandQueue(shared.queue), "clReleaseCommandQueue");
  check(clReleaseContext(shared.context), "clReleaseContext");
}

// By all players at once; how many calls they made.
uint64_t play(fuzz::Shared& shared, const Options& options) {
  std::vector<std::thread> threads;
  std::atomic<uint64_t> calls{0};
  auto play_one = [&](unsigned thread) {
    fuzz::Player player(shared, thread, options.seed);
    for (uint64_t step = 0; player.calls() < options.calls / options.threads && step < options.calls;
         ++step) {
      if (options.steps.empty() || options.steps.count(step) > 0) player.take_step(step);
    }
    player.end();
    calls.fetch_add(player.calls());
  };
  for (unsigned i = 1; i < options.threads; ++i)
    threads.emplace_back(play_one, i);
  play_one(0);
  for (std::thread& thread : threads)
    thread.join();
  return calls.load();
}

bool callbacks_came(const fuzz::Callbacks& callbacks) {
  bool good = come(callbacks.events_called, callbacks.events_expected, "events");
  good &= come(callbacks.memories_called, callbacks.memories_expected, "memory objects");
  good &= come(callbacks.builds_called, callbacks.builds_expected, "builds");
  if (callbacks.twice.load() + callbacks.out_of_turn.load() == 0) return good;
  std::printf("FAULT callbacks: %llu came twice, %llu with a wrong status\n",
              static_cast<unsigned long long>(callbacks.twice.load()),
              static_cast<unsigned long long>(callbacks.out_of_turn.load()));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::signal(SIGSEGV, crashed);
  std::signal(SIGABRT, crashed);
  static fuzz::Shared shared;
  shared.log = options.log;
  shared.without = options.without;
  shared.forget = options.forget;
  shared.threads = options.threads;
  describe_device(shared);
  const Living living;
  if (options.threads > 1) make_common(shared);
  const uint64_t calls = play(shared, options);
  release_common(shared);
  bool good = callbacks_came(shared.callbacks);
  good &= living.none(options.forget.empty() ? 2000 : 50);
  std::fflush(stdout);
  std::fprintf(stderr, "%llu calls\n", static_cast<unsigned long long>(calls));
  return good ? 0 : 3;
}
