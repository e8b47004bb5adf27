// fastjournal/spool.h over clients/spool/core/spool.h: no exception leaves, each failure is told by thread.
#pragma GCC visibility push(default)  // of all that the header declares
#include "clients/spool/include/fastjournal/spool.h"
#pragma GCC visibility pop

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "clients/spool/core/spool.h"
#include "clients/spool/declare.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace {

using fastjournal::Code;
using fastjournal::Message;
using fastjournal::Result;
using fastjournal::Status;
using fastjournal::Value;
using fastjournal::spool::Options;
using fastjournal::spool::Spool;
using fastjournal::spool::Sync;

Status& last_failure() {
  static thread_local Status status;
  return status;
}

int told(Status status) {
  if (status.ok()) return 0;
  last_failure() = std::move(status);
  return -1;
}

Status missing(std::string_view what) {
  return Status{Code::bad_parameter, std::string{what} + " is NULL"}.with("parameter", std::string{what});
}

// What may be thrown is that there is too little memory.
template <typename Do>
int guarded(Do const& act) noexcept {
  try {
    return told(act());
  } catch (...) {
  }
  try {
    return told({Code::no_space, "there is too little memory"});
  } catch (...) {
    return -1;
  }
}

}  // namespace

struct fj_spool {
  std::unique_ptr<Spool> spool;
};

struct fj_spool_row {
  std::string table;
  Message message;

  void begin() {
    message.clear();
    message.command = "INSERT";
    message.set("table", std::string_view{table});
  }
};

namespace {

int set_value(fj_spool_row* row, char const* column, Value value) {
  return guarded([&]() -> Status {
    if (row == nullptr) return missing("row");
    if (column == nullptr) return missing("column");
    if (value.bytes.data() == nullptr) value.bytes = {};
    std::string_view const name{column};
    Message& message = row->message;
    if (name == "table")
      return Status{Code::bad_parameter, "a row has its table from its beginning"}.with("parameter", "table");
    if (!message.has(name) && message.params().size() >= Message::kParamsMax - 1)
      return {Code::too_large, "a row has at most 255 parameters and columns"};
    value.bytes = message.arena().copy(value.bytes);
    message.set(message.has(name) ? name : message.arena().copy(name), value);
    return {};
  });
}

Options options_of(char const* folder, fj_spool_options const* given) {
  Options out{.folder = folder};
  if (given == nullptr) return out;
  fj_spool_options options{};
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  switch (options.sync) {
    case FJ_SPOOL_SYNC_INTERVAL: out.sync = Sync::interval; break;
    case FJ_SPOOL_SYNC_EACH: out.sync = Sync::each; break;
    default: break;
  }
  if (options.interval_ms != 0) out.interval = std::chrono::milliseconds{options.interval_ms};
  if (options.period_s != 0) out.period = std::chrono::seconds{options.period_s};
  if (options.file_mode != 0) out.file_mode = options.file_mode;
  if (options.file_bytes_max != 0) out.file_bytes_max = options.file_bytes_max;
  return out;
}

}  // namespace

extern "C" {

void fj_spool_options_init_sized(fj_spool_options* options, size_t size) {
  if (options == nullptr || size < sizeof options->size) return;
  std::memset(options, 0, size);
  options->size = size;
}

fj_spool* fj_spool_open(char const* folder, fj_spool_options const* options) {
  fj_spool* out = nullptr;
  guarded([&]() -> Status {
    if (folder == nullptr) return missing("folder");
    if (options != nullptr && options->size < sizeof options->size)
      return Status{Code::bad_parameter, "options were not made by fj_spool_options_init"}.with("parameter", "size");
    if (options != nullptr && options->sync > FJ_SPOOL_SYNC_EACH)
      return Status{Code::bad_parameter, "sync is none of FJ_SPOOL_SYNC_..."}.with("parameter", "sync");
    Result<std::unique_ptr<Spool>> opened = Spool::open(options_of(folder, options));
    if (!opened.ok()) return opened.status();
    out = new fj_spool{std::move(opened).value()};
    return {};
  });
  return out;
}

void fj_spool_close(fj_spool* spool) { delete spool; }

int fj_spool_declare(fj_spool* spool, char const* table_file, char const* types_folder) {
  return guarded([&] {
    if (spool == nullptr) return missing("spool");
    if (table_file == nullptr) return missing("table_file");
    return fastjournal::producer::declare_file(*spool->spool, table_file, types_folder == nullptr ? "" : types_folder);
  });
}

fj_spool_row* fj_spool_row_new(char const* table) {
  fj_spool_row* out = nullptr;
  guarded([&]() -> Status {
    if (table == nullptr) return missing("table");
    auto row = std::make_unique<fj_spool_row>();
    row->table = table;
    row->begin();
    out = row.release();
    return {};
  });
  return out;
}

int fj_spool_row_clear(fj_spool_row* row) {
  return guarded([&]() -> Status {
    if (row == nullptr) return missing("row");
    row->begin();
    return {};
  });
}

void fj_spool_row_free(fj_spool_row* row) { delete row; }

int fj_spool_set_text(fj_spool_row* row, char const* column, char const* text, size_t size) {
  if (text == nullptr && size != 0) return guarded([] { return missing("text"); });
  return set_value(row, column, Value::of_text({text, size == FJ_SPOOL_NUL ? std::strlen(text) : size}));
}

int fj_spool_set_binary(fj_spool_row* row, char const* column, void const* bytes, size_t size) {
  if (bytes == nullptr && size != 0) return guarded([] { return missing("bytes"); });
  return set_value(row, column, Value::of_binary({static_cast<char const*>(bytes), size}));
}

int fj_spool_set_integer(fj_spool_row* row, char const* column, int64_t value) {
  return set_value(row, column, Value::of_integer(value));
}

int fj_spool_set_unsigned(fj_spool_row* row, char const* column, uint64_t value) {
  return set_value(row, column, Value::of_unsigned(value));
}

int fj_spool_set_real(fj_spool_row* row, char const* column, double value) {
  return set_value(row, column, Value::of_real(value));
}

int fj_spool_set_priority(fj_spool_row* row, int priority) { return fj_spool_set_integer(row, "priority", priority); }

int fj_spool_set_process_date(fj_spool_row* row, int64_t milliseconds) {
  return fj_spool_set_integer(row, "process_date", milliseconds);
}

int fj_spool_set_expiration_date(fj_spool_row* row, int64_t milliseconds) {
  return fj_spool_set_integer(row, "expiration_date", milliseconds);
}

int fj_spool_save(fj_spool* spool, fj_spool_row const* row) {
  return guarded([&] {
    if (spool == nullptr) return missing("spool");
    if (row == nullptr) return missing("row");
    return spool->spool->save(row->message);
  });
}

int fj_spool_sync(fj_spool* spool) {
  return guarded([&] { return spool == nullptr ? missing("spool") : spool->spool->sync(); });
}

int fj_spool_ping(fj_spool* spool) {
  return guarded([&] { return spool == nullptr ? missing("spool") : spool->spool->ping(); });
}

char const* fj_spool_error_code(void) { return fastjournal::row_of(last_failure().code()).wire_name.data(); }

char const* fj_spool_error_text(void) { return last_failure().message().c_str(); }

char const* fj_spool_error_fact(char const* name) {
  if (name == nullptr) return nullptr;
  for (auto const& [fact, value] : last_failure().facts())
    if (fact == name) return value.c_str();
  return nullptr;
}

char const* fj_spool_version(void) { return FJ_VERSION; }

}  // extern "C"
