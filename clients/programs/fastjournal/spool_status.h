// The state of a spool folder at a moment, from its files and from what the forwarder says about itself in
// FOLDER/forwarder/status.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::cli {

struct SpoolStatus {
  struct Server {
    std::string address;
    std::string state;  // connected, away, refused
    std::int64_t since_ms{0};
    std::string problem;
  };
  struct Table {
    std::string name;
    std::uint64_t rows{0};
    std::uint64_t bytes{0};
    // Of held: what the daemon said last, if a forwarder knows it. Of aside: of the first row.
    std::string code;
    std::string message;
    std::int64_t next_try_ms{0};              // 0: not known
    std::optional<std::int64_t> oldest_ms{};  // of held: insertion_date
  };

  std::string folder;
  bool is_running{false};    // a forwarder has the folder
  std::int64_t process{0};   // its number, 0: not known
  bool has_said{false};      // the members that follow are those of this forwarder
  std::int64_t since_ms{0};  // it runs
  std::int64_t date_ms{0};   // it wrote the file
  std::vector<Server> servers;
  std::string problem_code;
  std::string problem;
  std::string figures;  // its counters, a JSON object; may be empty

  std::uint64_t waiting_rows{0};
  std::uint64_t waiting_bytes{0};
  std::uint64_t waiting_files{0};
  std::uint64_t damaged_bytes{0};
  std::optional<std::int64_t> oldest_ms;  // of rows that wait: insertion_date
  std::vector<Table> held;
  std::vector<Table> aside;

  [[nodiscard]] bool has_rows_to_send() const { return waiting_rows > 0 || !held.empty(); }
  // No operator need act.
  [[nodiscard]] bool is_well() const {
    return aside.empty() && held.empty() && problem.empty() && problem_code.empty() &&
           (is_running || !has_rows_to_send());
  }
};

// not_found: there is no such folder. io_error, with path and reason.
[[nodiscard]] Status check_spool_folder(std::string const& folder);
[[nodiscard]] Result<SpoolStatus> read_spool_status(std::string const& folder);
// Whether a forwarder has the folder, and its process.
[[nodiscard]] Status read_forwarder(std::string const& folder, SpoolStatus& out);

}  // namespace fastjournal::cli
