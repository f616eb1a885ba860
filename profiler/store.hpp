// SPDX-License-Identifier: Apache-2.0
// The store: every sample ever taken on this machine, in one SQLite file. Only the mkmd command opens it.
// Samples arrive from spool files, each exactly once: how far a file was read is kept in the same
// transaction.
#pragma once

#include "profiler/spool.hpp"

#include <map>
#include <memory>

struct sqlite3;

namespace mkmd::profiler {

struct Imported {
  int records = 0;
  int damaged = 0;  // lines that were no records, for instance cut short by a crash
};

class Store {
public:
  // Makes the file if there is none. A file that is no store, or a damaged one, is moved aside, never deleted
  // (`notice` says where to). A store of a newer version is refused and left as it is.
  static Result<std::unique_ptr<Store>> open(const std::string& file, std::string& notice);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Takes in all spool files of the folder; removes those whose process has ended. On failure (disk full, …)
  // nothing of the file at hand has been taken in, and it stays where it is.
  Result<Imported> import_spool(const std::string& folder);

  Result<std::map<models::Key, int>> counts();
  Result<std::vector<models::Sample>> samples(const models::Key& key);

private:
  Store(sqlite3* database, std::string file) : database_(database), file_(std::move(file)) {}
  Status execute(const char* sql);
  Status prepare_schema();
  Status import_file(const std::string& path, const std::string& name, Imported& total);
  Status insert(const std::vector<Record>& records);

  Status failure(const char* doing);

  sqlite3* database_;
  std::string file_;
};

// Renames what is damaged, never deletes it. The new name.
Result<std::string> move_aside(const std::string& file);

std::string default_store_file();  // in the data directory

}  // namespace mkmd::profiler
