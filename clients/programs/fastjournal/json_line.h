// JSON as the command line writes it: one line. What steers a terminal is escaped, as in tables: an escape stands for the
// same character, so that scripts read what they would read without it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace fastjournal::cli {

// With a line feed. Bytes that are not UTF-8 become U+FFFD, as in the daemon's own JSON.
[[nodiscard]] std::string json_line(nlohmann::ordered_json const& json);

}  // namespace fastjournal::cli
