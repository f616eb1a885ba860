// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/icd.hpp"

#include "common/log.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace mkmd::vendor {

namespace {

thread_local void* library_being_loaded = nullptr;

constexpr const char* kVendorDirectory = "/etc/OpenCL/vendors";

const char* soname(const link_map& map) {
  const char* strings = nullptr;
  ElfW(Xword) offset = 0;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SONAME) offset = entry->d_un.d_val;
  }
  return strings != nullptr && offset != 0 ? strings + offset : "";
}

// A library that answers to libOpenCL.so.1 is a loader, or us: never a vendor. The address tells us apart
// even where the file was copied or renamed.
bool is_loader(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return false;
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&is_loader), &self);
  return reinterpret_cast<void*>(map->l_addr) == self.dli_fbase ||
         std::strcmp(soname(*map), "libOpenCL.so.1") == 0;
}

bool is_own_file(const std::string& path) {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&is_own_file), &self) == 0 || self.dli_fname == nullptr) return false;
  std::error_code failed;
  return fs::equivalent(path, self.dli_fname, failed) && !failed;
}

// A vendor library may export the OpenCL functions and take their addresses for its table. Where the
// dynamic loader finds us first, it gets ours (Oclgrind: 26 slots). Calls through such a slot would come
// back to us for ever. So the slot is pointed at the library's own function again.
void repair_table(void* library, cl_platform_id platform) {
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&repair_table), &self);
  void** table = *reinterpret_cast<void***>(platform);
  const auto page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (size_t i = 0; i < sizeof(cl_icd_dispatch) / sizeof(void*); ++i) {
    Dl_info found{};
    if (table[i] == nullptr || dladdr(table[i], &found) == 0 || found.dli_fbase != self.dli_fbase) continue;
    void* own = found.dli_sname != nullptr ? dlsym(library, found.dli_sname) : nullptr;
    if (own == nullptr || own == table[i]) continue;
    const auto page = reinterpret_cast<uintptr_t>(&table[i]) & ~(page_size - 1);
    if (mprotect(reinterpret_cast<void*>(page), page_size, PROT_READ | PROT_WRITE) == 0) table[i] = own;
  }
}

std::string trimmed(std::string line) {
  const auto space = [](unsigned char c) { return std::isspace(c) != 0; };
  line.erase(line.begin(), std::find_if_not(line.begin(), line.end(), space));
  line.erase(std::find_if_not(line.rbegin(), line.rend(), space).base(), line.end());
  return line;
}

std::vector<std::string> split_at_colons(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string state_of(const fs::path& path) {
  std::error_code failed;
  const auto time = fs::last_write_time(path, failed).time_since_epoch().count();
  return failed ? path.string() : path.string() + " " + std::to_string(time);
}

// Where vendors are listed. What is listed is loaded, or only named.
struct Search {
  explicit Search(bool load) : load(load) {}

  const bool load;
  std::vector<Platform> platforms;
  std::vector<std::string> names;
  bool self_named = false;
  bool others_named = false;

  void library(const std::string& name) {
    names.push_back(state_of(name));
    if (!load) return;
    bool self = false;
    for (Platform& platform : load_icd(name, &self))
      platforms.push_back(std::move(platform));
    (self ? self_named : others_named) = true;
  }

  void icd_file(const fs::path& path) {
    names.push_back(state_of(path));
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) return;
    if (line = trimmed(line); !line.empty()) library(line);
  }

  void directory(const fs::path& path) {
    std::vector<fs::path> files;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(path, failed)) {
      if (entry.path().extension() == ".icd") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files)
      icd_file(file);
  }

  // What ocl-icd accepts in OCL_ICD_VENDORS.
  void named(const std::string& name) {
    std::error_code failed;
    if (fs::is_directory(name, failed)) {
      directory(name);
    } else if (name.ends_with(".icd")) {
      icd_file(name.find('/') == std::string::npos ? fs::path(kVendorDirectory) / name : fs::path(name));
    } else {
      library(name);
    }
  }

  // As ocl-icd does: a variable that is set decides, in this order. A set-user-id program is not to be led
  // astray.
  void run() {
    if (const char* vendors = secure_getenv("OCL_ICD_VENDORS"); vendors != nullptr && vendors[0] != '\0') {
      const std::vector<std::string> wanted = split_at_colons(vendors);
      for (const std::string& name : wanted)
        named(name);
      if (others_named || !self_named) return;
      // We are the vendor that was asked for: what we stand for is what the system lists.
    } else if (const char* path = secure_getenv("OPENCL_VENDOR_PATH"); path != nullptr && path[0] != '\0') {
      return directory(path);
    }
    directory(kVendorDirectory);
  }
};

}  // namespace

void* function_of_library_being_loaded(const char* name) {
  return library_being_loaded != nullptr ? dlsym(library_being_loaded, name) : nullptr;
}

std::vector<Platform> load_icd(const std::string& library, bool* is_self) {
  const auto say_self = [&] {
    if (is_self != nullptr) *is_self = true;
    return std::vector<Platform>{};
  };
  if (is_own_file(library)) return say_self();
  // Never closed: a vendor's threads and objects stay until the process ends. Lazily, as the usual loader
  // does: to bind every function of a driver's compiler takes milliseconds.
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    log(LogLevel::info,
        "the OpenCL vendor library " + library + " does not load: " + (why != nullptr ? why : ""));
    return {};
  }
  if (is_loader(handle)) return say_self();

  using GetPlatforms = cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*);
  using GetAddress = void*(CL_API_CALL*)(const char*);
  // By its symbol first: asked for the address, a library may answer with that of the first such symbol,
  // ours.
  auto get_platforms = reinterpret_cast<GetPlatforms>(dlsym(handle, "clIcdGetPlatformIDsKHR"));
  if (get_platforms == nullptr) {
    const auto get_address = reinterpret_cast<GetAddress>(dlsym(handle, "clGetExtensionFunctionAddress"));
    if (get_address != nullptr)
      get_platforms = reinterpret_cast<GetPlatforms>(get_address("clIcdGetPlatformIDsKHR"));
  }
  if (get_platforms == nullptr) return {};
  cl_uint count = 0;
  std::vector<cl_platform_id> ids;
  library_being_loaded = handle;
  if (get_platforms(0, nullptr, &count) == CL_SUCCESS && count > 0) {
    ids.resize(count);
    if (get_platforms(count, ids.data(), nullptr) != CL_SUCCESS) ids.clear();
  }
  library_being_loaded = nullptr;

  std::vector<Platform> platforms;
  for (cl_platform_id id : ids) {
    if (id == nullptr || *reinterpret_cast<void**>(id) == nullptr) continue;
    repair_table(handle, id);
    platforms.push_back({id, platform_string(id, CL_PLATFORM_NAME)});
  }
  return platforms;
}

std::vector<Platform> find_platforms() {
  Search search(/*load=*/true);
  search.run();
  return std::move(search.platforms);
}

std::vector<std::string> listing() {
  Search search(/*load=*/false);
  search.run();
  return std::move(search.names);
}

const std::vector<UnlistedIcd>& unlisted_icds() {
  static const auto* list = new std::vector<UnlistedIcd>{
      {"oclgrind", "/usr/lib/oclgrind/liboclgrind-rt-icd.so", "Debian ships the library, not the .icd file"},
      {"oclgrind", "/usr/local/lib/liboclgrind-rt-icd.so", "where Oclgrind's own build installs it"},
      {"oclgrind", "liboclgrind-rt-icd.so", "wherever the dynamic loader looks"},
  };
  return *list;
}

}  // namespace mkmd::vendor
