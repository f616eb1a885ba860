// SPDX-License-Identifier: Apache-2.0
// Calls from which a driver may never return, since its device does not answer (PoCL-Remote, when a server's
// session ends and nobody tells the client). Another thread makes such a call. Thread-safe.
#pragma once

#include <functional>

namespace mkmd::vendor {

// Makes a call for that object, and waits for its return. False: it has not returned in time, and may never.
// While one has not, no other is made for the object, and this returns at once. `call` owns what it uses, and
// must not let go of that in its destructor.
bool returns_in_time(const void* object, std::function<void()> call);

// A call for that object has not returned in time, and has not returned since.
bool is_late(const void* object);

}  // namespace mkmd::vendor
