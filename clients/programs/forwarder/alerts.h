// The forwarder's alerts for the administrator of its computer: one alert for each cause, as long as it lasts. Pure.
//
//   forwarder_daemon-away     rows wait, and no daemon is there. Names each daemon with the reason
//   forwarder_folder-failed   the spool folder cannot be read or written
//   forwarder_file-skipped    files of rows that cannot be opened. Names the first one with the reason
//   forwarder_file-doubtful   files that are shorter than what was read of them. Names the first one
//   forwarder_rows-damaged    what is neither a row nor the rest of one was passed over
//   TABLE_table-held          the daemon takes no rows of this table
//   TABLE_row-aside           the daemon will never take some rows: somebody has to look at them
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/status.h"
#include "log/alert_book.h"

namespace fastjournal::forwarder {

// The section of alerts that concern no table.
inline constexpr std::string_view kForwarderSection = "forwarder";

// The unit of the flags of the forwarder of this folder, which must be absolute: "fastjournal-client-" and the path in
// lower case, with "-" for all that is neither a letter nor a digit. A hash follows where two folders could have the same.
[[nodiscard]] std::string unit_of(std::string_view folder);

struct Cause {
  std::string table;
  std::string name;
  std::uint8_t priority{0};
  std::string message;
};

// Nothing: none was skipped.
[[nodiscard]] std::optional<Cause> cause_of_skipped(std::string_view folder, std::vector<Status> const& skipped);
[[nodiscard]] std::optional<Cause> cause_of_doubtful(std::vector<Status> const& doubtful);

class AlertDesk {
 public:
  // `causes`: all that stand now. A change of a message alone is told once a minute.
  [[nodiscard]] std::vector<log::AlertNotice> look(std::vector<Cause> const& causes, TimeMs now);

 private:
  std::map<std::pair<std::string, std::string>, log::Alert> standing_;
};

}  // namespace fastjournal::forwarder
