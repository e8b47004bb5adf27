#include "clients/demo/main_job/index.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <system_error>

namespace fastjournal::main_job {
namespace {

// Another backend's transaction takes milliseconds; after a minute it hangs.
constexpr int kBusyMs = 60'000;

constexpr char const* kSetUp =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    // Pages (of 4 KiB) in SQLite's log before they are moved to the file: fewer moves, fewer syncs.
    "PRAGMA wal_autocheckpoint=8000;"
    "PRAGMA cache_size=-32768;"
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS page(id INTEGER PRIMARY KEY, uri TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL);"
    "CREATE VIRTUAL TABLE IF NOT EXISTS page_text USING fts5(title, body, tokenize='unicode61');"
    "COMMIT;";

void bind(sqlite3_stmt* statement, int at, std::string_view text) {
  // Borrowed until the statement is reset. The size always fits.
  sqlite3_bind_text64(statement, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

std::string column(sqlite3_stmt* statement, int at) {
  auto const* const text = sqlite3_column_text(statement, at);
  auto const size = static_cast<std::size_t>(sqlite3_column_bytes(statement, at));
  return text == nullptr ? std::string{} : std::string(text, text + size);
}

std::string on_one_line(std::string_view text) {
  std::string out;
  for (char const c : text) {
    bool const blank = c == '\n' || c == '\t' || c == ' ';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

}  // namespace

void Index::CloseDatabase::operator()(sqlite3* database) const { sqlite3_close(database); }
void Index::FinishStatement::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Status Index::failed(std::string_view doing) const {
  return {Code::io_error, fmt::format("index {}: {}: {}", path_.string(), doing, sqlite3_errmsg(database_.get()))};
}

Result<Index> Index::open(std::filesystem::path const& path) {
  sqlite3* database = nullptr;
  int const opened = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Index index{path, database};
  if (opened != SQLITE_OK) return index.failed("open");
  sqlite3_busy_timeout(database, kBusyMs);
  if (Status ready = index.run(kSetUp); !ready.ok()) return ready;
  if (Status ready = index.prepare_writes(); !ready.ok()) return ready;
  return index;
}

Status Index::run(char const* sql) {
  return sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK ? Status{} : failed(sql);
}

Result<Index::Statement> Index::prepare(char const* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql, -1, &statement, nullptr) != SQLITE_OK) return failed(sql);
  return Statement{statement};
}

Status Index::prepare_writes() {
  struct {
    Statement& into;
    char const* sql;
  } const writes[] = {
      {add_page_,
       "INSERT INTO page(uri, bytes) VALUES(?1, ?2) ON CONFLICT(uri) DO UPDATE SET bytes = excluded.bytes RETURNING "
       "id"},
      {remove_text_, "DELETE FROM page_text WHERE rowid = ?1"},
      {add_text_, "INSERT INTO page_text(rowid, title, body) VALUES(?1, ?2, ?3)"},
  };
  for (auto const& write : writes) {
    auto prepared = prepare(write.sql);
    if (!prepared.ok()) return prepared.status();
    write.into = std::move(prepared).value();
  }
  return {};
}

Status Index::step_to_end(sqlite3_stmt* statement, std::string_view doing) {
  int step = SQLITE_ROW;
  while (step == SQLITE_ROW) step = sqlite3_step(statement);
  Status status = step == SQLITE_DONE ? Status{} : failed(doing);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return status;
}

Status Index::put_in_transaction(Page const& page) {
  sqlite3_stmt* const add = add_page_.get();
  bind(add, 1, page.uri);
  sqlite3_bind_int64(add, 2, static_cast<sqlite3_int64>(page.text.size()));
  sqlite3_int64 const id = sqlite3_step(add) == SQLITE_ROW ? sqlite3_column_int64(add, 0) : 0;
  if (Status added = step_to_end(add, "add the page"); !added.ok()) return added;

  sqlite3_bind_int64(remove_text_.get(), 1, id);
  if (Status removed = step_to_end(remove_text_.get(), "remove the old text"); !removed.ok()) return removed;

  sqlite3_bind_int64(add_text_.get(), 1, id);
  bind(add_text_.get(), 2, page.title);
  bind(add_text_.get(), 3, page.text);
  return step_to_end(add_text_.get(), "add the text");
}

Status Index::put(Page const& page) {
  // IMMEDIATE waits for the other writer here, before any read; a later conflict would be refused at once.
  if (Status begun = run("BEGIN IMMEDIATE"); !begun.ok()) return begun;
  Status status = put_in_transaction(page);
  if (status.ok()) status = run("COMMIT");
  // A failed transaction may have ended by itself; then there is nothing to roll back.
  if (!status.ok() && sqlite3_get_autocommit(database_.get()) == 0) {
    Status const undone = run("ROLLBACK");
    if (!undone.ok()) return undone;
  }
  return status;
}

Result<std::vector<std::string>> Index::uris() {
  // The join requires each page in both tables.
  auto prepared = prepare("SELECT uri FROM page WHERE id IN (SELECT rowid FROM page_text) ORDER BY uri");
  if (!prepared.ok()) return prepared.status();
  std::vector<std::string> found;
  sqlite3_stmt* const statement = prepared.value().get();
  int step = sqlite3_step(statement);
  for (; step == SQLITE_ROW; step = sqlite3_step(statement)) found.push_back(column(statement, 0));
  if (step != SQLITE_DONE) return failed("list the pages");
  return found;
}

Result<std::vector<Hit>> Index::query(std::string_view words, std::size_t hits_max) {
  auto prepared = prepare(
      "SELECT page.uri, page_text.title, snippet(page_text, 1, '[', ']', ' ... ', 14) FROM page_text"
      " JOIN page ON page.id = page_text.rowid WHERE page_text MATCH ?1 ORDER BY rank LIMIT ?2");
  if (!prepared.ok()) return prepared.status();
  sqlite3_stmt* const statement = prepared.value().get();
  bind(statement, 1, words);
  sqlite3_bind_int64(statement, 2, static_cast<sqlite3_int64>(hits_max));
  std::vector<Hit> hits;
  int step = sqlite3_step(statement);
  for (; step == SQLITE_ROW; step = sqlite3_step(statement))
    hits.push_back({column(statement, 0), column(statement, 1), on_one_line(column(statement, 2))});
  if (step != SQLITE_DONE) return failed(fmt::format("query `{}`", words));
  return hits;
}

Result<std::string> Index::common_word() {
  if (Status made = run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word USING fts5vocab('main', 'page_text', 'row')");
      !made.ok())
    return made;
  auto prepared = prepare(
      "SELECT term FROM temp.word WHERE length(term) >= 5 AND term GLOB '[a-z]*' ORDER BY doc DESC, term LIMIT 1");
  if (!prepared.ok()) return prepared.status();
  int const step = sqlite3_step(prepared.value().get());
  if (step != SQLITE_ROW && step != SQLITE_DONE) return failed("look for a word");
  return step == SQLITE_ROW ? column(prepared.value().get(), 0) : std::string{};
}

std::uint64_t Index::bytes() const {
  std::uint64_t sum = 0;
  for (char const* const suffix : {"", "-wal"}) {
    std::error_code absent;
    auto const size = std::filesystem::file_size(path_.string() + suffix, absent);
    if (!absent) sum += size;
  }
  return sum;
}

}  // namespace fastjournal::main_job
