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
  int damaged = 0;                   // lines that were no records, for instance cut short by a crash
  std::vector<std::string> notices;  // about files that were left out
};

class Store {
public:
  // Makes the file if there is none. A file that is no store, or damaged, or not ours where it should be, is
  // moved aside (`notice` says where to). A store of a newer version is refused and stays as it is. So is a
  // store in another user's folder, unless the user named it.
  static Result<std::unique_ptr<Store>> open(const std::string& file, Whose whose, std::string& notice);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Takes in all spool files of the folder; removes those whose process has ended. On failure (disk full, …)
  // nothing of the file at hand has been taken in, and it stays where it is. Files that are not ours are left
  // out.
  Result<Imported> import_spool(const std::string& folder);

  Result<std::map<models::Key, int>> counts();
  Result<std::vector<models::Sample>> samples(const models::Key& key);

private:
  Store(sqlite3* database, std::string file, Whose whose)
      : database_(database), file_(std::move(file)), whose_(whose) {}
  Status execute(const char* sql);
  Status prepare_schema();
  Status import_file(const std::string& path, const std::string& name, Imported& total);
  Status insert(const std::vector<Record>& records);
  static Result<std::unique_ptr<Store>> open_once(const std::string& file, Whose whose,
                                                  std::string& unusable);
  Status take_records(const std::string& path, const std::string& name, Imported& here);

  Status failure(const char* doing);

  sqlite3* database_;
  std::string file_;
  const Whose whose_;
};

// Renames what is damaged, never deletes it, in a folder of ours. The new name.
Result<std::string> move_aside(const std::string& file);

std::string default_store_file();  // in the data directory

}  // namespace mkmd::profiler
