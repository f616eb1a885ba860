// SPDX-License-Identifier: Apache-2.0
#include "tools/inspect/trace_lines.hpp"

#include "common/json.hpp"

#include <fstream>

namespace mkmd::inspect {

bool next_line(std::istream& in, std::string& line) try {
  line.clear();
  std::streambuf& bytes = *in.rdbuf();
  while (line.size() <= kMostJsonBytes) {
    const int c = bytes.sbumpc();
    if (c == '\n') return true;
    if (c == std::char_traits<char>::eof()) {
      in.setstate(std::ios::eofbit);
      return !line.empty();
    }
    line += static_cast<char>(c);
  }
  return true;
} catch (const std::ios_base::failure&) {
  in.setstate(std::ios::badbit);
  return false;
}

bool is_trace(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string start(4096, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<size_t>(in.gcount()));
  const Result<nlohmann::json> j = parse_json(start.substr(0, start.find('\n')));
  return (j && j->is_object() && j->contains("trace")) ||
         start.find("\"trace\":\"mkmd\"") != std::string::npos;
}

}  // namespace mkmd::inspect
