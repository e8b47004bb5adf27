// Operations on a spool folder, with or without a running forwarder: look at the rows, count them, and
// say what becomes of those that were set aside. Nothing here waits, and rows are read in bounded memory.
//
// What is read may change meanwhile: rows that are on their way to the daemon count as waiting until their space is
// freed, and rows that appear or go during the reading may be seen or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::spool {

// Why a row is in the folder.
enum class Where : std::uint8_t {
  waiting,  // its producer saved it
  held,     // its table takes no rows now: it is not declared, is paused, or may not be written to
  aside,    // refused for good, until somebody resends or purges it
};

struct RowInFolder {
  Where where{Where::waiting};
  std::string_view table{};  // empty: what is there is no row
  std::int64_t date_ms{0};   // of waiting and held: insertion_date. Of aside: when it was set aside. Since 1970
  std::string_view code{};   // of aside: the refusal, as in an ERROR
  std::string_view reason{};
  Message const* row{nullptr};  // the INSERT, with its columns; nullptr: it cannot be parsed
  std::string_view body{};      // its bytes: the body of a frame (doc/protocol.md)
};

struct RowsWanted {
  bool waiting{true};
  bool held{true};
  bool aside{true};
  std::string table{};  // empty: of all tables
};

// Calls `on_row` for each of them: those that wait in the order of the files, then held, then aside by table. Views last
// as long as the call. It ends early when `on_row` returns false. Errors name path and reason; a file that goes
// meanwhile is none.
[[nodiscard]] Status list_rows(std::string const& folder, RowsWanted const& wanted,
                               std::function<bool(RowInFolder const&)> const& on_row);

// A file with its rows. A name of a table in several kinds of files has an entry for each.
struct FileOfRows {
  Where where{Where::waiting};
  std::string path{};   // within the folder
  std::string table{};  // of held and aside; kOtherTable (place.h): rows of no proper table, or of too many tables
  std::uint64_t rows{0};
  std::uint64_t bytes{0};          // of these rows in the file
  std::uint64_t damaged_bytes{0};  // halves of rows, and damage
};
[[nodiscard]] Result<std::vector<FileOfRows>> count_rows(std::string const& folder);

// Of which tables rows were set aside; without reading them. Empty also if the folder cannot be read.
[[nodiscard]] std::vector<std::string> aside_tables(std::string const& folder);

// All rows of the table that were set aside are sent again, as new rows; those refused again are set aside again. A
// crash neither loses nor doubles one. The number of rows. `table` may be kOtherTable.
//   not_found       none of this table were set aside
//   in_use          the forwarder is adding one, or somebody else does the same: again
//   bad_parameter   no such name of a table
[[nodiscard]] Result<std::uint64_t> resend(std::string const& folder, std::string const& table);
// All of them are deleted. As above.
[[nodiscard]] Result<std::uint64_t> purge(std::string const& folder, std::string const& table);

}  // namespace fastjournal::spool
