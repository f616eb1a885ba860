// SPDX-License-Identifier: Apache-2.0
// How the addresses of one work-group fall on the sets of a cache; see LaunchFootprints::crowding().
#include <algorithm>
#include <cstdlib>

#include "compiler/footprint.hpp"
#include "compiler/region.hpp"

namespace mkmd::compiler {
namespace {

constexpr int64_t kLine = 64, kSets = 64;
constexpr int64_t kMostLines = 4096;  // of one access; what has more is not regular enough to crowd

}  // namespace

double LaunchFootprints::crowding() const {
  if (!uniform_) return 1;
  Region region(info_, values_, local_, offset_);
  int64_t worst = 1;
  for (const Access& access : info_.accesses) {
    if (!access.known || info_.is_image(access.argument)) continue;  // which lies as its driver wants
    region.start({{0, 0, 0}, {1, 1, 1}});
    const Form form = region.form(access.offset);
    if (!form.valid) continue;
    // Steps within a line are walked line by line.
    std::array<int64_t, 3> step{}, count{1, 1, 1};
    int64_t lines = 1;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t stride = std::abs(form.local[d]);
      if (stride == 0 || local_[d] < 2) continue;
      step[d] = std::max(stride, kLine);
      count[d] = stride >= kLine ? local_[d] : (stride * (local_[d] - 1)) / kLine + 1;
      lines *= std::min(count[d], kMostLines);
    }
    if (lines < 2 || lines > kMostLines) continue;
    std::vector<int64_t> touched;
    touched.reserve(static_cast<size_t>(lines));
    for (int64_t z = 0; z < count[2]; ++z)
      for (int64_t y = 0; y < count[1]; ++y)
        for (int64_t x = 0; x < count[0]; ++x)
          touched.push_back((x * step[0] + y * step[1] + z * step[2]) / kLine);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::array<int64_t, kSets> in_set{};
    for (const int64_t line : touched)
      worst = std::max(worst, ++in_set[static_cast<size_t>(line % kSets)]);
  }
  return static_cast<double>(worst);
}

}  // namespace mkmd::compiler
