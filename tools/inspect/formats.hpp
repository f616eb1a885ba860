// SPDX-License-Identifier: Apache-2.0
// The forms in which `mkmd inspect` shows a trace, one file each. A new one is a function here and a row in
// inspect.cpp.
#pragma once

#include "tools/inspect/analysis.hpp"

#include <ostream>

namespace mkmd::inspect {

void write_summary(const Trace& trace, const Analysis& analysis, std::ostream& out);
void write_json(const Trace& trace, const Analysis& analysis, std::ostream& out);
void write_dot(const Trace& trace, const Analysis& analysis, std::ostream& out);
void write_text(const Trace& trace, const Analysis& analysis, std::ostream& out);
void write_svg(const Trace& trace, const Analysis& analysis, std::ostream& out);
void write_perfetto(const Trace& trace, const Analysis& analysis, std::ostream& out);
void write_html(const Trace& trace, const Analysis& analysis, std::ostream& out);

}  // namespace mkmd::inspect
