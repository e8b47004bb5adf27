// SQLite by its library. The file is in the usual journal mode, so that its readers need no right to write.
#include <sqlite3.h>

#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "platform/sql/database.h"
#include "platform/sql/words.h"

namespace fastjournal::sql {
namespace {

// A reader in a transaction of its own keeps the file locked: so long it is waited for.
constexpr int kBusyMs = 5'000;
constexpr int kBusyLookMs = 25;
// Steps of its machine between two looks at the clock: some milliseconds.
constexpr int kStepsPerLook = 100'000;

constexpr std::string_view kSqliteTypes[] = {"TEXT", "INTEGER", "INTEGER"};

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

int go_on_waiting(void* patience, int times) {
  if (times * kBusyLookMs >= kBusyMs) return 0;
  return static_cast<Patience const*>(patience)->pause(kBusyLookMs) ? 0 : 1;
}

int is_over(void* patience) { return static_cast<Patience const*>(patience)->is_over() ? 1 : 0; }

class Sqlite final : public Database {
 public:
  Sqlite(std::string path, Patience const& patience) : path_(std::move(path)), patience_(patience) {}

  Status begin() override {
    sqlite3* opened = nullptr;
    int const code = sqlite3_open_v2(path_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    database_.reset(opened);
    if (code != SQLITE_OK) return failed("open it");
    auto* const patience = const_cast<Patience*>(&patience_);
    sqlite3_busy_handler(opened, go_on_waiting, patience);
    sqlite3_progress_handler(opened, kStepsPerLook, is_over, patience);
    // A quoted name that is no column is an error, not a text.
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    // The file may be of any origin: only SQLite's own functions are run from it.
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    return run("BEGIN IMMEDIATE", "begin");
  }

  Status make(ExportRelation const& relation) override {
    Result<Statement> found = prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1",
                                      fmt::format("look for {}", relation.name()));
    if (!found.ok()) return found.status();
    bind(*found.value(), 1, relation.name());
    int const step = sqlite3_step(found->get());
    if (step == SQLITE_ROW) return {};
    if (step != SQLITE_DONE) return failed(fmt::format("look for {}", relation.name()));
    return run(create_table(relation, quoted_identifier(relation.name()), kSqliteTypes) + " WITHOUT ROWID",
               fmt::format("make {}", relation.name()));
  }

  Status remove_rows(ExportRelation const& relation, std::string_view table) override {
    std::string const doing = fmt::format("remove the former rows of {}", relation.name());
    Result<Statement> statement =
        prepare(fmt::format("DELETE FROM {} WHERE {} = ?1", quoted_identifier(relation.name()),
                            quoted_identifier(kTableColumn)),
                doing);
    if (!statement.ok()) return statement.status();
    bind(*statement.value(), 1, table);
    return sqlite3_step(statement->get()) == SQLITE_DONE ? Status{} : failed(doing);
  }

  Status add_rows(ExportRelation const& relation, std::string_view table) override {
    std::string const doing = fmt::format("add rows to {}", relation.name());
    Result<Statement> prepared = prepare(insert_rows(relation, quoted_identifier(relation.name()), 1, '?'), doing);
    if (!prepared.ok()) return prepared.status();
    sqlite3_stmt* const statement = prepared->get();
    for (std::size_t row = 0; row < relation.rows(); ++row) {
      bind(*statement, 1, table);
      for (std::size_t column = 0; column < relation.columns().size(); ++column)
        bind(*statement, static_cast<int>(column) + 2, relation.cell(row, column));
      if (sqlite3_step(statement) != SQLITE_DONE) return failed(doing);
      sqlite3_reset(statement);
    }
    return {};
  }

  Status commit() override { return run("COMMIT", "commit"); }

 private:
  [[nodiscard]] Status run(std::string const& text, std::string_view doing) {
    return sqlite3_exec(database_.get(), text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK ? Status{}
                                                                                               : failed(doing);
  }

  [[nodiscard]] Result<Statement> prepare(std::string const& text, std::string_view doing) {
    sqlite3_stmt* statement = nullptr;
    int const code =
        sqlite3_prepare_v2(database_.get(), text.c_str(), static_cast<int>(text.size()), &statement, nullptr);
    if (code != SQLITE_OK) return failed(doing);
    return Statement{statement};
  }

  // Texts live until the statement has run.
  static void bind(sqlite3_stmt& statement, int at, std::string_view text) {
    // A null pointer would be NULL.
    sqlite3_bind_text64(&statement, at, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  static void bind(sqlite3_stmt& statement, int at, ExportRelation::Cell const& cell) {
    using Kind = ExportRelation::Cell::Kind;
    switch (cell.kind) {
      case Kind::absent: sqlite3_bind_null(&statement, at); break;
      case Kind::text: bind(statement, at, cell.text); break;
      case Kind::integer:
      case Kind::boolean: sqlite3_bind_int64(&statement, at, cell.integer); break;
    }
  }

  [[nodiscard]] Status failed(std::string_view doing) const {
    std::string text = fmt::format("SQLite file {}: {}: ", path_, doing);
    if (database_ == nullptr) return {Code::io_error, text + "no memory"};
    int const code = sqlite3_errcode(database_.get());
    text += sqlite3_errmsg(database_.get());
    int const system = sqlite3_system_errno(database_.get());
    if (system != 0 && (code == SQLITE_CANTOPEN || code == SQLITE_IOERR || code == SQLITE_FULL))
      text += fmt::format(" ({})", std::strerror(system));
    if (code == SQLITE_BUSY) text += ": another program has it open in a transaction";
    return {code == SQLITE_BUSY ? Code::in_use : Code::io_error, text};
  }

  std::string path_;
  Patience const& patience_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace

std::unique_ptr<Database> make_sqlite(std::string path, Patience const& patience) {
  return std::make_unique<Sqlite>(std::move(path), patience);
}

}  // namespace fastjournal::sql
