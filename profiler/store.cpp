// SPDX-License-Identifier: Apache-2.0
#include "profiler/store.hpp"

#include "common/process.hpp"
#include "common/settings.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sqlite3.h>
#include <sys/file.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

namespace mkmd::profiler {

namespace {

constexpr int kVersion = 4;                       // of the schema and its keys, in SQLite's user_version
constexpr int kApplication = 0x4d4b4d44;          // "MKMD"
constexpr int kPatienceMilliseconds = 30 * 1000;  // while another mkmd writes

constexpr int kLongestValue = 1 << 20;  // bytes
constexpr int kOtherSchema = -9991;     // of a Status: tables or columns are not those of a store

constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS samples (
  kernel TEXT NOT NULL, content TEXT NOT NULL, device TEXT NOT NULL,
  dim INTEGER NOT NULL, global TEXT NOT NULL, local_x INTEGER NOT NULL, local_y INTEGER NOT NULL,
  local_z INTEGER NOT NULL, scalars TEXT NOT NULL, items REAL NOT NULL, operations REAL NOT NULL,
  bytes REAL NOT NULL, footprint REAL NOT NULL, crowding REAL NOT NULL, input INTEGER NOT NULL,
  seconds REAL NOT NULL, alone INTEGER NOT NULL,
  lines REAL NOT NULL, group_reach REAL NOT NULL, group_crowding REAL NOT NULL);
CREATE INDEX IF NOT EXISTS by_key ON samples (kernel, content, device);
CREATE TABLE IF NOT EXISTS spools (name TEXT PRIMARY KEY, consumed INTEGER NOT NULL);
)";

class Statement {
public:
  Statement(sqlite3* database, const char* sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
    statement_.reset(statement);
  }

  // Begins again, with these values for the question marks.
  template <typename... T>
  void bind(const T&... values) {
    sqlite3_reset(statement_.get());
    int at = 0;
    (set(++at, values), ...);
  }

  // False where there is no further row; done() then says whether the others were all.
  template <typename... T>
  bool next(T&... columns) {
    code_ = statement_ ? sqlite3_step(statement_.get()) : SQLITE_ERROR;
    int at = 0;
    if (code_ == SQLITE_ROW) (get(at++, columns), ...);
    return code_ == SQLITE_ROW;
  }
  bool done() const { return code_ == SQLITE_DONE; }

private:
  template <typename T>
  void set(int at, const T& value) {
    if constexpr (std::is_integral_v<T>)
      sqlite3_bind_int64(statement_.get(), at, static_cast<sqlite3_int64>(value));
    else if constexpr (std::is_floating_point_v<T>)
      sqlite3_bind_double(statement_.get(), at, value);
    else
      sqlite3_bind_text(statement_.get(), at, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  }

  template <typename T>
  void get(int at, T& value) {
    if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(sqlite3_column_int64(statement_.get(), at));
    else if constexpr (std::is_floating_point_v<T>)
      value = sqlite3_column_double(statement_.get(), at);
    else if (const auto* text = sqlite3_column_text(statement_.get(), at))
      value.assign(reinterpret_cast<const char*>(text),
                   static_cast<size_t>(sqlite3_column_bytes(statement_.get(), at)));
    else
      value.clear();
  }

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int code_ = SQLITE_OK;
};

int pragma(sqlite3* database, const char* sql) {
  int value = -1;
  Statement(database, sql).next(value);
  return value;
}

// Of the tables we use.
std::string columns_of(sqlite3* database) {
  Statement s(database, "SELECT m.name || '.' || c.name FROM sqlite_master m, "
                        "pragma_table_info(m.name) c WHERE m.type = 'table' AND "
                        "m.name IN ('samples', 'spools') ORDER BY m.name, c.cid");
  std::string all;
  for (std::string name; s.next(name);)
    all += name + " ";
  return all;
}

// As a store that is begun now has them.
std::string our_columns() {
  sqlite3* database = nullptr;
  std::string all;
  if (sqlite3_open(":memory:", &database) == SQLITE_OK &&
      sqlite3_exec(database, kSchema, nullptr, nullptr, nullptr) == SQLITE_OK)
    all = columns_of(database);
  sqlite3_close(database);
  return all;
}

// Nothing that a file says about itself is executed, and no value of it takes much memory.
void distrust(sqlite3* database) {
  for (const int risk :
       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW})
    sqlite3_db_config(database, risk, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestValue);
}

// Pages that are not what they should be, anywhere in the file. A file that cannot be read now is not that.
bool damaged_inside(sqlite3* database) {
  std::string found;
  if (Statement(database, "PRAGMA quick_check(1)").next(found)) return found != "ok";
  const int code = sqlite3_errcode(database) & 0xff;
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

// While it lives, no other mkmd opens a store of the folder. A store that another process is making has no
// tables at first, and would look damaged. Only one process may move a damaged store aside.
class FolderLock {
public:
  explicit FolderLock(const fs::path& folder)
      : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (folder_ >= 0 && flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FolderLock() {
    if (folder_ >= 0) close(folder_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

private:
  const int folder_;
};

// Of the process that writes a spool file: its name begins with it.
pid_t writer(const std::string& name) {
  pid_t pid = 0;
  std::from_chars(name.data(), name.data() + name.size(), pid);
  return pid;
}

}  // namespace

Result<std::string> move_aside(const std::string& file) {
  if (const auto own = open_own_folder(fs::path(file).parent_path()); !own && own.status().code() == kNotOurs)
    return own.status();
  std::string aside = file + ".damaged-" + std::to_string(std::time(nullptr));
  std::error_code error;
  for (int more = 1; fs::exists(aside, error); ++more)  // within the same second
    aside = file + ".damaged-" + std::to_string(std::time(nullptr)) + "." + std::to_string(more);
  fs::rename(file, aside, error);
  if (error) return Status::internal(file + " is damaged, and cannot be moved aside: " + error.message());
  return aside;
}

std::string default_store_file() {
  return file_in(data_directory(), "samples.db");
}

Store::~Store() {
  sqlite3_close(database_);
}

Status Store::failure(const char* doing) {
  return Status::internal(std::string("cannot ") + doing + " " + file_ + ": " + sqlite3_errmsg(database_));
}

Status Store::execute(const char* sql) {
  char* message = nullptr;
  if (sqlite3_exec(database_, sql, nullptr, nullptr, &message) == SQLITE_OK) return {};
  const std::string text = message != nullptr ? message : "unknown error";
  sqlite3_free(message);
  return Status::internal(text);
}

Result<std::unique_ptr<Store>> Store::open(const std::string& file, Whose whose, std::string& notice) {
  if (file.empty()) return open_own_folder(file).status();
  const std::string folder = fs::path(file).parent_path();
  if (whose == Whose::ours) {
    if (const auto own = open_own_folder(folder, O_CREAT); !own) return own.status();
  }
  const FolderLock alone(folder);
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::string unusable;
    auto store = open_once(file, whose, unusable);
    if (unusable.empty()) return store;
    store = Status::internal(unusable);  // closes the file
    const auto aside = move_aside(file);
    if (!aside) return aside.status();
    std::error_code ignored;
    fs::rename(file + "-journal", *aside + "-journal", ignored);
    notice = unusable + "; it is kept as " + *aside + ", and a new store was begun";
  }
  return Status::internal("cannot open " + file);
}

Result<std::unique_ptr<Store>> Store::open_once(const std::string& file, Whose whose, std::string& unusable) {
  if (whose == Whose::ours) {
    const auto own = open_own_file(file, O_RDWR | O_CREAT);
    if (!own && own.status().code() == kNotOurs) unusable = own.status().message();
    if (!own) return own.status();
  }
  sqlite3* database = nullptr;
  const int opened =
      sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  std::unique_ptr<Store> store(new Store(database, file, whose));
  if (opened != SQLITE_OK) {
    // SQLite's own words for it name no cause.
    const int error = sqlite3_system_errno(database);
    return Status::internal("cannot open " + file + ": " +
                            (error != 0 ? std::strerror(error) : sqlite3_errstr(opened)));
  }
  sqlite3_busy_timeout(database, kPatienceMilliseconds);
  distrust(database);
  const Status readable = store->execute("SELECT count(*) FROM sqlite_master");
  const int code = sqlite3_errcode(database) & 0xff;
  const int version = readable ? pragma(database, "PRAGMA user_version") : -1;
  const int application = readable ? pragma(database, "PRAGMA application_id") : -1;
  const bool empty = readable && pragma(database, "SELECT count(*) FROM sqlite_master") == 0;
  const bool foreign = readable && !empty && application != kApplication;
  const bool damaged = readable ? !foreign && version <= kVersion && damaged_inside(database)
                                : code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
  if (foreign) unusable = file + " was no store of samples";
  if (damaged) unusable = file + " was damaged, or no store of samples";
  if (unusable.empty() && readable && version > 0 && version < kVersion) {
    unusable = file + " was written by an older mkmd, which named programs and devices in another way";
    if (whose == Whose::named) return Status::internal(std::exchange(unusable, {}));
  }
  if (!unusable.empty()) return store;
  if (!readable) return Status::internal("cannot read " + file + ": " + readable.message());
  if (version > kVersion) {
    return Status::internal(file + " was written by a newer mkmd (store version " + std::to_string(version) +
                            ", this one knows " + std::to_string(kVersion) +
                            "); it was left as it is, and new samples stay in the spool");
  }
  const Status made = store->prepare_schema();
  if (made ? columns_of(database) != our_columns() : made.code() == kOtherSchema)
    unusable = file + " had other columns than a store of samples";
  else if (!made)
    return Status::internal("cannot prepare " + file + ": " + made.message());
  return store;
}

Status Store::prepare_schema() {
  if (pragma(database_, "PRAGMA user_version") == kVersion) return {};
  if (Status s = execute("BEGIN IMMEDIATE"); !s) return s;
  const std::string marks = "PRAGMA application_id = " + std::to_string(kApplication) +
                            "; PRAGMA user_version = " + std::to_string(kVersion) + "; COMMIT";
  Status made = execute(kSchema);
  if (made) made = execute(marks.c_str());
  if (made) return made;
  const bool other = (sqlite3_errcode(database_) & 0xff) == SQLITE_ERROR;
  (void)execute("ROLLBACK");
  return other ? Status(kOtherSchema, made.message()) : made;
}

Status Store::insert(const std::vector<Record>& records) {
  Statement s(database_,
              "INSERT INTO samples (kernel, content, device, dim, global, local_x, local_y, local_z, "
              "scalars, items, operations, bytes, footprint, crowding, input, seconds, alone, lines, "
              "group_reach, group_crowding) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (const Record& r : records) {
    const models::Work& w = r.sample.work;
    s.bind(r.key.kernel, r.key.content, r.key.device, r.work_dim, nlohmann::json(r.global).dump(), w.local[0],
           w.local[1], w.local[2], nlohmann::json(r.scalars).dump(), w.items, w.operations, w.bytes,
           w.footprint, w.crowding, r.sample.input, r.sample.seconds, r.sample.alone, w.lines, w.group_reach,
           w.group_crowding);
    if (s.next() || !s.done()) return failure("add samples to");
  }
  return {};
}

Status Store::take_records(const std::string& path, const std::string& name, Imported& here) {
  uint64_t offset = 0;
  Statement known(database_, "SELECT consumed FROM spools WHERE name = ?");
  known.bind(name);
  if (!known.next(offset) && !known.done()) return failure("read");
  for (bool more = true; more;) {
    std::vector<Record> records;
    const auto read = read_spool(path, whose_, offset, records, here.damaged);
    if (!read && read.status().code() == kMissing) return {};  // another mkmd was quicker
    if (!read) return read.status();
    more = *read;
    if (Status s = insert(records); !s) return s;
    here.records += static_cast<int>(records.size());
  }
  Statement mark(database_, "INSERT OR REPLACE INTO spools (name, consumed) VALUES (?, ?)");
  mark.bind(name, offset);
  mark.next();
  return mark.done() ? Status{} : failure("write");
}

Status Store::import_file(const std::string& path, const std::string& name, Imported& total) {
  // Asked before the file is read: what a process that has ended wrote is all there.
  const bool ended = process_ended(writer(name));
  if (Status s = execute("BEGIN IMMEDIATE"); !s) return s;
  Imported here;
  Status done = take_records(path, name, here);
  if (done) done = execute("COMMIT");
  if (!done) {
    (void)execute("ROLLBACK");
    return done;
  }
  total.records += here.records;
  total.damaged += here.damaged;
  std::error_code ignored;
  if (ended) fs::remove(path, ignored);
  return {};
}

Result<Imported> Store::import_spool(const std::string& folder) {
  Imported total;
  if (whose_ == Whose::ours) {
    const auto own = open_own_folder(folder);
    if (!own && own.status().code() == kNotOurs)
      total.notices.push_back(own.status().message() + "; what is there is ignored");
    if (!own) return total;
  }
  std::error_code error;
  std::vector<fs::path> files;
  std::error_code unknown;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".spool" && entry->is_regular_file(unknown))
      files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const Status s = import_file(file.string(), file.filename().string(), total);
    if (s) continue;
    const bool no_spool = s.code() == kNoSpool;
    if (!no_spool && s.code() != kNotOurs)
      return Status::internal(s.message() + "; the samples stay in " + file.string());
    const auto aside = no_spool ? move_aside(file.string()) : Result<std::string>(Status::internal(""));
    total.notices.push_back(s.message() + (aside ? "; it is kept as " + *aside : "; it is ignored"));
  }
  return total;
}

Result<std::map<models::Key, int>> Store::counts() {
  std::map<models::Key, int> all;
  Statement s(database_, "SELECT kernel, content, device, count(*) FROM samples GROUP BY 1, 2, 3");
  models::Key key;
  for (int count = 0; s.next(key.kernel, key.content, key.device, count);)
    all[key] = count;
  if (!s.done()) return failure("read");
  return all;
}

Result<std::vector<models::Sample>> Store::samples(const models::Key& key) {
  Statement s(database_,
              "SELECT local_x, local_y, local_z, items, operations, bytes, footprint, crowding, input, "
              "seconds, alone, lines, group_reach, group_crowding FROM samples WHERE kernel = ? AND "
              "content = ? AND device = ?");
  s.bind(key.kernel, key.content, key.device);
  std::vector<models::Sample> all;
  models::Sample x;
  models::Work& w = x.work;
  while (s.next(w.local[0], w.local[1], w.local[2], w.items, w.operations, w.bytes, w.footprint, w.crowding,
                x.input, x.seconds, x.alone, w.lines, w.group_reach, w.group_crowding))
    all.push_back(x);
  if (!s.done()) return failure("read");
  return all;
}

}  // namespace mkmd::profiler
