// The work of the backends: a full-text index of the pages in one SQLite file (FTS5), written by several processes at
// the same time and queried at the end. The only use of SQLite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace fastjournal::main_job {

struct Page {
  std::string_view uri;
  std::string_view title;
  std::string_view text;
};

struct Hit {
  std::string uri;
  std::string title;
  std::string snippet;  // one line, with hits between [ and ]
};

// Belongs to one thread. Other processes may write to the same file: a writer waits for the other's transaction.
// SQLite's own log (WAL) preserves written pages when the process is killed. It is not synced for each page, so a power
// cut may lose the last pages.
class Index {
 public:
  // Opens the file; makes it with its tables if it does not exist.
  [[nodiscard]] static Result<Index> open(std::filesystem::path const& path);

  // Adds the page, or replaces the one with its URI, in one transaction.
  [[nodiscard]] Status put(Page const& page);

  // The URIs of all pages, sorted.
  [[nodiscard]] Result<std::vector<std::string>> uris();
  // The best hits of an FTS5 query, best first.
  [[nodiscard]] Result<std::vector<Hit>> query(std::string_view words, std::size_t hits_max);
  // A word of at least five letters that occurs in many pages; empty if there is none.
  [[nodiscard]] Result<std::string> common_word();
  // Size of the file and of SQLite's log next to it.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct CloseDatabase {
    void operator()(sqlite3* database) const;
  };
  struct FinishStatement {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

  Index(std::filesystem::path path, sqlite3* database) : path_(std::move(path)), database_(database) {}
  [[nodiscard]] Status failed(std::string_view doing) const;
  [[nodiscard]] Status run(char const* sql);
  [[nodiscard]] Result<Statement> prepare(char const* sql);
  [[nodiscard]] Status prepare_writes();
  [[nodiscard]] Status put_in_transaction(Page const& page);
  [[nodiscard]] Status step_to_end(sqlite3_stmt* statement, std::string_view doing);

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  // After the database, so that they are destroyed before it.
  Statement add_page_;
  Statement remove_text_;
  Statement add_text_;
};

}  // namespace fastjournal::main_job
