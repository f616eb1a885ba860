// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/lane_stage.hpp"

#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "libinterpose/verify/crash_guard.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <unistd.h>

namespace mkmd::verify {

namespace {

constexpr double kPatience = 60;  // seconds, and as many times as long as the whole launch takes
constexpr std::chrono::microseconds kLongestPause{500};

}  // namespace

Running::~Running() {
  CrashGuard::set_line("");
}

void Running::add(const std::string& device, const compiler::GroupBox& box) {
  std::erase_if(pieces_, [&](const auto& piece) { return piece.first == device; });
  pieces_.emplace_back(device, box);
  tell();
}

void Running::remove(const std::string& device) {
  std::erase_if(pieces_, [&](const auto& piece) { return piece.first == device; });
  tell();
}

void Running::tell() const {
  if (pieces_.empty()) return CrashGuard::set_line("");
  std::string devices;
  compiler::GroupBox hull = pieces_.front().second;
  for (const auto& [device, box] : pieces_) {
    devices += (devices.empty() ? "" : " or ") + device;
    for (size_t d = 0; d < 3; ++d) {
      hull.lo[d] = std::min(hull.lo[d], box.lo[d]);
      hull.hi[d] = std::max(hull.hi[d], box.hi[d]);
    }
  }
  CrashGuard::set_line(Report::end_line(kernel_, "crash", devices, hull));
}

unsigned char* LaneStage::open(size_t buffer) {
  const cl_command_queue queue = rehearsal_.queue(lane_);
  cl_int status = CL_SUCCESS;
  mapped_ = vendor::table(queue).clEnqueueMapBuffer(
      queue, rehearsal_.scratch().memory(set_, buffer), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
      rehearsal_.scratch().buffers()[buffer].contents.size(), 0, nullptr, nullptr, &status);
  return status == CL_SUCCESS ? static_cast<unsigned char*>(mapped_) : nullptr;
}

void LaneStage::close(size_t buffer) {
  const cl_command_queue queue = rehearsal_.queue(lane_);
  const auto& table = vendor::table(queue);
  table.clEnqueueUnmapMemObject(queue, rehearsal_.scratch().memory(set_, buffer), mapped_, 0, nullptr,
                                nullptr);
  table.clFinish(queue);
}

cl_int LaneStage::start(const compiler::GroupBox& box, bool original) {
  box_ = box;
  if (!original) running_.add(name(), box);
  cl_int status = CL_SUCCESS;
  event_ = rehearsal_.start(lane_, box, set_, !original, status);
  return status;
}

cl_int LaneStage::finish() {
  const double began = host_seconds();
  cl_int status = CL_COMPLETE;
  for (auto pause = std::chrono::microseconds(20); event_; pause = std::min(2 * pause, kLongestPause)) {
    status = vendor::execution_status(event_.get());
    if (status <= CL_COMPLETE) break;
    if (host_seconds() - began > kPatience * (1 + whole_seconds_)) give_up();
    std::this_thread::sleep_for(pause);
  }
  running_.remove(name());
  event_.reset();
  return std::min(status, CL_SUCCESS);
}

// Nothing stops a kernel: the process has to end with it.
void LaneStage::give_up() {
  report_.append(Report::end_line(kernel_, "no end", name(), box_));
  log(LogLevel::error, "a piece of kernel " + kernel_.name + " does not end: the program is ended");
  _exit(1);
}

}  // namespace mkmd::verify
