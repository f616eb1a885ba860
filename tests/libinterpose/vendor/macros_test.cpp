// SPDX-License-Identifier: Apache-2.0
// What PoCL's compiler predefines, asked once, and what comes of it when it cannot be asked or the cache is
// spoilt. Calls are counted in a copy of the vendor's own dispatch table.
#include "libinterpose/vendor/macros.hpp"

#include "common/files.hpp"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>

using namespace mkmd;
using namespace mkmd::vendor;

namespace {

int g_contexts = 0, g_builds = 0;
bool g_fail = false;
const cl_icd_dispatch* g_vendor = nullptr;

cl_context CL_API_CALL create_context(const cl_context_properties* properties, cl_uint count,
                                      const cl_device_id* devices,
                                      void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
                                      void* data, cl_int* error) {
  ++g_contexts;
  return g_vendor->clCreateContext(properties, count, devices, notify, data, error);
}

cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id* devices,
                                 const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                                 void* data) {
  ++g_builds;
  if (g_fail) return CL_BUILD_PROGRAM_FAILURE;
  return g_vendor->clBuildProgram(program, count, devices, options, notify, data);
}

class MacrosTest : public testing::Test {
protected:
  void SetUp() override {
    const auto devices = select_devices("pocl:0");
    if (!devices) GTEST_SKIP() << "needs PoCL";
    device_ = devices->front();
    g_vendor = *reinterpret_cast<const cl_icd_dispatch**>(device_.id);
    counting_ = *g_vendor;
    counting_.clCreateContext = create_context;
    counting_.clBuildProgram = build_program;
    *reinterpret_cast<const cl_icd_dispatch**>(device_.id) = &counting_;
    g_contexts = g_builds = 0;
    g_fail = false;
    std::string folder = (std::filesystem::temp_directory_path() / "mkmd-macros-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override {
    if (g_vendor == nullptr) return;
    *reinterpret_cast<const cl_icd_dispatch**>(device_.id) = g_vendor;
    std::filesystem::remove_all(folder_);
  }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  Device device_;
  cl_icd_dispatch counting_{};
  std::string folder_;
};

TEST_F(MacrosTest, AreAskedOnceAndKept) {
  const std::vector<std::string> names = {"__OPENCL_VERSION__", "MKMD_NOBODY_DEFINES_THIS",
                                          "__has_builtin(__builtin_expect)"};
  const auto first = predefined_macros(device_, "", names, file("kept"));
  ASSERT_TRUE(first) << first.status().message();
  EXPECT_TRUE(first->at("__OPENCL_VERSION__").has_value());
  EXPECT_FALSE(first->at("MKMD_NOBODY_DEFINES_THIS").has_value());
  EXPECT_EQ(first->at("__has_builtin(__builtin_expect)"), "1");
  EXPECT_EQ(g_builds, 1);
  EXPECT_EQ(*predefined_macros(device_, "-DOF_THE_PROGRAM=1", names, file("kept")), *first);
  EXPECT_EQ(g_builds, 1) << "known in the process";
  std::filesystem::copy_file(file("kept"), file("copy"));
  EXPECT_EQ(*predefined_macros(device_, "", names, file("copy")), *first);
  EXPECT_EQ(g_builds, 1) << "known from the file";
  EXPECT_EQ(*predefined_macros(device_, "", {}, file("copy")), *first) << "what is known already";
  EXPECT_EQ(g_builds, 1) << "nobody is asked for it";
  ASSERT_TRUE(predefined_macros(device_, "-cl-std=CL1.2", {"__OPENCL_C_VERSION__"}, file("kept")));
  EXPECT_EQ(g_builds, 2) << "other options, other macros";
  const auto text = read_file(file("kept"));
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, testing::HasSubstr(platform_string(device_.platform, CL_PLATFORM_VERSION)))
      << "another compiler of the same driver is asked again";
}

TEST_F(MacrosTest, ADeviceThatCannotTellIsNotAskedTwice) {
  g_fail = true;
  EXPECT_FALSE(predefined_macros(device_, "", {"__AVX2__"}, file("failing")));
  EXPECT_FALSE(predefined_macros(device_, "", {"__AVX2__"}, file("failing")));
  EXPECT_EQ(g_builds, 1);
  EXPECT_EQ(g_contexts, 1);
  EXPECT_FALSE(std::filesystem::exists(file("failing")));
}

TEST_F(MacrosTest, ASpoiltCacheIsAskedAnew) {
  int number = 0;
  for (const char* spoilt : {"", "{", "[1]", "{\"format\": 2}", "{\"format\": 2, \"devices\": [3]}",
                             "{\"format\": \"x\", \"devices\": {}}", "{\"format\": 1, \"devices\": {}}"}) {
    const std::string path = file("spoilt" + std::to_string(++number));
    ASSERT_TRUE(replace_file(path, spoilt).ok());
    const auto found = predefined_macros(device_, "", {"__OPENCL_VERSION__"}, path);
    ASSERT_TRUE(found) << spoilt;
    EXPECT_TRUE(found->at("__OPENCL_VERSION__").has_value()) << spoilt;
    EXPECT_EQ(g_builds, number) << spoilt;
  }
}

}  // namespace
