// How values come to a daemon and how they are read, for lives in which data files are exchanged meanwhile
// (exchange_life.cpp): what a client sends in each way, in which parts, and what the answers say. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::sim {

enum class Way : std::uint8_t {
  line,          // PUT with `data`
  frame,         // the same in binary
  packets_1,     // of unknown length
  packets_2,     // of known length and hash
  http_length,   // PUT with Content-Length
  http_chunked,  // of unknown length
  whole,         // TRANSACTION, with a row that spills
  commit,        // BEGIN to COMMIT, likewise
  roll_back,     // the same to ROLLBACK
  branch,        // XA_START to XA_COMMIT, likewise
  row,           // INSERT of a row that spills
  body,          // SEND of a message
};
inline constexpr std::array<std::string_view, 12> kWayNames{"line",        "frame",        "packets 1", "packets 2",
                                                            "HTTP length", "HTTP chunked", "whole",     "commit",
                                                            "roll-back",   "branch",       "row",       "body"};
[[nodiscard]] constexpr bool is_in_transaction(Way way) { return way >= Way::whole && way <= Way::branch; }
// There is a value in the blob table; and a row.
[[nodiscard]] constexpr bool has_blob(Way way) { return way < Way::row; }
[[nodiscard]] constexpr bool has_row(Way way) { return is_in_transaction(way) || way == Way::row; }

enum class Door : std::uint8_t { messages, writer, http };
[[nodiscard]] Door door_of(Way way);

struct Coming {
  Way way{};
  std::string table{};  // of the blob
  std::string key{};    // of the blob, and of the row
  std::string xid{};    // of a branch
  std::string bytes{};  // letters
};
struct Script {
  std::vector<std::string> parts;  // of commands; whoever sends them may cut them again
  bool ends_input{false};          // behind them
};
[[nodiscard]] Script script_of(Coming const& coming);
// The part of it behind which the value may be there, whoever is gone.
[[nodiscard]] std::size_t last_part(Way way);

struct Outcome {
  enum class Kind : std::uint8_t {
    none,     // no answer so far
    stored,   // what was asked for is done; of a ROLLBACK, undone
    refused,  // nothing is done
    over,     // the connection was ended; version 1 says no more
  };
  Kind kind{Kind::none};
  std::string why{};  // of a refusal
};
[[nodiscard]] Outcome outcome_of(Way way, std::string_view answers, bool is_closed);
// The answer to XA_PREPARE is among them.
[[nodiscard]] bool is_prepared(std::string_view answers);

// -- reading ------------------------------------------------------------------
[[nodiscard]] std::string ask_http(std::string const& table, std::string const& key);
[[nodiscard]] std::string ask_packets(std::string const& key, bool version_2);
// Nothing: the answer is none that shows a value. Empty: it is absent, as far as it says so.
struct Shown {
  bool is_there{false};
  std::string bytes{};
};
[[nodiscard]] std::optional<Shown> shown_by_line(std::string_view line, std::string_view parameter);
[[nodiscard]] std::optional<Shown> shown_by_http(std::string_view answer);
[[nodiscard]] std::optional<Shown> shown_by_packets(std::string_view answer);

}  // namespace fastjournal::sim
